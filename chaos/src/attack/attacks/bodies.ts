import type { Attack } from "../attack.ts";
import type { Host, Target } from "../target.ts";
import { closeAll, isTaken, openWires, pour, requestHead } from "../wire.ts";

/** One byte each; together smaller than the limit of a body. */
const PIECES = 100_000;
const PIECED_BODIES = 4;
const OVERSIZED_BODIES = 8;
/** Far more than a document may have. */
const OVERSIZED_BYTES = 40 * 1024 * 1024;

const paths = { app: "/api/agent/dispatch", edge: "/mcp" };

const buildHead = ({ apiKey }: Target, host: Host): string =>
  requestHead(
    `POST ${paths[host]} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${apiKey}`,
    "Content-Type: application/json",
    "Transfer-Encoding: chunked",
  );

async function pourBodies(target: Target, host: Host, { count, body }: { count: number; body: string }) {
  const sockets = await openWires(target.urls[host], count);
  await Promise.all(sockets.map((socket) => pour(socket.resume(), buildHead(target, host) + body)));
  await isTaken(target, sockets);
  return { calls: count, problems: [], end: () => closeAll(sockets) };
}

/** Bodies in pieces of one byte, which never end. */
export const piecedBodies: Attack = {
  name: "bodies in pieces of one byte",
  hosts: ["app", "edge"],
  guard: "body-pieces",
  bounds: { memoryMegabytes: 56, waitingRequests: 30 },
  begin: (target, host) => pourBodies(target, host, { count: PIECED_BODIES, body: "1\r\n \r\n".repeat(PIECES) }),
};

/** Bodies that are far too long and do not say so. */
export const oversizedBodies: Attack = {
  name: "oversized JSON",
  hosts: ["app", "edge"],
  guard: "body-room",
  // The key may send documents: a quarter of `BODY_MEMORY_MB`, and what was copied while it grew.
  bounds: { memoryMegabytes: 112, waitingRequests: 30 },
  begin(target, host) {
    const piece = 64 * 1024;
    const chunk = `${piece.toString(16)}\r\n${" ".repeat(piece)}\r\n`;
    return pourBodies(target, host, { count: OVERSIZED_BODIES, body: chunk.repeat(OVERSIZED_BYTES / piece) });
  },
};
