import { once } from "node:events";
import { BlockList, connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createBuyer } from "../../../../test/support/paid.ts";
import { startTestService, type TestService } from "../../../../test/support/service.ts";
import type { HttpHandler } from "../http.ts";
import { createNodeHost, type NodeHost } from "../node-host.ts";
import { serveWeb } from "../web-adapter.ts";
import { BodyRoom } from "./body-room.ts";

/** Incomplete bodies, by raw sockets. */

const MEGABYTE = 1024 * 1024;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Sent {
  socket: Socket;
  /** Undefined: not answered yet. */
  status(): number | undefined;
  text(): string;
}

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

/** Sends the head and a body of `length` bytes except the last. */
async function sendPart(url: string, head: readonly string[], length: number): Promise<Sent> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  opened.push(socket);
  let text = "";
  socket
    .on("error", () => undefined)
    .on("data", (data: Buffer) => {
      text += data.toString();
    });
  await once(socket, "connect");
  const lines = [`POST ${pathname} HTTP/1.1`, "Host: localhost", "Content-Type: application/json", ...head];
  socket.write(`${lines.join("\r\n")}\r\nContent-Length: ${length}\r\n\r\n${" ".repeat(length - 1)}`);
  return {
    socket,
    text: () => text,
    status: () => (text === "" ? undefined : Number(text.split(" ")[1])),
  };
}

const unanswered = (sent: readonly Sent[]) => sent.filter(({ status }) => status() === undefined);
const listStatuses = (sent: readonly Sent[]) => [...new Set(sent.map(({ status }) => status()))];

describe("a host", () => {
  let host: NodeHost | undefined;
  afterEach(() => host?.close(0));

  async function open(handler: HttpHandler, slowestBodyMilliseconds: number): Promise<string> {
    host = createNodeHost({
      hot: (path) => (path === "/hot" ? handler : undefined),
      fallback: (request, client) => serveWeb(handler, request, client),
      slowestBodyMilliseconds,
      trustedProxies: new BlockList(),
      bodyRoom: new BodyRoom(8),
      connections: { most: 1_000, mostOfAddress: 1_000 },
      appUrl: () => "http://travel.example.com",
      log: silent,
    });
    return `http://127.0.0.1:${await host.listen(0, "127.0.0.1")}`;
  }

  it.each(["/hot", "/else"])("stops waiting for a body at %s, says why, and closes the connection", async (path) => {
    let refusal: unknown;
    const url = await open(async (request) => {
      await request.text(100).catch((error: unknown) => {
        refusal = error;
      });
      return { status: 408, headers: {}, body: "late" };
    }, 50);
    const { socket, status } = await sendPart(`${url}${path}`, [], 10);
    await once(socket, "close");
    expect(status()).toBe(408);
    expect(refusal).toMatchObject({ code: "request_timeout", detail: expect.stringContaining("0.05 s") });
  });

  it.each(["/hot", "/else"])("takes a caller who leaves in the middle of a body at %s for that", async (path) => {
    const begun = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<unknown>();
    const url = await open(async (request) => {
      const reading = request.text(100);
      begun.resolve();
      await reading.catch(refused.resolve);
      return { status: 400, headers: {}, body: "" };
    }, 60_000);
    const { socket } = await sendPart(`${url}${path}`, [], 10);
    await begun.promise;
    socket.destroy();
    expect(await refused.promise).toMatchObject({ code: "malformed_json" });
  });
});

describe("the service", () => {
  /** A quarter of it for one sender. */
  const ROOM_MEGABYTES = 8;
  const LONGEST = MEGABYTE;
  const CALL = 256 * 1024;
  const SIGNED = `X-Duffel-Signature: t=${Math.floor(Date.now() / 1_000)},v1=${"0".repeat(64)}`;
  let service: TestService;
  let hook: string;
  let forged: string;

  beforeAll(async () => {
    service = await startTestService({ BODY_MEMORY_MB: String(ROOM_MEGABYTES), TRUSTED_PROXIES: "127.0.0.1" });
    hook = `${service.appUrl}/api/webhooks/supplier`;
    forged = `Payment-Signature: ${await createBuyer(service).sign("search_flights")}`;
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  const from = (address: string) => `X-Forwarded-For: ${address}`;
  const key = () => `Authorization: Bearer ${service.apiKey}`;
  const sendMany = (count: number, send: (index: number) => Promise<Sent>) =>
    Promise.all(Array.from({ length: count }, (_, index) => send(index)));

  async function expectHeld(sent: readonly Sent[], most: number, status: number): Promise<void> {
    await expect.poll(() => unanswered(sent).length).toBeLessThanOrEqual(most);
    expect(unanswered(sent).length).toBeGreaterThan(0);
    const answered = sent.filter((one) => one.status() !== undefined);
    expect(listStatuses(answered)).toEqual([status]);
    expect(answered[0]?.text()).toMatch(/retry-after: \d+/i);
  }

  it.each([
    ["no signature", []],
    ["something else than a signature", ["X-Duffel-Signature: t=1,v1=zz"]],
    ["a signature of long ago", [`X-Duffel-Signature: t=1700000000,v1=${"0".repeat(64)}`]],
  ])("an event with %s is refused before its body has arrived", async (_name, head) => {
    const { status } = await sendPart(hook, head, LONGEST);
    await expect.poll(status).toBe(401);
  });

  it("incomplete bodies of one address take a quarter of the room, and others are read beside them", async () => {
    const sent = await sendMany(20, () => sendPart(hook, [SIGNED, from("198.51.100.1")], LONGEST));
    await expectHeld(sent, ROOM_MEGABYTES / 4, 429);
    const other = await sendPart(hook, [SIGNED, from("198.51.100.2")], LONGEST);
    other.socket.write(" ");
    await expect.poll(other.status).toBe(401);
    const [held] = unanswered(sent);
    held?.socket.write(" ");
    await expect.poll(() => held?.status()).toBe(401);
  });

  it("bodies of callers without a key leave half of the room to callers with one", async () => {
    const sent = await sendMany(20, (index) => sendPart(hook, [SIGNED, from(`198.51.101.${index}`)], LONGEST));
    await expectHeld(sent, ROOM_MEGABYTES / 2, 503);
    const own = await sendPart(`${service.appUrl}/api/agent/dispatch`, [key(), from("198.51.101.200")], CALL);
    own.socket.write(" ");
    await expect.poll(own.status).toBe(400);
  });

  it.each([
    ["dispatch", () => `${service.appUrl}/api/agent/dispatch`],
    ["MCP of the application host", () => `${service.appUrl}/api/mcp`],
    ["MCP of the edge host", () => `${service.edgeUrl}/mcp`],
    ["a route", () => `${service.appUrl}/api/workflows/run`],
  ])("bodies with one key from everywhere take a quarter of the room at %s", async (_name, url) => {
    const sent = await sendMany(24, (index) => sendPart(url(), [key(), from(`198.51.102.${index}`)], CALL));
    await expectHeld(sent, (ROOM_MEGABYTES * MEGABYTE) / 4 / CALL, 429);
    // A body that arrives at once needs no room.
    expect((await service.call("timezone_brief", { latitude: 48.2, longitude: 16.4 })).status).toBe(200);
  });

  it("bodies with forged payments count like all others, on both hosts together", async () => {
    const url = `${service.edgeUrl}/tools/search_flights`;
    const sent = await sendMany(24, () => sendPart(url, [forged, from("198.51.103.1")], CALL));
    await expectHeld(sent, (ROOM_MEGABYTES * MEGABYTE) / 4 / CALL, 429);
    const beside = await sendPart(hook, [SIGNED, from("198.51.103.1")], LONGEST);
    await expect.poll(beside.status).toBe(429);
  });

  it("one sender has a limited number of pending bodies, however short they are", async () => {
    const sent = await sendMany(300, () => sendPart(hook, [SIGNED, from("198.51.104.1")], 10));
    await expectHeld(sent, 256, 429);
    expect(unanswered(sent)).toHaveLength(256);
    for (const { socket } of sent) socket.destroy();
    // A client that leaves gives its place back.
    await expect
      .poll(async () => {
        const again = await sendPart(hook, [SIGNED, from("198.51.104.1")], 10);
        again.socket.write(" ");
        await once(again.socket, "data");
        return again.status();
      })
      .toBe(401);
  });
});
