import { modelProblems } from "./model-variables.ts";
import type { Variable } from "./values.ts";
import { variables } from "./variables.ts";

export { variables };

export type Config = { [Name in keyof typeof variables]: ReturnType<(typeof variables)[Name]["read"]> };

const MOST_SANDBOX_DRAIN_SECONDS = 4;

/** The message says in one line what to do. */
export class ConfigError extends Error {}

/** The only reader of the environment: one typed object, read once. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const read = (variable: Variable<unknown>): unknown => {
    const value = environment[variable.name]?.trim();
    try {
      return variable.read(value === "" ? undefined : value);
    } catch (error) {
      problems.push(`${variable.name} ${error instanceof Error ? error.message : "cannot be read"}`);
      return variable.read(variable.fallback);
    }
  };
  const values: Config = Object.assign(
    {},
    ...Object.entries(variables).map(([name, variable]) => ({ [name]: read(variable) })),
  );
  // In sandbox mode a stop takes at most ten seconds, whatever runs.
  const mostDrainSeconds = values.networkMode === "sandbox" ? MOST_SANDBOX_DRAIN_SECONDS : Number.POSITIVE_INFINITY;
  const config = { ...values, drainSeconds: Math.min(values.drainSeconds, mostDrainSeconds) };
  if (problems.length === 0) {
    problems.push(
      ...productionProblems(config),
      ...quietProblems(config),
      ...pairProblems(config),
      ...modelProblems(config),
      ...serveProblems(config),
    );
  }
  if (problems.length > 0) throw new ConfigError(`Not started: ${problems.join("; ")}.`);
  return config;
}

/** A request still on its way when its outcome is looked up would count as never sent, and be paid twice. */
function quietProblems(config: Config): string[] {
  const pairs = [
    ["supplierQuietMilliseconds", "supplierCommitTimeoutMilliseconds"],
    ["sandboxQuietMilliseconds", "sandboxCommitTimeoutMilliseconds"],
  ] as const;
  return pairs
    .filter(([quiet, timeout]) => config[quiet] <= config[timeout])
    .map(([quiet, timeout]) => `${variables[quiet].name} must be longer than ${variables[timeout].name}`);
}

/** Each host must know the other one's address. */
function serveProblems({ serve, port: appPort, edgePort, publicAppUrl, publicEdgeUrl }: Config): string[] {
  if (serve === "edge" && appPort === 0 && publicAppUrl === undefined) {
    return ["SERVE=edge needs to know where the application host is; set PORT or PUBLIC_APP_URL"];
  }
  if (serve === "app" && edgePort === 0 && publicEdgeUrl === undefined) {
    return ["SERVE=app needs to know where the edge host is; set EDGE_PORT or PUBLIC_EDGE_URL"];
  }
  return [];
}

/** Settings that are useful only together; RFC 9116, for example, requires an expiry for a contact. */
function pairProblems(config: Config): string[] {
  const pairs = [
    ["securityContact", "securityContactExpires"],
    ["smtpUrl", "mailFrom"],
    ["emailDkimSelector", "emailDkimKey"],
    ["visionModelUrl", "visionModel"],
  ] as const;
  return pairs
    .filter(([one, other]) => (config[one] === undefined) !== (config[other] === undefined))
    .map(([one, other]) => `${variables[one].name} and ${variables[other].name} must be set together`);
}

/** Ratings need a registry of agents, and both need the code that lets wallets write to them. */
function registryProblems(config: Config): string[] {
  const together = ["chainAgentIdentity", "chainAgentReputation", "chainWalletCalls"] as const;
  const areThere = together.filter((name) => config[name] !== undefined);
  const isLone = areThere.length === 0 && config.chainAgentValidation !== undefined;
  if (!isLone && (areThere.length === 0 || areThere.length === together.length)) return [];
  const names = together.map((name) => variables[name].name);
  return [`${names.join(", ")} must be set together, also for CHAIN_AGENT_VALIDATION`];
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
    "chainRelayerKeyFile",
    "masterKeyFile",
  ] as const;
  const missing = needed.filter((name) => config[name] === undefined).map((name) => variables[name].name);
  return [
    ...(missing.length === 0 ? [] : [`NETWORK_MODE=production also needs ${missing.join(", ")}`]),
    ...batchProblems(config),
    ...registryProblems(config),
    ...trustProblems(config),
  ];
}

/** The widest private networks, where proxies may be: `10.0.0.0/8`, and `fc00::/7`. */
const WIDEST_PREFIX = { ipv4: 8, ipv6: 7 };

/**
 * A trusted proxy names the clients that it forwards; a stranger could name anyone. A page over plain HTTP can be replaced by
 * anyone, and guests show it their secret.
 */
function trustProblems({ trustedProxies, linkOrigins }: Config): string[] {
  const isWide = trustedProxies.rules.some((rule) => {
    const [, family, prefix] = /(IPv4|IPv6) \S+\/(\d+)$/.exec(rule) ?? [];
    return Number(prefix) < (family === "IPv4" ? WIDEST_PREFIX.ipv4 : WIDEST_PREFIX.ipv6);
  });
  const plain = linkOrigins.filter((origin) => isPlainHttp(origin));
  return [
    ...(isWide ? ["TRUSTED_PROXIES trusts strangers; name the addresses of your own proxies"] : []),
    ...(plain.length > 0 ? [`LINK_ORIGINS must be https in production, and ${plain.join(", ")} is not`] : []),
  ];
}

/** Connections to this machine need no encryption. */
export function isPlainHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Batched payments would wait for a missing contract. A facilitator's payments are not batched. */
function batchProblems(config: Config): string[] {
  const { paymentBatchWindowMilliseconds, chainPaymentBatch, x402FacilitatorUrl } = config;
  const isGathered = paymentBatchWindowMilliseconds > 0 && x402FacilitatorUrl === undefined;
  if (!isGathered || chainPaymentBatch !== undefined) return [];
  return ["PAYMENT_BATCH_WINDOW_MS needs CHAIN_PAYMENT_BATCH on a live chain; set it, or leave the window at 0"];
}
