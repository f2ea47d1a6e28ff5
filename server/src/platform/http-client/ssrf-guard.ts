import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/**
 * Keeps requests to addresses from callers out of the operator's own network. Used together with `HttpRequest.lookup`, once for
 * every redirect: `checkUrl` judges the address itself, `lookup` what its name resolves to. The socket then connects to the
 * very address that was judged, so a name that resolves differently a moment later gains nothing.
 */
export interface SsrfGuard {
  /** Returns the parsed address; throws `ForbiddenTarget`. */
  checkUrl(text: string): URL;
  lookup: LookupFunction;
}

export class ForbiddenTarget extends Error {
  constructor(why: string) {
    super(why);
    this.name = "ForbiddenTarget";
  }
}

export interface SsrfGuardOptions {
  protocols?: readonly string[];
  ports?: readonly number[];
  /** Permitted addresses that are not public, such as a document store in the operator's network. */
  permitted?: BlockList;
  /** Then http and any port, too, if the URL names a permitted address itself. */
  isPermittedOnAnyPort?: boolean;
  resolve?: typeof resolveAll;
}

/** Non-public IPv4 ranges (IANA special-purpose registry), including cloud metadata. */
const PRIVATE_IPV4: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
/** Non-public ranges within the global range of IPv6, and embedded IPv4 addresses. */
const PRIVATE_IPV6: readonly [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const forbidden = new BlockList();
for (const [network, prefix] of PRIVATE_IPV4) forbidden.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of PRIVATE_IPV6) forbidden.addSubnet(network, prefix, "ipv6");
/** Everything outside 2000::/3 (loopback, link-local, unique local, IPv4-mapped, NAT64) is refused by omission. */
const globalIpv6 = new BlockList();
globalIpv6.addSubnet("2000::", 3, "ipv6");

function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !forbidden.check(address, "ipv4");
  return family === 6 && globalIpv6.check(address, "ipv6") && !forbidden.check(address, "ipv6");
}

type ResolveCallback = (error: Error | null, addresses: LookupAddress[]) => void;

function resolveAll(host: string, options: LookupAllOptions, done: ResolveCallback): void {
  systemLookup(host, options, done);
}

export function createSsrfGuard(options: SsrfGuardOptions = {}): SsrfGuard {
  const protocols = options.protocols ?? ["https:"];
  const ports = options.ports ?? [443];
  const resolve = options.resolve ?? resolveAll;

  function allows(address: string): boolean {
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    return isPublic(address) || options.permitted?.check(address, family) === true;
  }

  return {
    checkUrl(text) {
      // The parser normalises decimal, octal, hexadecimal and full-width IPv4 addresses.
      const url = URL.parse(text);
      if (url === null) throw new ForbiddenTarget("not an address");
      const host = url.hostname.replace(/^\[|\]$/g, "");
      const isInside = options.isPermittedOnAnyPort === true && isIP(host) !== 0 && !isPublic(host) && allows(host);
      const isHttp = url.protocol === "http:" || url.protocol === "https:";
      if (!protocols.includes(url.protocol) && !(isInside && isHttp)) throw new ForbiddenTarget("protocol not allowed");
      if (url.username !== "" || url.password !== "") throw new ForbiddenTarget("user name or password in the address");
      const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
      if (!ports.includes(port) && !isInside) throw new ForbiddenTarget("port not allowed");
      if (isIP(host) !== 0 && !allows(host)) throw new ForbiddenTarget("not a public address");
      return url;
    },

    lookup(host, lookupOptions, done) {
      resolve(host, { family: 0, all: true }, (error, addresses) => {
        if (error !== null) return done(error, "", 4);
        // A private address among public ones is an attack or a mistake; both are refused.
        if (addresses.length === 0 || !addresses.every(({ address }) => allows(address))) {
          return done(new ForbiddenTarget("the name does not resolve to public addresses only"), "", 4);
        }
        const [first] = addresses;
        if (lookupOptions.all === true || first === undefined) return done(null, addresses);
        return done(null, first.address, first.family);
      });
    },
  };
}
