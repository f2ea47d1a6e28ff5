import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { type BlockList, isIP, isIPv4, type Socket } from "node:net";
import { addressGroup, unmapped } from "./limits/client-address.ts";

/** For files, the database's connections, and outgoing requests. */
const OTHER_DESCRIPTORS = 256;
/** An address gets at most a quarter of a host's connections, whatever its configured limit. */
const SHARE_OF_ONE = 4;

export interface ConnectionLimits {
  /** The limit of a host. */
  most: number;
  /** Trusted proxies have no such limit: they stand for many clients. */
  mostOfAddress: number;
}

/** Divides the process's file descriptors among its hosts. */
export function connectionLimits(openFiles: number, hosts: number, wantedOfAddress: number): ConnectionLimits {
  const most = Math.max(SHARE_OF_ONE, Math.floor((openFiles - OTHER_DESCRIPTORS) / hosts));
  return { most, mostOfAddress: Math.min(wantedOfAddress, Math.floor(most / SHARE_OF_ONE)) };
}

/** The usual default, if the system does not tell. */
const COMMON_OPEN_FILES = 1_024;

/** The number of file descriptors that this process may have. */
export function readOpenFilesLimit(): number {
  try {
    const limit = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    if (limit === "unlimited") return Number.MAX_SAFE_INTEGER;
    return Number(limit ?? COMMON_OPEN_FILES);
  } catch {
    return COMMON_OPEN_FILES;
  }
}

/** Closes connections beyond the limits, which leave descriptors for outgoing requests and for other addresses. */
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
