import { type BlockList, isIP, isIPv4, isIPv6 } from "node:net";

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * What a limit per address counts by. An IPv6 caller owns at least a /64, so one address of it would be no limit at all;
 * an IPv4 address stays one, also in the mapped form that dual-stack sockets report.
 */
export function addressGroup(remoteAddress: string | undefined): string {
  const [address = ""] = (remoteAddress ?? "").split("%", 1);
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return "unknown";
  const [head = "", tail] = address.split("::", 2);
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

/** With a port, as some proxies write it. */
const WITH_PORT = /^(?:\[(?<inner>[^\]]*)\]|(?<plain>[^:]*))(?::\d+)?$/;

/**
 * Who asks: the address that connects or, behind proxies that are trusted, the last one that the nearest of them was asked by. What
 * stands before that in `X-Forwarded-For` anybody may have written.
 */
export function clientAddress(
  connected: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: BlockList,
): string {
  const hops = (forwardedFor ?? "").split(",").map((hop) => hop.trim());
  let address = unmapped(connected ?? "");
  while (isIP(address) !== 0 && trustedProxies.check(address, isIPv4(address) ? "ipv4" : "ipv6")) {
    const hop = hops.pop() ?? "";
    const { inner, plain } = WITH_PORT.exec(hop)?.groups ?? {};
    const before = unmapped(inner ?? plain ?? hop);
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

/** An IPv4 address as it is, also where a socket of both kinds reports it. */
export function unmapped(address: string): string {
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}

/** Whether the caller runs on this machine. */
export function isLoopback(remoteAddress: string): boolean {
  const address = addressGroup(remoteAddress);
  return address.startsWith("127.") || address === "0:0:0:0::/64";
}
