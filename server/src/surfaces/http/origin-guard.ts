import { isIP } from "node:net";
import type { HttpRequest } from "./http.ts";

export interface OriginGuardOptions {
  publicUrls: readonly string[];
  /** Lower case. */
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}

/** Why a request is refused; undefined: it is allowed. */
export type OriginGuard = (request: Pick<HttpRequest, "header">) => string | undefined;

/** Accepted Host headers and origins are cached: parsing them costs more than the rest of this. */
const MAXIMUM_REMEMBERED = 1_000;

/**
 * Refuses pages of other sites, including those whose name was made to resolve to this machine (DNS rebinding). A literal IP
 * address cannot be rebound.
 */
export function createOriginGuard(options: OriginGuardOptions): OriginGuard {
  const publicUrls = options.publicUrls.map((url) => new URL(url));
  const hosts = new Set(["localhost", ...publicUrls.map((url) => url.hostname), ...options.allowedHosts]);
  const origins = new Set([...publicUrls.map((url) => url.origin), ...options.allowedOrigins]);
  const goodHost = remember((header) => {
    const url = parse(`http://${header}`);
    return url !== undefined && url.host !== "" && (hosts.has(url.hostname) || isAddress(url.hostname));
  });
  const goodOrigin = remember((header) => {
    const url = parse(header);
    return url !== undefined && (origins.has(url.origin) || (url.protocol.startsWith("http") && isLocal(url.hostname)));
  });
  return (request) => {
    const host = request.header("host");
    if (host === undefined || !goodHost(host)) {
      return "This host name is not one of the service's. The operator can add it with ALLOWED_HOSTS.";
    }
    const origin = request.header("origin");
    if (origin === undefined || goodOrigin(origin)) return undefined;
    return "Web pages from this origin may not call the service. The operator can add it with ALLOWED_ORIGINS.";
  };
}

function remember(check: (header: string) => boolean): (header: string) => boolean {
  const good = new Set<string>();
  return (header) => {
    if (good.has(header)) return true;
    if (!check(header)) return false;
    if (good.size < MAXIMUM_REMEMBERED) good.add(header);
    return true;
  };
}

function parse(text: string): URL | undefined {
  return URL.parse(text) ?? undefined;
}

function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
}

function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
