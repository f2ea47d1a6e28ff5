import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import type { GuardName } from "../guards.ts";
import type { Host, Target } from "../target.ts";
import { closeAll, openWires, requestHead } from "../wire.ts";

const SLOW = 1_000;
const IDLE = 10_000;
const PIECE_EVERY_MILLISECONDS = 2_000;
/** How often the service looks for them, with as much again for a busy machine. */
const LATER_MILLISECONDS = 15_000;

interface SlowClients {
  name: string;
  guard: GuardName;
  hosts: readonly Host[];
  connections: number;
  memoryMegabytes: number;
  /** What each sends at first. */
  first: string;
  /** What each sends again and again. */
  again?: string;
  /** Closes its half after the first. */
  isHalfClosed?: boolean;
  /** After which the service has to close the connection. */
  limitMilliseconds: number;
}

/** Connections that give the service something to wait for: it must stop waiting. */
function slowClients(kind: SlowClients): Attack {
  const { name, guard, hosts, connections, memoryMegabytes } = kind;
  return {
    ...{ name, guard, hosts, takesLong: true },
    bounds: { memoryMegabytes, waitingRequests: connections + 30 },
    async begin(target: Target, host: Host) {
      const sockets = await openWires(target.urls[host], connections);
      const deadline = performance.now() + kind.limitMilliseconds + LATER_MILLISECONDS;
      for (const socket of sockets) start(socket, kind);
      while (sockets.some(({ closed }) => !closed) && performance.now() < deadline) {
        await delay(PIECE_EVERY_MILLISECONDS);
        if (kind.again === undefined) continue;
        for (const socket of sockets) if (socket.writable) socket.write(kind.again);
      }
      const open = sockets.filter(({ closed }) => !closed).length;
      const problems = open === 0 ? [] : [`${open} connections are still open`];
      return { calls: connections, problems, end: () => closeAll(sockets) };
    },
  };
}

function start(socket: Socket, { first, isHalfClosed = false }: SlowClients): void {
  // Told that it is over, such a client still keeps its side.
  if (isHalfClosed) socket.pause().end(first);
  else {
    socket.resume().once("end", () => socket.destroy());
    if (first !== "") socket.write(first);
  }
}

const POST = requestHead(
  "POST /tools/timezone_brief HTTP/1.1",
  "Host: attacked",
  "Content-Type: application/json",
  "Content-Length: 200000",
);

export const slowHeaders = slowClients({
  ...{ name: "slow headers", guard: "headers-timeout", hosts: ["app", "edge"], connections: SLOW, memoryMegabytes: 96 },
  first: "GET / HTTP/1.1\r\nHost: attacked\r\n",
  again: "X-Slow: 1\r\n",
  limitMilliseconds: 15_000,
});

export const slowBodies = slowClients({
  ...{ name: "slow bodies", guard: "request-timeout", hosts: ["edge"], connections: SLOW, memoryMegabytes: 96 },
  first: POST,
  again: " ",
  limitMilliseconds: 60_000,
});

export const halfClosed = slowClients({
  ...{ name: "half-closed and unread", guard: "idle-timeout", hosts: ["edge"], connections: 200, memoryMegabytes: 128 },
  first: requestHead("GET /openapi.json HTTP/1.1", "Host: attacked").repeat(20),
  isHalfClosed: true,
  limitMilliseconds: 60_000,
});

export const idleConnections = slowClients({
  ...{
    name: "10,000 idle connections",
    guard: "idle-timeout",
    hosts: ["app"],
    connections: IDLE,
    memoryMegabytes: 256,
  },
  first: "",
  limitMilliseconds: 60_000,
});
