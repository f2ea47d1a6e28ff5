import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import type { Target } from "../target.ts";
import { WAITING_TOOL } from "../waiting-tool.ts";
import { closeAll, openWires, requestHead } from "../wire.ts";

const STREAMS = 60;
const POLL_MILLISECONDS = 20;
const OPEN_LIMIT_MILLISECONDS = 30_000;
const LEFT_LIMIT_MILLISECONDS = 3_000;

async function untilStreams(target: Target, count: number, milliseconds: number): Promise<number> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const { runningStreams } = await target.read();
    if (runningStreams === count || performance.now() > deadline) return runningStreams;
    await delay(POLL_MILLISECONDS);
  }
}

/** Calls over MCP that are answered as a stream, whose callers go away while the tool still works. */
export const leftStreams: Attack = {
  name: "MCP streams opened and left",
  hosts: ["app", "edge"],
  guard: "gone-signal",
  bounds: { memoryMegabytes: 96, waitingRequests: STREAMS + 30 },
  async begin(target, host) {
    const sockets = await openWires(target.urls[host], STREAMS);
    const params = { name: WAITING_TOOL, arguments: {}, _meta: { progressToken: 1 } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const head = requestHead(
      `POST ${host === "app" ? "/api/mcp" : "/mcp"} HTTP/1.1`,
      "Host: localhost",
      `Authorization: Bearer ${target.apiKey}`,
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      `Content-Length: ${body.length}`,
    );
    for (const socket of sockets) socket.resume().write(head + body);
    const opened = await untilStreams(target, STREAMS, OPEN_LIMIT_MILLISECONDS);
    await closeAll(sockets);
    const left = await untilStreams(target, 0, LEFT_LIMIT_MILLISECONDS);
    const problems = [
      ...(opened === STREAMS ? [] : [`only ${opened} streams were opened`]),
      ...(left === 0 ? [] : [`${left} calls still run for callers who have gone`]),
    ];
    return { calls: STREAMS, problems, end: async () => undefined };
  },
};
