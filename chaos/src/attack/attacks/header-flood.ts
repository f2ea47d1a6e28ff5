import type { Attack } from "../attack.ts";
import { closeAll, openWires, pour } from "../wire.ts";

const CONNECTIONS = 20;
const HEADERS = "X-Flood: ".padEnd(16_382, "x").concat("\r\n").repeat(256);

/** Headers without an end: 4 MB of them on each connection. */
export const headerFlood: Attack = {
  name: "header floods",
  hosts: ["app", "edge"],
  guard: "header-size",
  bounds: { memoryMegabytes: 48, waitingRequests: 20 },
  async begin(target, host) {
    const sockets = await openWires(target.urls[host], CONNECTIONS);
    await Promise.all(sockets.map((socket) => pour(socket.resume(), `GET / HTTP/1.1\r\nHost: attacked\r\n${HEADERS}`)));
    return { calls: CONNECTIONS, problems: [], end: () => closeAll(sockets) };
  },
};
