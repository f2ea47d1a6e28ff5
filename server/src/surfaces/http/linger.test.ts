import { once } from "node:events";
import { BlockList, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BodyRoom } from "./body-room.ts";
import type { HttpHandler } from "./http.ts";
import { createNodeHost, type NodeHost } from "./node-host.ts";
import { serveWeb } from "./web-adapter.ts";

/** Bodies that are refused while they are still being sent. */

const MEGABYTE = 1024 * 1024;
const MOST = 256 * 1024;

/** `/…/unread`: refused for something else, and the body is not looked at. */
const refuse: HttpHandler = async (request) => {
  if (request.path.endsWith("unread")) return { status: 401, headers: {}, body: "no key" };
  const body = await request.text(MOST).catch(() => "refused");
  return { status: body === "refused" ? 413 : 200, headers: {}, body };
};

let host: NodeHost;
let port: number;
/** The service's end of the latest connection. */
let served: Socket;
beforeEach(async () => {
  host = createNodeHost({
    hot: (path) => (path.startsWith("/hot") ? refuse : undefined),
    fallback: (request, client) => serveWeb(refuse, request, client),
    trustedProxies: new BlockList(),
    bodyRoom: new BodyRoom(8),
    connections: { most: 1_000, mostOfAddress: 1_000 },
    appUrl: () => "http://travel.example.com",
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  host.server.on("connection", (socket: Socket) => {
    served = socket;
  });
  port = await host.listen(0, "127.0.0.1");
});
afterEach(() => host.close(0));

const sized = (bytes: number) => [`Content-Length: ${bytes}`, "x".repeat(bytes)] as const;

function chunked(bytes: number, pieceBytes: number) {
  const piece = `${pieceBytes.toString(16)}\r\n${"x".repeat(pieceBytes)}\r\n`;
  return ["Transfer-Encoding: chunked", `${piece.repeat(bytes / pieceBytes)}0\r\n\r\n`] as const;
}

/** As clients do that send a whole body before they read: what the system tells them before that is an error for them. */
async function sendThenRead(path: string, [header, body]: readonly [string, string]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).pause();
  const error = once(socket, "error").then(([{ code }]) => String(code));
  const answer = async () => {
    await new Promise<void>((resolve) =>
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`, () => resolve()),
    );
    await new Promise<void>((resolve) => socket.write(body, () => resolve()));
    const [data] = await once(socket.resume(), "data", { signal: AbortSignal.timeout(20_000) });
    return String(data).split(" ")[1] ?? "";
  };
  const outcome = await Promise.race([error, answer()]);
  socket.destroy();
  return outcome;
}

describe.each(["/hot", "/else"])("a client at %s that sends more than it may", (path) => {
  it("sees why it was refused, although it sends all before it reads", async () => {
    for (const body of [sized(20 * MEGABYTE), chunked(20 * MEGABYTE, 64 * 1024)]) {
      expect(await sendThenRead(path, body)).toBe("413");
      expect(await sendThenRead(`${path}/unread`, body)).toBe("401");
    }
    const body = new Blob(["x".repeat(20 * MEGABYTE)]);
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body });
    expect([answer.status, await answer.text()]).toEqual([413, "refused"]);
  });

  it("is not read without an end: neither many bytes nor many small pieces", async () => {
    for (const from of [path, `${path}/unread`]) {
      await sendThenRead(from, chunked(80 * MEGABYTE, 64 * 1024));
      await closed();
      expect(served.bytesRead).toBeLessThan(40 * MEGABYTE);
      await sendThenRead(from, chunked(200_000, 1));
      await closed();
      expect(served.bytesRead).toBeLessThan(6 * 60_000);
    }
  });

  it("is not waited for when it has stopped sending", async () => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => undefined);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${MEGABYTE}\r\n\r\n`);
    const [data] = await once(socket, "data");
    expect(String(data)).toContain("413");
    await closed();
    socket.destroy();
  });
});

async function closed(): Promise<void> {
  if (!served.closed) await once(served, "close", { signal: AbortSignal.timeout(20_000) });
}
