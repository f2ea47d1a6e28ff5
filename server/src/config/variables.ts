import { resolve } from "node:path";
import { chainVariables } from "./chain-variables.ts";
import { conversationVariables } from "./conversation-variables.ts";
import { crossChainVariables } from "./cross-chain-variables.ts";
import { documentVariables } from "./document-variables.ts";
import { modelVariables } from "./model-variables.ts";
import { providerVariables } from "./provider-variables.ts";
import { retentionVariables } from "./retention-variables.ts";
import {
  choiceAmong,
  developmentMoney,
  http,
  list,
  networks,
  origins,
  port,
  readContact,
  readInstant,
  readMailbox,
  readMailServer,
  secrets,
  text,
  url,
  type Variable,
  wholeNumber,
  withDefault,
} from "./values.ts";

/** The settings, by their names in `Config`. `docs/config.md` is generated from this. */
export const variables = {
  port: withDefault("PORT", "3000", "Port of the application host. 0: any free port.", port),
  edgePort: withDefault("EDGE_PORT", "3001", "Port of the edge host. 0: any free port.", port),
  host: withDefault("HOST", "127.0.0.1", "Address on which both hosts listen.", (value) => value),
  dataDir: withDefault(
    "DATA_DIR",
    ".data",
    "Folder for all data of the embedded parts, relative to the repository root. Safe to copy while the service is stopped.",
    (value) => resolve(import.meta.dirname, "../../..", value),
  ),
  serve: withDefault(
    "SERVE",
    "both",
    "`app` or `edge`: this process serves only that host, and another process serves the other. All processes share the database, DATA_DIR and configuration.",
    choiceAmong("both", "app", "edge"),
  ),
  databaseUrl: url(
    "DATABASE_URL",
    ["postgres:", "postgresql:"],
    "The PostgreSQL server. Unset: the embedded one under DATA_DIR.",
  ),
  publicAppUrl: url("PUBLIC_APP_URL", http, "Public URL of the application host. Unset: derived from host and port."),
  publicEdgeUrl: url("PUBLIC_EDGE_URL", http, "Public URL of the edge host. Unset: derived from host and port."),
  allowedHosts: withDefault(
    "ALLOWED_HOSTS",
    "",
    "Comma-separated additional host names under which the MCP endpoints may be reached. IP addresses, localhost and the hosts of the public URLs are always allowed.",
    list,
  ),
  allowedOrigins: withDefault(
    "ALLOWED_ORIGINS",
    "",
    "Comma-separated additional origins of web pages, such as `https://app.example.com`, that may call the MCP endpoints. Pages of this machine and of the public URLs are always allowed.",
    list,
  ),
  trustedProxies: withDefault(
    "TRUSTED_PROXIES",
    "",
    "Comma-separated addresses and networks, such as `10.0.0.0/8`, of proxies in front of the service. Limits by address use the client that their `X-Forwarded-For` names.",
    networks,
  ),
  linkOrigins: withDefault(
    "LINK_ORIGINS",
    "",
    "Comma-separated additional origins, such as `https://app.example.com`, that guest links may lead to. The application host's own is always allowed.",
    origins,
  ),
  mcpFastPath: withDefault(
    "MCP_FAST_PATH",
    "on",
    "`off`: every MCP message goes through the protocol library, including plain ones, which are answered identically without it.",
    choiceAmong("on", "off"),
  ),
  workflowRetentionDays: withDefault(
    "WORKFLOW_RETENTION_DAYS",
    "400",
    "Days for which a workflow run is kept after its end.",
    wholeNumber(1, 36_500),
  ),
  ...conversationVariables,
  eventNetworks: withDefault(
    "EVENT_NETWORKS",
    "",
    "Comma-separated private networks, such as `10.1.2.0/24`, in which tenants may have endpoints for events. Every tenant can then send requests to all their addresses, also by http and to any port. Unset: endpoints are public https addresses.",
    networks,
  ),
  networkMode: withDefault(
    "NETWORK_MODE",
    "sandbox",
    "`sandbox`: every key is a sandbox key. `production`: production keys use the live parts.",
    choiceAmong("sandbox", "production"),
  ),
  embeddedSandbox: withDefault(
    "EMBEDDED_SANDBOX",
    "on",
    "`off`: production runs without the embedded sandbox.",
    choiceAmong("on", "off"),
  ),
  eligibilityDatasetPath: text(
    "ELIGIBILITY_DATASET_PATH",
    "A JSON file of entry rules that extend or replace the built-in ones. Unset: only the built-in rules.",
  ),
  supplierUrl: url(
    "SUPPLIER_URL",
    http,
    "URL of the live supplier of flights and stays. Used for production keys only.",
  ),
  supplierToken: text("SUPPLIER_TOKEN", "Access token of the live supplier."),
  supplierWebhookSecrets: withDefault(
    "SUPPLIER_WEBHOOK_SECRETS",
    "",
    "Comma-separated secrets with which the live supplier signs its events; during a rotation, both the old and the new one. Unset: its events are refused, and orders are only polled.",
    secrets,
  ),
  ...chainVariables,
  settleUsageSeconds: withDefault(
    "SETTLE_USAGE_SECONDS",
    "3600",
    "Interval in seconds at which the usage of production keys is paid on the live chain.",
    wholeNumber(1, 86_400),
  ),
  ...retentionVariables,
  operatorTenant: text(
    "OPERATOR_TENANT",
    "Id of the tenant whose owners and admins create tenants and change plans in the dashboard. Unset: the demo tenant, where there is one.",
  ),
  mailsPerTenantDay: withDefault(
    "MAILS_PER_TENANT_DAY",
    "500",
    "Mails that a tenant may send per day (UTC), to guests and to its own people. Further ones are kept: shown, but not delivered.",
    wholeNumber(1, 1_000_000),
  ),
  mailsPerRecipientDay: withDefault(
    "MAILS_PER_RECIPIENT_DAY",
    "5",
    "Mails that an address may receive per day (UTC), from all tenants together. Further ones are kept.",
    wholeNumber(1, 1_000_000),
  ),
  ...providerVariables,
  ...modelVariables,
  ...documentVariables,
  ...crossChainVariables,
  eInvoiceRulesFile: text(
    "EINVOICE_RULES",
    "File with the official rules for validating e-invoices, as written by `npm run einvoice-rules`. Unset: the file that it wrote into DATA_DIR; without one, invoices are not e-invoices and say so.",
  ),
  masterKeyFile: text(
    "MASTER_KEY_FILE",
    "File with the 32-byte key that encrypts secrets and personal numbers. Unset: created in DATA_DIR; required in production.",
  ),
  smtpUrl: {
    name: "SMTP_URL",
    fallback: undefined,
    meaning:
      "The mail server, such as `smtps://user:password@mail.example.com`, or `smtp://` for STARTTLS; `?tls=optional` also accepts a server without it. Unset: no mail is sent.",
    read: readMailServer,
  },
  mailFrom: {
    name: "MAIL_FROM",
    fallback: undefined,
    meaning: "Sender of those mails, such as `Wayfare <trips@example.com>`. Required with SMTP_URL.",
    read: readMailbox,
  },
  rateLimitPerSecond: withDefault(
    "RATE_LIMIT_PER_SECOND",
    "100",
    "Sustained calls per second and key.",
    wholeNumber(1, 1_000_000),
  ),
  rateLimitBurst: withDefault("RATE_LIMIT_BURST", "200", "Burst of calls per key.", wholeNumber(1, 1_000_000)),
  refusedKeysPerMinute: withDefault(
    "REFUSED_KEYS_PER_MINUTE",
    "60",
    "Calls per minute with a missing or invalid key that an address may send; further ones are answered 429.",
    wholeNumber(1, 1_000_000),
  ),
  unpaidPerMinute: withDefault(
    "UNPAID_PER_MINUTE",
    "6000",
    "Requests per minute without a payment that an address may send to payment-gated tools; further ones are answered 429.",
    wholeNumber(1, 1_000_000),
  ),
  unsettledPerPayerMinute: withDefault(
    "UNSETTLED_PER_PAYER_MINUTE",
    "120",
    "Calls per minute with payments signed by one payer that bring no money, such as failed calls; further ones are answered 429.",
    wholeNumber(1, 1_000_000),
  ),
  unsettledPerAddressMinute: withDefault(
    "UNSETTLED_PER_ADDRESS_MINUTE",
    "600",
    "The same per address; pending calls count until they are paid.",
    wholeNumber(1, 1_000_000),
  ),
  claimsPerMinute: withDefault(
    "CLAIMS_PER_MINUTE",
    "60",
    "Requests per minute that an address may send to view and claim trips with guest links; further ones are answered 429.",
    wholeNumber(1, 1_000_000),
  ),
  photosPerMinute: withDefault(
    "PHOTOS_PER_MINUTE",
    "600",
    "Pictures per minute that an address may load from the supplier sandbox; further ones are answered 429.",
    wholeNumber(1, 1_000_000),
  ),
  connectionsPerAddress: withDefault(
    "CONNECTIONS_PER_ADDRESS",
    "1024",
    "Concurrent connections per address to each host; at most a quarter of those that the limit of open files allows. Addresses in TRUSTED_PROXIES may have more.",
    wholeNumber(1, 1_000_000),
  ),
  costlyCalls: withDefault(
    "COSTLY_CALLS",
    "16",
    "Concurrent searches and other calls per process that ask a supplier or draw a map and spend nothing. Tenants take turns.",
    wholeNumber(1, 10_000),
  ),
  costlyCallsPerTenant: withDefault(
    "COSTLY_CALLS_PER_TENANT",
    "4",
    "Concurrent such calls per tenant, or per payer without a key.",
    wholeNumber(1, 10_000),
  ),
  costlyCallsWaiting: withDefault(
    "COSTLY_CALLS_WAITING",
    "100",
    "Such calls that may wait per tenant or payer; further ones are answered 429.",
    wholeNumber(1, 10_000),
  ),
  costlyCallsWaitMilliseconds: withDefault(
    "COSTLY_CALLS_WAIT_MS",
    "10000",
    "Milliseconds that such a call waits before it is answered 429.",
    wholeNumber(1, 60_000),
  ),
  bodyMemoryMegabytes: withDefault(
    "BODY_MEMORY_MB",
    "64",
    "Memory per process, in megabytes, for request bodies that are still arriving, or that contain a document and are not answered yet. An address or tenant gets a quarter of it, and all callers without a key together get half: with less than 64, documents of 10 MB are refused.",
    wholeNumber(8, 100_000),
  ),
  paymentBatchWindowMilliseconds: withDefault(
    "PAYMENT_BATCH_WINDOW_MS",
    "0",
    "Milliseconds for which payments for calls are collected, to be settled in one transaction. 0: each is settled immediately.",
    wholeNumber(0, 60_000),
  ),
  x402FacilitatorUrl: url(
    "X402_FACILITATOR_URL",
    http,
    "An x402 facilitator that verifies and settles the payments of this NETWORK_MODE. Unset: the service does it itself.",
  ),
  x402FacilitatorKey: text(
    "X402_FACILITATOR_KEY",
    "API key for that facilitator, sent as Authorization: Bearer. Unset: none is sent.",
  ),
  x402FacilitatorTimeoutMilliseconds: withDefault(
    "X402_FACILITATOR_TIMEOUT_MS",
    "10000",
    "Milliseconds that the facilitator may take for an answer.",
    wholeNumber(100, 120_000),
  ),
  databasePoolSize: withDefault("DATABASE_POOL_SIZE", "10", "Database connections per process.", wholeNumber(2, 500)),
  drainSeconds: withDefault(
    "DRAIN_SECONDS",
    "0",
    "Seconds for which a stopping process still serves while `/readyz` already answers 503: longer than a load balancer needs to see that twice. At most 4 in sandbox mode.",
    wholeNumber(0, 600),
  ),
  databaseReadPoolSize: withDefault(
    "DATABASE_READ_POOL_SIZE",
    "4",
    "Additional database connections per process, for lists only. A tenant uses at most half of them.",
    wholeNumber(1, 500),
  ),
  databaseReadTimeoutMilliseconds: withDefault(
    "DATABASE_READ_TIMEOUT_MS",
    "5000",
    "Milliseconds that reading a list may take before it is answered 503.",
    wholeNumber(10, 30_000),
  ),
  supplierSearchTimeoutMilliseconds: withDefault(
    "SUPPLIER_SEARCH_TIMEOUT_MS",
    "20000",
    "Milliseconds for which the supplier may collect offers.",
    wholeNumber(2_000, 60_000),
  ),
  supplierCommitTimeoutMilliseconds: withDefault(
    "SUPPLIER_COMMIT_TIMEOUT_MS",
    "130000",
    "Milliseconds that a booking or payment may take at the supplier. After that its outcome is unknown.",
    wholeNumber(100, 300_000),
  ),
  supplierQuietMilliseconds: withDefault(
    "SUPPLIER_QUIET_MS",
    "260000",
    "After an unknown outcome: milliseconds since sending after which a look-up that finds nothing proves that nothing happened.",
    wholeNumber(100, 3_600_000),
  ),
  sandboxCommitTimeoutMilliseconds: withDefault(
    "SANDBOX_COMMIT_TIMEOUT_MS",
    "5000",
    "The same as SUPPLIER_COMMIT_TIMEOUT_MS, for the supplier sandbox.",
    wholeNumber(100, 300_000),
  ),
  sandboxQuietMilliseconds: withDefault(
    "SANDBOX_QUIET_MS",
    "10000",
    "The same as SUPPLIER_QUIET_MS, for the supplier sandbox.",
    wholeNumber(100, 3_600_000),
  ),
  sandboxCurrency: withDefault(
    "SANDBOX_CURRENCY",
    "USD",
    "Currency of the account at the supplier sandbox, in which it sells flights, such as EUR.",
    choiceAmong("USD", "EUR", "GBP"),
  ),
  sandboxStaysIn: withDefault(
    "SANDBOX_STAYS_IN",
    "local",
    "`local`: the supplier sandbox sells stays in the currency of their country; `account`: in the account's.",
    choiceAmong("local", "account"),
  ),
  sandboxBalanceUsdc: withDefault(
    "SANDBOX_BALANCE_USDC",
    "100000",
    "USDC, and the same amount of EURC, that a new tenant's wallet gets on the development chain.",
    developmentMoney,
  ),
  metricsToken: {
    name: "METRICS_TOKEN",
    fallback: undefined,
    meaning:
      "With it as Authorization: Bearer, GET /metrics answers from other machines too; at least 32 letters, digits, hyphens or underscores. Unset: only from the same machine.",
    read: readMetricsToken,
  },
  releaseDownloadsUrl: url(
    "RELEASE_DOWNLOADS_URL",
    http,
    "Base address of release artifacts: /downloads/x redirects to x below it. Unset: only what npm run bundle has built is offered.",
  ),
  securityContact: {
    name: "SECURITY_CONTACT",
    fallback: undefined,
    meaning:
      "Where to report a vulnerability, as a mailto:, https: or tel: URI, for /.well-known/security.txt. Unset: the file is not served.",
    read: readContact,
  },
  securityContactExpires: {
    name: "SECURITY_CONTACT_EXPIRES",
    fallback: undefined,
    meaning:
      "Expiry of that contact, such as 2027-06-30T00:00:00Z; security.txt is not served after it. Required with SECURITY_CONTACT.",
    read: readInstant,
  },
  logLevel: withDefault(
    "LOG_LEVEL",
    "warn",
    "Minimum level of the log, which is written to standard error as JSON lines.",
    choiceAmong("fatal", "error", "warn", "info", "debug", "silent"),
  ),
} satisfies Record<string, Variable<unknown>>;

function readMetricsToken(value: string | undefined): string | undefined {
  if (value === undefined || /^[A-Za-z0-9_-]{32,256}$/.test(value)) return value;
  throw new Error("must be 32 to 256 letters, digits, hyphens or underscores");
}
