import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findFreePort } from "../../server/src/embedded/free-port.ts";
import { type Message, startBridge } from "./support/bridge-process.ts";
import { type Play, sendJson, startScriptedMcp } from "./support/scripted-mcp.ts";

const KEY = "ak_this_must_never_be_seen";
const echo = (message: Message) => ({ jsonrpc: "2.0", id: message.id, result: {} });

describe("a request without an answer is an error that says why", () => {
  it("when no server listens, and works once one does", async () => {
    const first = await startScriptedMcp(() => undefined, await findFreePort());
    const { port, url } = first;
    await first.close();
    await using bridge = startBridge({ WAYFARE_URL: url, WAYFARE_API_KEY: KEY });
    bridge.send({ id: 1, method: "tools/list" });
    const { error } = await bridge.answer(1);
    expect(error?.code).toBe(-32080);
    expect(error?.data).toMatchObject({ reason: "unreachable", retryable: true });
    expect(error?.message).toContain(url);
    await using _second = await startScriptedMcp((message, response) => sendJson(response, echo(message)), port);
    bridge.send({ id: 2, method: "tools/list" });
    expect((await bridge.answer(2)).result).toEqual({});
    expect(bridge.seen.output + bridge.seen.errors).not.toContain(KEY);
  });

  it("when the server restarts in the middle; the next call works", async () => {
    const play: Play = (message, response) => {
      if (message.method !== "hang") sendJson(response, echo(message));
    };
    const first = await startScriptedMcp(play, await findFreePort());
    await using bridge = startBridge({ WAYFARE_URL: first.url });
    bridge.send({ id: 0, method: "ping" });
    await bridge.answer(0);
    bridge.send({ id: 1, method: "hang" });
    await first.arrived("hang");
    await first.close();
    expect((await bridge.answer(1)).error?.data).toMatchObject({ reason: "interrupted" });
    await using _second = await startScriptedMcp((message, response) => sendJson(response, echo(message)), first.port);
    bridge.send({ id: 2, method: "ping" });
    expect((await bridge.answer(2)).result).toEqual({});
  });

  it.each([
    ["an event stream that ends early", "text/event-stream", ': nothing\n\ndata: {"jsonrpc":"2.0"}\n\n'],
    ["an event stream cut in a message", "text/event-stream", 'data: {"jsonrpc":"2.0","id":1,"resu'],
  ])("after %s", async (_name, type, body) => {
    await using server = await startScriptedMcp((_message, response) => sendJson(response, body, 200, type));
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send({ id: 1, method: "ping" });
    expect((await bridge.answer(1)).error?.data).toMatchObject({ reason: "interrupted" });
  });

  it("after a body that breaks off", async () => {
    await using server = await startScriptedMcp((_message, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
      response.write('{"jsonrpc":"2.0"', () => response.destroy());
    });
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send({ id: 1, method: "ping" });
    expect((await bridge.answer(1)).error?.data).toMatchObject({ reason: "interrupted" });
  });

  it.each([
    [
      "401 with a problem",
      401,
      "application/problem+json",
      JSON.stringify({ ok: false, code: "unauthorized", detail: "Send a valid key.", retryable: false, traceId: "t1" }),
      { reason: "unauthorized", code: "unauthorized", retryable: false, traceId: "t1", status: 401 },
    ],
    ["401 of a proxy", 401, "text/html", "<h1>No</h1>", { reason: "unauthorized", status: 401 }],
    [
      "503",
      503,
      "application/problem+json",
      JSON.stringify({ ok: false, code: "starting", detail: "Soon.", retryable: true }),
      { reason: "refused", code: "starting", retryable: true },
    ],
    ["a wrong path", 404, "text/html", "<h1>Not found</h1>", { reason: "not_mcp", status: 404 }],
    ["a page", 200, "text/html", "<h1>Welcome</h1>", { reason: "not_mcp", status: 200 }],
    ["JSON that is no message", 200, "application/json", "17", { reason: "not_mcp", status: 200 }],
    ["an empty body", 202, "application/json", "", { reason: "not_mcp", status: 202 }],
  ])("after %s", async (_name, status, type, body, data) => {
    await using server = await startScriptedMcp((_message, response) => sendJson(response, body, status, type));
    await using bridge = startBridge({ WAYFARE_URL: server.url, WAYFARE_API_KEY: KEY });
    bridge.send({ id: 1, method: "tools/list" });
    const { error } = await bridge.answer(1);
    expect(error?.data).toMatchObject(data);
    bridge.send({ method: "notifications/initialized" });
    bridge.end();
    expect(await bridge.exitCode).toBe(0);
    expect(bridge.messages()).toHaveLength(1);
    expect(bridge.seen.output + bridge.seen.errors).not.toContain(KEY);
    expect(bridge.seen.output).not.toContain("<h1>");
  });

  it("after a redirect, which would carry the key elsewhere", async () => {
    await using server = await startScriptedMcp((_message, response) =>
      response.writeHead(307, { location: "https://elsewhere.example/mcp?token=x" }).end(),
    );
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send({ id: 1, method: "ping" });
    const { error } = await bridge.answer(1);
    expect(error?.message).toContain("https://elsewhere.example/mcp");
    expect(error?.message).not.toContain("token");
  });
});

it("answers a line that is not JSON as a parse error and goes on", async () => {
  await using server = await startScriptedMcp((message, response) => sendJson(response, echo(message)));
  await using bridge = startBridge({ WAYFARE_URL: server.url });
  bridge.writeLine("{not json");
  bridge.writeLine("");
  bridge.send({ id: 1, method: "ping" });
  expect((await bridge.answer(null)).error?.code).toBe(-32700);
  expect((await bridge.answer(1)).result).toEqual({});
  expect(server.received).toHaveLength(1);
});

it("answers every request of a batch that failed", async () => {
  await using server = await startScriptedMcp((_message, response) => sendJson(response, "no", 500, "text/plain"));
  await using bridge = startBridge({ WAYFARE_URL: server.url });
  const part = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
  bridge.writeLine(JSON.stringify([part(1), { jsonrpc: "2.0", method: "notifications/x" }, part(2)]));
  expect((await bridge.answer(1)).error?.code).toBe(-32080);
  expect((await bridge.answer(2)).error?.code).toBe(-32080);
});

describe("a start", () => {
  it.each([
    ["without a URL", {}, [], "URL is missing"],
    ["with a URL of another kind", { WAYFARE_URL: "ftp://x" }, [], "not an http or https URL"],
    ["with a password in the URL", { WAYFARE_URL: `http://me:${KEY}@h/` }, [], "must not contain a password"],
    ["with the key as an argument", {}, ["--key", KEY], "never goes on the command line"],
    ["with the key as a further word", {}, [KEY], "never goes on the command line"],
    ["with a key file that is not there", { WAYFARE_URL: "http://h/" }, ["--key-file", `/no/${KEY}`], "cannot be read"],
    ["with a key over two lines", { WAYFARE_URL: "http://h/", WAYFARE_API_KEY: `a\n${KEY}` }, [], "characters"],
  ])("%s ends with one plain message and code 2", async (_name, environment, words, message) => {
    await using bridge = startBridge(environment, words);
    expect(await bridge.exitCode).toBe(2);
    expect(bridge.seen.output).toBe("");
    expect(bridge.seen.errors).toContain(message);
    expect(bridge.seen.errors).not.toContain(KEY);
    expect(bridge.seen.errors).not.toContain("    at ");
  });

  it("takes the key from a file, and the URL from an argument over the environment", async () => {
    await using server = await startScriptedMcp((message, response) => sendJson(response, echo(message)));
    const folder = mkdtempSync(join(tmpdir(), "bridge-key-"));
    try {
      const file = join(folder, "a key");
      writeFileSync(file, `${KEY}\n`);
      await using bridge = startBridge({ WAYFARE_URL: "http://127.0.0.1:1/" }, [
        "--url",
        server.url,
        "--key-file",
        file,
      ]);
      bridge.send({ id: 1, method: "ping" });
      await bridge.answer(1);
      expect(server.received[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
