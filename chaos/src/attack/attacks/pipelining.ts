import type { Attack } from "../attack.ts";
import { closeAll, isTaken, openWire, pour, requestHead } from "../wire.ts";

const REQUESTS = 6_000;

/** Long answers that nobody reads: what is asked behind them has to wait. */
const LONG = { app: "/api/openapi.json", edge: "/openapi.json" };

/** Requests in a row on one connection, of whose answers none is read. */
export const pipelining: Attack = {
  name: "pipelined requests",
  hosts: ["app", "edge"],
  guard: "waiting-requests",
  // The parser hands over all that one read of the socket holds before the connection is closed.
  bounds: { memoryMegabytes: 96, waitingRequests: 2_500 },
  async begin(target, host) {
    const socket = await openWire(target.urls[host]);
    socket.pause();
    const get = (path: string) => requestHead(`GET ${path} HTTP/1.1`, "Host: attacked");
    await pour(socket, get(LONG[host]).repeat(20) + get("/healthz").repeat(REQUESTS));
    await isTaken(target, [socket]);
    return { calls: REQUESTS, problems: [], end: () => closeAll([socket]) };
  },
};
