import { once } from "node:events";
import { request as ask, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { BlockList } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BodyRoom } from "./bodies/body-room.ts";
import { answerWithEvents } from "./events-answer.ts";
import type { HttpHandler } from "./http.ts";
import { createNodeHost, type NodeHost } from "./node-host.ts";

/** Streams of events in each format, over the wire. */

const SIGNATURE = "t=1,v1=00";
const lines = [
  '{"type":"turn_started","sequence":4,"turnId":"trn_1"}',
  '{"type":"reply_delta","sequence":5,"text":"Grüße\\n"}',
  `{"type":"turn_ended","sequence":6,"reply":"Grüße\\n","signature":"${SIGNATURE}"}`,
];

async function* events() {
  for (const [index, line] of lines.entries()) yield { sequence: 4 + index, line };
}

let host: NodeHost;
let port: number;
let handler: HttpHandler;

beforeAll(async () => {
  host = createNodeHost({
    hot: () => (request) => handler(request),
    fallback: () => new Response(""),
    trustedProxies: new BlockList(),
    bodyRoom: new BodyRoom(8),
    connections: { most: 100, mostOfAddress: 100 },
    appUrl: () => "http://travel.example.com",
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  port = await host.listen(0, "127.0.0.1");
});
afterAll(() => host.close(0));

async function read(headers: IncomingHttpHeaders): Promise<{ incoming: IncomingMessage; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  ask({ port, host: "127.0.0.1", path: "/", headers }, resolve).on("error", reject).end();
  const incoming = await promise;
  let text = "";
  for await (const piece of incoming.setEncoding("utf8")) text += piece;
  return { incoming, text };
}

describe("events are answered", () => {
  beforeAll(() => {
    handler = (request) => answerWithEvents(request, events(), ([first]) => ({ turnId: first?.turnId }));
  });

  it.each([
    undefined,
    "*/*",
    "application/json, text/plain, */*",
    "text/html",
    "application/x-ndjson, text/event-stream",
  ])("as lines for who accepts %s, with the signature as a trailer", async (accept) => {
    const { incoming, text } = await read(accept === undefined ? {} : { accept });
    expect(incoming.headers["content-type"]).toBe("application/x-ndjson; charset=utf-8");
    expect(incoming.headers.trailer).toBe("x-service-sig");
    expect(text).toBe(lines.map((line) => `${line}\n`).join(""));
    expect(incoming.trailers).toEqual({ "x-service-sig": SIGNATURE });
  });

  it.each(["text/event-stream", "application/json, text/event-stream"])(
    "as server-sent events for who accepts %s",
    async (accept) => {
      const { incoming, text } = await read({ accept });
      expect(incoming.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
      expect(text).toBe(lines.map((line, index) => `id: ${4 + index}\ndata: ${line}\n\n`).join(""));
      expect(incoming.trailers).toEqual({ "x-service-sig": SIGNATURE });
    },
  );

  it("as one document for who accepts nothing but JSON", async () => {
    const { incoming, text } = await read({ accept: "application/json" });
    expect(incoming.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(JSON.parse(text)).toEqual({ ok: true, turnId: "trn_1", events: lines.map((line) => JSON.parse(line)) });
  });
});

it("a reader that leaves ends the stream, not only its next event", { timeout: 20_000 }, async () => {
  const ended = Promise.withResolvers<string>();
  async function* waitFor(signal: AbortSignal) {
    try {
      yield { sequence: 1, line: "{}" };
      if (!signal.aborted) await once(signal, "abort");
    } finally {
      ended.resolve("ended");
    }
  }
  handler = (request) => answerWithEvents(request, waitFor(request.signal));
  const headers = { accept: "text/event-stream" };
  const sent = ask({ port, host: "127.0.0.1", path: "/", headers }, (incoming) => {
    incoming.once("data", () => incoming.destroy());
  });
  sent.on("error", () => undefined).end();
  expect(await ended.promise).toBe("ended");
});

it("a reader that reads nothing holds up the events, and gets all of them later", { timeout: 60_000 }, async () => {
  const count = 200;
  const line = JSON.stringify({ text: "x".repeat(1_000_000) });
  let produced = 0;
  async function* produce() {
    for (; produced < count; produced += 1) yield { sequence: produced + 1, line };
  }
  handler = (request) => answerWithEvents(request, produce());
  const slow = Promise.withResolvers<IncomingMessage>();
  ask({ port, host: "127.0.0.1", path: "/" }, (incoming) => slow.resolve(incoming.pause())).end();
  const incoming = await slow.promise;
  // Whoever writes without waiting has written everything before the service answers others.
  handler = (request) => answerWithEvents(request, events());
  for (let turn = 0; turn < 50; turn += 1) await read({});
  expect(produced).toBeLessThan(count / 2);
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(incoming.resume(), "end");
  expect(bytes).toBeGreaterThanOrEqual(count * line.length);
});
