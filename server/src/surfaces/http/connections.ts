import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { type BlockList, isIP, isIPv4, type Socket } from "node:net";
import { addressGroup, unmapped } from "./limits/client-address.ts";

/** Files, the database's connections, and what is asked outside. */
const OTHER_DESCRIPTORS = 256;
/** One address has a quarter of a host's connections at most, however many it may have elsewhere. */
const SHARE_OF_ONE = 4;

export interface ConnectionLimits {
  /** Of one host. */
  most: number;
  /** Proxies that are trusted have no limit of their own: they stand for many. */
  mostOfAddress: number;
}

/** What the process has descriptors for, shared by its hosts. */
export function connectionLimits(openFiles: number, hosts: number, wantedOfAddress: number): ConnectionLimits {
  const most = Math.max(SHARE_OF_ONE, Math.floor((openFiles - OTHER_DESCRIPTORS) / hosts));
  return { most, mostOfAddress: Math.min(wantedOfAddress, Math.floor(most / SHARE_OF_ONE)) };
}

/** Where the system does not say, it is what systems commonly give. */
const COMMON_OPEN_FILES = 1_024;

/** How many descriptors this process may have. */
export function readOpenFilesLimit(): number {
  try {
    const limit = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    if (limit === "unlimited") return Number.MAX_SAFE_INTEGER;
    return Number(limit ?? COMMON_OPEN_FILES);
  } catch {
    return COMMON_OPEN_FILES;
  }
}

/** Closes connections beyond the limits. Descriptors are left for what is asked outside, and for other addresses. */
export function limitConnections(server: Server, limits: ConnectionLimits, trustedProxies: BlockList): void {
  const byAddress = new Map<string, number>();
  server.maxConnections = limits.most;
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (isTrusted(remoteAddress, trustedProxies)) return;
    const address = addressGroup(remoteAddress);
    const count = (byAddress.get(address) ?? 0) + 1;
    if (count > limits.mostOfAddress) {
      socket.destroy();
      return;
    }
    byAddress.set(address, count);
    socket.once("close", () => {
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left === 0) byAddress.delete(address);
      else byAddress.set(address, left);
    });
  });
}

function isTrusted(remoteAddress: string | undefined, trustedProxies: BlockList): boolean {
  const address = unmapped(remoteAddress ?? "");
  return isIP(address) !== 0 && trustedProxies.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}
