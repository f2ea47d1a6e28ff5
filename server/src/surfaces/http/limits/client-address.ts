import { type BlockList, isIP, isIPv4, isIPv6 } from "node:net";

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The unit of limits by address. An IPv6 caller owns at least a /64, so a limit on single addresses would be useless; an IPv4
 * address counts by itself, including in the mapped form that dual-stack sockets report.
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

/** Some proxies append the port. */
const WITH_PORT = /^(?:\[(?<inner>[^\]]*)\]|(?<plain>[^:]*))(?::\d+)?$/;

/**
 * The client's address: the peer's or, behind trusted proxies, the last one that the nearest of them reports. Earlier entries
 * of `X-Forwarded-For` can be forged.
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

/** Converts a mapped address of a dual-stack socket to plain IPv4. */
export function unmapped(address: string): string {
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}

/** Whether the caller runs on this machine. */
export function isLoopback(remoteAddress: string): boolean {
  const address = addressGroup(remoteAddress);
  return address.startsWith("127.") || address === "0:0:0:0::/64";
}
