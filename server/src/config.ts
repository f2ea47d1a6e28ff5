import { resolve } from "node:path";
import {
  address,
  developmentMoney,
  http,
  list,
  oneOf,
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
} from "./config-values.ts";

/** The only reader of the environment: one typed object, read once. `docs/config.md` is generated from it. */

export const variables = {
  port: withDefault("PORT", "3000", "Port of the application host. 0 takes a free one.", port),
  edgePort: withDefault("EDGE_PORT", "3001", "Port of the edge host. 0 takes a free one.", port),
  host: withDefault("HOST", "127.0.0.1", "Address that both hosts listen on.", (value) => value),
  dataDir: withDefault(
    "DATA_DIR",
    ".data",
    "Everything that the embedded parts keep; relative to the repository root. Safe to copy when stopped.",
    (value) => resolve(import.meta.dirname, "../..", value),
  ),
  serve: withDefault(
    "SERVE",
    "both",
    "`app` or `edge`: this process serves that host only, beside another one that serves the other. All on one database, DATA_DIR and configuration.",
    oneOf("both", "app", "edge"),
  ),
  databaseUrl: url(
    "DATABASE_URL",
    ["postgres:", "postgresql:"],
    "A PostgreSQL server to use. Unset: the embedded one under DATA_DIR.",
  ),
  publicAppUrl: url("PUBLIC_APP_URL", http, "The application host as others reach it. Unset: from host and port."),
  publicEdgeUrl: url("PUBLIC_EDGE_URL", http, "The edge host as others reach it. Unset: from host and port."),
  allowedHosts: withDefault(
    "ALLOWED_HOSTS",
    "",
    "Further host names, separated by commas, under which the MCP endpoints may be reached. IP addresses, localhost and the hosts of the public URLs always may.",
    list,
  ),
  allowedOrigins: withDefault(
    "ALLOWED_ORIGINS",
    "",
    "Further origins of web pages, such as `https://app.example.com`, separated by commas, that may call the MCP endpoints. Pages of this machine and of the public URLs always may.",
    list,
  ),
  linkOrigins: withDefault(
    "LINK_ORIGINS",
    "",
    "Further origins, such as `https://app.example.com`, separated by commas, that guest links may lead to. The application host's own always may.",
    origins,
  ),
  mcpFastPath: withDefault(
    "MCP_FAST_PATH",
    "on",
    "`off`: every MCP message goes through the protocol library, also plain ones that are answered alike without it.",
    oneOf("on", "off"),
  ),
  conformance: {
    name: "CONFORMANCE",
    fallback: undefined,
    meaning:
      "`1`: the MCP endpoints also have the fixtures of the official conformance suites, and take calls without a key from this machine. Sandbox only.",
    read: (value: string | undefined) => (value === undefined ? undefined : oneOf("1")(value)),
  },
  networkMode: withDefault(
    "NETWORK_MODE",
    "sandbox",
    "`sandbox`: every key is a sandbox key. `production`: production keys use the live parts.",
    oneOf("sandbox", "production"),
  ),
  embeddedSandbox: withDefault(
    "EMBEDDED_SANDBOX",
    "on",
    "`off`: production without the sandbox beside it.",
    oneOf("on", "off"),
  ),
  supplierUrl: url("SUPPLIER_URL", http, "The live supplier of flights and stays. Production keys only."),
  supplierToken: text("SUPPLIER_TOKEN", "Access token of the live supplier."),
  supplierWebhookSecrets: withDefault(
    "SUPPLIER_WEBHOOK_SECRETS",
    "",
    "Secrets that the live supplier signs its events with, separated by commas; while one is replaced, both. Unset: its events are refused, and orders are only read now and then.",
    secrets,
  ),
  chainRpcUrl: url("CHAIN_RPC_URL", http, "JSON-RPC of the live chain. Production keys only."),
  chainUsdc: address("CHAIN_USDC", "Address of USDC on the live chain."),
  chainEurc: address("CHAIN_EURC", "Address of EURC on the live chain."),
  chainEscrow: address("CHAIN_ESCROW", "Address of the escrow on the live chain. Unset: no trips in escrow there."),
  chainSplitter: address(
    "CHAIN_SPLITTER",
    "Address of the settlement splitter on the live chain. Unset: no splits there.",
  ),
  chainPaymentBatch: address(
    "CHAIN_PAYMENT_BATCH",
    "Address of the contract that settles payments in batches on the live chain. Unset: no batches there.",
  ),
  chainConfirmations: withDefault(
    "CHAIN_CONFIRMATIONS",
    "1",
    "How many blocks make a transaction final on the live chain, its own included. Set what that network's finality demands: a dropped block that was read already stops money.",
    wholeNumber(1, 1_000),
  ),
  chainRelayerKeyFile: text(
    "CHAIN_RELAYER_KEY_FILE",
    "File with the private key of the wallet that pays the gas on the live chain.",
  ),
  settleUsageSeconds: withDefault(
    "SETTLE_USAGE_SECONDS",
    "3600",
    "How often what production keys owe is paid on the live chain, in seconds.",
    wholeNumber(1, 86_400),
  ),
  fxRatesUrl: url(
    "FX_RATES_URL",
    http,
    "The daily XML of euro reference rates of the European Central Bank. Unset: rates of one day that come with the service.",
  ),
  masterKeyFile: text(
    "MASTER_KEY_FILE",
    "File with the 32-byte key that encrypts secrets and personal numbers. Unset: made in DATA_DIR; production needs it set.",
  ),
  smtpUrl: {
    name: "SMTP_URL",
    fallback: undefined,
    meaning:
      "The mail server that writes to guests, such as `smtps://user:password@mail.example.com`, or `smtp://` for STARTTLS; `?tls=optional` also takes one without. Unset: nobody is written to.",
    read: readMailServer,
  },
  mailFrom: {
    name: "MAIL_FROM",
    fallback: undefined,
    meaning: "Who those mails are from, such as `Wayfare <trips@example.com>`. Needed with SMTP_URL.",
    read: readMailbox,
  },
  rateLimitPerSecond: withDefault(
    "RATE_LIMIT_PER_SECOND",
    "100",
    "Calls per second and key in the long run.",
    wholeNumber(1, 1_000_000),
  ),
  rateLimitBurst: withDefault("RATE_LIMIT_BURST", "200", "Calls at once and key.", wholeNumber(1, 1_000_000)),
  refusedKeysPerMinute: withDefault(
    "REFUSED_KEYS_PER_MINUTE",
    "60",
    "Calls with a missing or invalid key that an address may send a minute before it is answered 429.",
    wholeNumber(1, 1_000_000),
  ),
  unpaidPerMinute: withDefault(
    "UNPAID_PER_MINUTE",
    "6000",
    "Requests that an address may send a minute to payment-gated tools without a payment before it is answered 429.",
    wholeNumber(1, 1_000_000),
  ),
  claimsPerMinute: withDefault(
    "CLAIMS_PER_MINUTE",
    "60",
    "Requests that an address may send a minute to look at trips and claim them with guest links before it is answered 429.",
    wholeNumber(1, 1_000_000),
  ),
  paymentBatchWindowMs: withDefault(
    "PAYMENT_BATCH_WINDOW_MS",
    "0",
    "How long payments for calls are gathered, to be settled in one transaction, in milliseconds. 0: each is settled by itself, at once.",
    wholeNumber(0, 60_000),
  ),
  x402FacilitatorUrl: url(
    "X402_FACILITATOR_URL",
    http,
    "An x402 facilitator that verifies and settles the payments of this NETWORK_MODE. Unset: the service does it itself.",
  ),
  x402FacilitatorTimeoutMs: withDefault(
    "X402_FACILITATOR_TIMEOUT_MS",
    "10000",
    "How long that facilitator may take for one answer, in milliseconds.",
    wholeNumber(100, 120_000),
  ),
  databasePoolSize: withDefault("DATABASE_POOL_SIZE", "10", "Database connections of a process.", wholeNumber(2, 500)),
  supplierSearchTimeoutMs: withDefault(
    "SUPPLIER_SEARCH_TIMEOUT_MS",
    "20000",
    "How long the supplier may collect offers, in milliseconds.",
    wholeNumber(2_000, 60_000),
  ),
  supplierCommitTimeoutMs: withDefault(
    "SUPPLIER_COMMIT_TIMEOUT_MS",
    "130000",
    "How long a booking or payment may take at the supplier, in milliseconds. Giving up earlier makes its outcome unknown.",
    wholeNumber(100, 300_000),
  ),
  supplierQuietMs: withDefault(
    "SUPPLIER_QUIET_MS",
    "260000",
    "After an unknown outcome: how long after sending a look-up that finds nothing proves that nothing happened, in milliseconds.",
    wholeNumber(100, 3_600_000),
  ),
  sandboxCommitTimeoutMs: withDefault(
    "SANDBOX_COMMIT_TIMEOUT_MS",
    "5000",
    "The same as SUPPLIER_COMMIT_TIMEOUT_MS, for the supplier sandbox.",
    wholeNumber(100, 300_000),
  ),
  sandboxQuietMs: withDefault(
    "SANDBOX_QUIET_MS",
    "10000",
    "The same as SUPPLIER_QUIET_MS, for the supplier sandbox.",
    wholeNumber(100, 3_600_000),
  ),
  sandboxBalanceUsdc: withDefault(
    "SANDBOX_BALANCE_USDC",
    "100000",
    "How much USDC, and as much EURC, a new tenant's wallet gets on the development chain.",
    developmentMoney,
  ),
  releaseDownloadsUrl: url(
    "RELEASE_DOWNLOADS_URL",
    http,
    "Where release artifacts lie: /downloads/x leads to x below this address. Unset: there are no downloads.",
  ),
  securityContact: {
    name: "SECURITY_CONTACT",
    fallback: undefined,
    meaning:
      "Where to report a vulnerability, as a mailto:, https: or tel: URI, for /.well-known/security.txt. Unset: there is none.",
    read: readContact,
  },
  securityContactExpires: {
    name: "SECURITY_CONTACT_EXPIRES",
    fallback: undefined,
    meaning:
      "Until when that contact holds, such as 2027-06-30T00:00:00Z; security.txt is served no longer. Needed with it.",
    read: readInstant,
  },
  logLevel: withDefault(
    "LOG_LEVEL",
    "warn",
    "Least level that is logged, to standard error as JSON lines.",
    oneOf("fatal", "error", "warn", "info", "debug", "silent"),
  ),
  breakGuard: withDefault(
    "BREAK_GUARD",
    "none",
    "Switches a guard off, so that a chaos run can show that it notices. Sandbox only; never set it otherwise.",
    oneOf("none", "idempotency", "durable-flush", "chain-look-up", "chain-log", "paid-claim", "servicing-lookup"),
  ),
} satisfies Record<string, Variable<unknown>>;

export type Config = { [Name in keyof typeof variables]: ReturnType<(typeof variables)[Name]["read"]> };

/** Says in one line what to do. */
export class ConfigError extends Error {}

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  function read<Value>(variable: Variable<Value>): Value {
    const value = environment[variable.name]?.trim();
    try {
      return variable.read(value === "" ? undefined : value);
    } catch (error) {
      problems.push(`${variable.name} ${error instanceof Error ? error.message : "cannot be read"}`);
      return variable.read(variable.fallback);
    }
  }
  const config: Config = {
    port: read(variables.port),
    edgePort: read(variables.edgePort),
    host: read(variables.host),
    dataDir: read(variables.dataDir),
    serve: read(variables.serve),
    databaseUrl: read(variables.databaseUrl),
    publicAppUrl: read(variables.publicAppUrl),
    publicEdgeUrl: read(variables.publicEdgeUrl),
    allowedHosts: read(variables.allowedHosts),
    allowedOrigins: read(variables.allowedOrigins),
    linkOrigins: read(variables.linkOrigins),
    mcpFastPath: read(variables.mcpFastPath),
    conformance: read(variables.conformance),
    networkMode: read(variables.networkMode),
    embeddedSandbox: read(variables.embeddedSandbox),
    supplierUrl: read(variables.supplierUrl),
    supplierToken: read(variables.supplierToken),
    supplierWebhookSecrets: read(variables.supplierWebhookSecrets),
    chainRpcUrl: read(variables.chainRpcUrl),
    chainUsdc: read(variables.chainUsdc),
    chainEurc: read(variables.chainEurc),
    chainEscrow: read(variables.chainEscrow),
    chainSplitter: read(variables.chainSplitter),
    chainPaymentBatch: read(variables.chainPaymentBatch),
    chainConfirmations: read(variables.chainConfirmations),
    chainRelayerKeyFile: read(variables.chainRelayerKeyFile),
    settleUsageSeconds: read(variables.settleUsageSeconds),
    fxRatesUrl: read(variables.fxRatesUrl),
    masterKeyFile: read(variables.masterKeyFile),
    smtpUrl: read(variables.smtpUrl),
    mailFrom: read(variables.mailFrom),
    rateLimitPerSecond: read(variables.rateLimitPerSecond),
    rateLimitBurst: read(variables.rateLimitBurst),
    refusedKeysPerMinute: read(variables.refusedKeysPerMinute),
    unpaidPerMinute: read(variables.unpaidPerMinute),
    claimsPerMinute: read(variables.claimsPerMinute),
    paymentBatchWindowMs: read(variables.paymentBatchWindowMs),
    x402FacilitatorUrl: read(variables.x402FacilitatorUrl),
    x402FacilitatorTimeoutMs: read(variables.x402FacilitatorTimeoutMs),
    databasePoolSize: read(variables.databasePoolSize),
    supplierSearchTimeoutMs: read(variables.supplierSearchTimeoutMs),
    supplierCommitTimeoutMs: read(variables.supplierCommitTimeoutMs),
    supplierQuietMs: read(variables.supplierQuietMs),
    sandboxCommitTimeoutMs: read(variables.sandboxCommitTimeoutMs),
    sandboxQuietMs: read(variables.sandboxQuietMs),
    sandboxBalanceUsdc: read(variables.sandboxBalanceUsdc),
    releaseDownloadsUrl: read(variables.releaseDownloadsUrl),
    securityContact: read(variables.securityContact),
    securityContactExpires: read(variables.securityContactExpires),
    logLevel: read(variables.logLevel),
    breakGuard: read(variables.breakGuard),
  };
  if (problems.length === 0) {
    problems.push(
      ...productionProblems(config),
      ...quietProblems(config),
      ...pairProblems(config),
      ...serveProblems(config),
    );
  }
  if (problems.length > 0) throw new ConfigError(`Not started: ${problems.join("; ")}.`);
  return config;
}

/** A request that is still on its way when its outcome is looked up passes for one that never was, and is paid twice. */
function quietProblems(config: Config): string[] {
  const pairs = [
    ["supplierQuietMs", "supplierCommitTimeoutMs"],
    ["sandboxQuietMs", "sandboxCommitTimeoutMs"],
  ] as const;
  return pairs
    .filter(([quiet, timeout]) => config[quiet] <= config[timeout])
    .map(([quiet, timeout]) => `${variables[quiet].name} must be longer than ${variables[timeout].name}`);
}

/** Each host says where the other one is. */
function serveProblems({ serve, port: appPort, edgePort, publicAppUrl, publicEdgeUrl }: Config): string[] {
  if (serve === "edge" && appPort === 0 && publicAppUrl === undefined) {
    return ["SERVE=edge needs to know where the application host is; set PORT or PUBLIC_APP_URL"];
  }
  if (serve === "app" && edgePort === 0 && publicEdgeUrl === undefined) {
    return ["SERVE=app needs to know where the edge host is; set EDGE_PORT or PUBLIC_EDGE_URL"];
  }
  return [];
}

/** Neither says enough alone; a contact without an expiry that somebody chose would be against RFC 9116. */
function pairProblems(config: Config): string[] {
  const pairs = [
    ["securityContact", "securityContactExpires"],
    ["smtpUrl", "mailFrom"],
  ] as const;
  return pairs
    .filter(([one, other]) => (config[one] === undefined) !== (config[other] === undefined))
    .map(([one, other]) => `${variables[one].name} and ${variables[other].name} must be set together`);
}

function productionProblems(config: Config): string[] {
  if (config.networkMode === "sandbox") {
    return config.embeddedSandbox === "off"
      ? [
          "EMBEDDED_SANDBOX is off and NETWORK_MODE is sandbox, so no key could be served; set NETWORK_MODE=production or EMBEDDED_SANDBOX=on",
        ]
      : [];
  }
  const needed = [
    "supplierUrl",
    "supplierToken",
    "chainRpcUrl",
    "chainUsdc",
    "chainEurc",
    "chainRelayerKeyFile",
    "masterKeyFile",
  ] as const;
  const missing = needed.filter((name) => config[name] === undefined).map((name) => variables[name].name);
  return [
    ...(missing.length === 0 ? [] : [`NETWORK_MODE=production also needs ${missing.join(", ")}`]),
    ...(config.breakGuard === "none" ? [] : ["BREAK_GUARD is for the sandbox only"]),
    ...(config.conformance === undefined ? [] : ["CONFORMANCE is for the sandbox only"]),
  ];
}
