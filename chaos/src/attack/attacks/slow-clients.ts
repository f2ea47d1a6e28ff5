import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { connectionLimits, readOpenFilesLimit } from "../../../../server/src/surfaces/http/connections.ts";
import type { Attack } from "../attack.ts";
import type { GuardName } from "../guards.ts";
import type { Host, Target } from "../target.ts";
import { closeAll, openWires, requestHead } from "../wire.ts";

const SLOW = 1_000;
const IDLE = 10_000;
const UNREAD = 200;
const UNREAD_ANSWERS = 20;
const PIECE_EVERY_MILLISECONDS = 2_000;
/** A connection is open for its client before a busy service has taken it. */
const TAKEN_WITHIN_MILLISECONDS = 10_000;
const LOOK_EVERY_MILLISECONDS = 20;
/** How often the service looks for them, with as much again for a busy machine. */
const LATER_MILLISECONDS = 15_000;
/** Connections of others, which come and go. */
const OTHERS = 20;
/** Connections of the equal load before, which are counted as those of others until they are closed. */
const EARLIER = 100;
/** The service's hosts, which share its open files. */
const HOSTS = 2;

interface SlowClients {
  name: string;
  guard: GuardName;
  connections: number;
  memoryMegabytes: number;
  /** Those of all its connections together. */
  waitingRequests: number;
  /** How many requests that is of each. */
  requestsEach?: number;
  /** The first data of each client. */
  first(target: Target, host: Host): string;
  /** The data that each client repeats. */
  again?: string;
  /** Closes its half after the first, and reads nothing. */
  isHalfClosed?: boolean;
  /** After which the service has to close the connection. */
  limitMilliseconds: number;
}

/** The service closes what its limit of open files has no room for, which is another guard than the one under attack. */
function mostConnections(): number {
  return connectionLimits(readOpenFilesLimit(), HOSTS, Number.MAX_SAFE_INTEGER).most - OTHERS;
}

/** Connections that give the service something to wait for: it must stop waiting. */
function slowClients(kind: SlowClients): Attack {
  const { name, guard, memoryMegabytes } = kind;
  const connections = Math.min(kind.connections, mostConnections());
  return {
    name,
    guard,
    hosts: ["app", "edge"],
    takesLong: true,
    bounds: { memoryMegabytes, memoryAt: "held", waitingRequests: kind.waitingRequests + OTHERS },
    async begin(target, host) {
      // The service is asked how many it holds: a client that reads nothing is not told that it was closed.
      const others = (await target.read()).connections;
      const held = async () => (await target.read()).connections - others;
      const sockets = await openWires(target.urls[host], connections);
      let opened = await held();
      const takenBy = performance.now() + TAKEN_WITHIN_MILLISECONDS;
      while (opened < connections - EARLIER && performance.now() < takenBy) {
        await delay(LOOK_EVERY_MILLISECONDS);
        opened = Math.max(opened, await held());
      }
      const deadline = performance.now() + kind.limitMilliseconds + LATER_MILLISECONDS;
      const first = kind.first(target, host);
      for (const socket of sockets) start(socket, first, kind);
      let open = opened;
      let isCollected = false;
      while (open > OTHERS && performance.now() < deadline) {
        await delay(PIECE_EVERY_MILLISECONDS);
        if (kind.again !== undefined) for (const socket of sockets) if (socket.writable) socket.write(kind.again);
        open = await held();
        opened = Math.max(opened, open);
        if (!isCollected) await target.collect();
        isCollected = true;
      }
      const problems = [
        ...(opened >= connections - EARLIER ? [] : [`only ${opened} connections were opened: see "ulimit -n"`]),
        ...(open <= OTHERS ? [] : [`${open} connections are still open`]),
      ];
      return { calls: connections * (kind.requestsEach ?? 1), problems, end: () => closeAll(sockets) };
    },
  };
}

function start(socket: Socket, first: string, { isHalfClosed = false }: SlowClients): void {
  // Told that it is over, such a client still keeps its side.
  if (isHalfClosed) socket.pause().end(first);
  else {
    socket.resume().once("end", () => socket.destroy());
    if (first !== "") socket.write(first);
  }
}

export const slowHeaders = slowClients({
  name: "slow headers",
  guard: "headers-timeout",
  connections: SLOW,
  memoryMegabytes: 96,
  waitingRequests: 0,
  first: () => "GET / HTTP/1.1\r\nHost: attacked\r\n",
  again: "X-Slow: 1\r\n",
  limitMilliseconds: 15_000,
});

export const slowBodies = slowClients({
  name: "slow bodies",
  guard: "body-timeout",
  connections: SLOW,
  memoryMegabytes: 24,
  waitingRequests: SLOW,
  first: ({ apiKey }, host) =>
    requestHead(
      `POST ${host === "app" ? "/api/agent/dispatch" : "/mcp"} HTTP/1.1`,
      "Host: localhost",
      `Authorization: Bearer ${apiKey}`,
      "Content-Type: application/json",
      "Content-Length: 200000",
    ),
  again: " ",
  limitMilliseconds: 30_000,
});

export const halfClosed = slowClients({
  name: "half-closed and unread",
  guard: "idle-timeout",
  connections: UNREAD,
  memoryMegabytes: 128,
  waitingRequests: UNREAD * UNREAD_ANSWERS,
  requestsEach: UNREAD_ANSWERS,
  first: (_target, host) =>
    requestHead(`GET ${host === "app" ? "/api" : ""}/openapi.json HTTP/1.1`, "Host: attacked").repeat(UNREAD_ANSWERS),
  isHalfClosed: true,
  // Node takes what the system still took of the first answer for movement, and looks once more.
  limitMilliseconds: 120_000,
});

/** A connection that sends nothing is one whose headers take too long. */
export const idleConnections = slowClients({
  name: "10,000 idle connections",
  guard: "headers-timeout",
  connections: IDLE,
  memoryMegabytes: 256,
  waitingRequests: 0,
  first: () => "",
  limitMilliseconds: 15_000,
});
