import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { BRIDGE, type Message, startBridge } from "./support/bridge-process.ts";
import { sendJson, startScriptedMcp } from "./support/scripted-mcp.ts";

const VERSION = "2026-07-28";
const modern = (params: Record<string, unknown> = {}) => ({
  ...params,
  _meta: { "io.modelcontextprotocol/protocolVersion": VERSION, "io.modelcontextprotocol/clientCapabilities": {} },
});
const echo = (message: Message) => ({ jsonrpc: "2.0", id: message.id, result: { echo: message.params } });

describe("what reaches the server", () => {
  it("has the headers that the message of 2026-07-28 implies, and the key", async () => {
    await using server = await startScriptedMcp((message, response) => sendJson(response, echo(message)));
    await using bridge = startBridge({ WAYFARE_URL: server.url, WAYFARE_API_KEY: "ak_secret" });
    const expected = [
      ["tools/call", { name: "search_flights", arguments: {} }, "search_flights"],
      ["resources/read", { uri: "docs://Zürich" }, `=?base64?${Buffer.from("docs://Zürich").toString("base64")}?=`],
      ["prompts/get", { name: " edge " }, `=?base64?${Buffer.from(" edge ").toString("base64")}?=`],
      ["tasks/get", { taskId: "=?base64?eA==?=" }, `=?base64?${Buffer.from("=?base64?eA==?=").toString("base64")}?=`],
      ["tools/list", {}, undefined],
    ] as const;
    for (const [index, [method, params, name]] of expected.entries()) {
      bridge.send({ id: index, method, params: modern(params) });
      await bridge.answer(index);
      const { headers, message } = server.received.at(-1) ?? {};
      expect(message?.method).toBe(method);
      expect(headers?.["mcp-protocol-version"]).toBe(VERSION);
      expect(headers?.["mcp-method"]).toBe(method);
      expect(headers?.["mcp-name"]).toBe(name);
      expect(headers?.authorization).toBe("Bearer ak_secret");
      expect(headers?.accept).toBe("application/json, text/event-stream");
    }
  });

  it("has the agreed version and session after an initialize, and neither on the next initialize", async () => {
    await using server = await startScriptedMcp((message, response) => {
      if (message.id === undefined) return void response.writeHead(202).end();
      response.setHeader("mcp-session-id", "s1");
      const result = message.method === "initialize" ? { protocolVersion: "2025-06-18" } : {};
      sendJson(response, { jsonrpc: "2.0", id: message.id, result });
    });
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } });
    await bridge.answer(1);
    bridge.send({ method: "notifications/initialized" });
    bridge.send({ id: "two", method: "tools/list" });
    await bridge.answer("two");
    await server.arrived("notifications/initialized");
    bridge.send({ id: 3, method: "initialize", params: {} });
    await bridge.answer(3);
    const told = server.received.map(({ headers, message }) => [
      message.method,
      headers["mcp-protocol-version"],
      headers["mcp-session-id"],
    ]);
    expect(told.toSorted()).toEqual([
      ["initialize", undefined, undefined],
      ["initialize", undefined, undefined],
      ["notifications/initialized", "2025-06-18", "s1"],
      ["tools/list", "2025-06-18", "s1"],
    ]);
    expect(server.received.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it("is the line itself, whatever Unicode it holds and however it was cut into pieces", async () => {
    await using server = await startScriptedMcp((message, response) => sendJson(response, echo(message)));
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    const text = "a\u2028b\u2029c\u0085d \u{1F6EB} é";
    bridge.send({ id: 1, method: "ping", params: { text } });
    expect((await bridge.answer(1)).result).toEqual({ echo: { text } });
    bridge.writeLine(
      `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping", params: { text: "✈é".repeat(1e6) } })}\r`,
    );
    expect((await bridge.answer(2)).result).toEqual({ echo: { text: "✈é".repeat(1e6) } });
  });
});

describe("what reaches the client", () => {
  it("is one line a message, from JSON spread over lines and from an event stream", async () => {
    await using server = await startScriptedMcp((message, response) => {
      if (message.method === "pretty") return sendJson(response, JSON.stringify(echo(message), null, 2));
      response.writeHead(200, { "content-type": "text/event-stream" });
      const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
      const [head, tail] = [JSON.stringify(progress), JSON.stringify(echo(message), null, 1)];
      response.write(
        `: a comment\r\nid: 1\r\n\r\nevent: other\ndata: {"not":"ours"}\n\nevent: message\r\ndata: ${head}\r\n`,
      );
      response.end(`\r\n${tail.replaceAll(/^/gm, "data: ")}\n\n`);
    });
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send({ id: 1, method: "pretty", params: { a: 1 } });
    expect((await bridge.answer(1)).result).toEqual({ echo: { a: 1 } });
    bridge.send({ id: 2, method: "streamed", params: { b: 2 } });
    expect((await bridge.answer(2)).result).toEqual({ echo: { b: 2 } });
    expect(bridge.messages().map(({ id, method }) => id ?? method)).toEqual([1, "notifications/progress", 2]);
  });

  it("comes in the order of the answers: a slow call holds nothing up", async () => {
    const held: (() => void)[] = [];
    await using server = await startScriptedMcp((message, response) => {
      const answer = () => sendJson(response, echo(message));
      if (message.method === "slow") held.push(answer);
      else answer();
    });
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    for (let id = 0; id < 20; id += 1) bridge.send({ id, method: "slow" });
    bridge.send({ id: "quick", method: "quick" });
    await bridge.answer("quick");
    expect(bridge.messages()).toHaveLength(1);
    while (held.length < 20) await server.arrived("slow").then(() => new Promise(setImmediate));
    for (const answer of held) answer();
    await Promise.all(Array.from({ length: 20 }, (_, id) => bridge.answer(id)));
    expect(bridge.messages()).toHaveLength(21);
  });

  it("are the server's own errors, bound to the request even where the server could not", async () => {
    await using server = await startScriptedMcp((message, response) => {
      const id = message.method === "bound" ? message.id : null;
      sendJson(response, { jsonrpc: "2.0", id, error: { code: -32601, message: "No such method" } }, 404);
    });
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send({ id: 1, method: "bound" });
    bridge.send({ id: 2, method: "unbound" });
    expect((await bridge.answer(1)).error?.code).toBe(-32601);
    expect((await bridge.answer(2)).error?.code).toBe(-32601);
    expect(bridge.messages()).toHaveLength(2);
  });
});

describe("a cancelled request", () => {
  it.each([
    ["2026-07-28: the connection closes and nothing else is sent", modern(), ["wait"]],
    ["before: the notification passes and the connection closes", {}, ["wait", "notifications/cancelled"]],
  ])("%s", async (_name, params, methods) => {
    const closed = Promise.withResolvers<void>();
    await using server = await startScriptedMcp((message, response, request) => {
      if (message.method === "wait") request.socket.once("close", () => closed.resolve());
      else if (message.id === undefined) response.writeHead(202).end();
      else sendJson(response, echo(message));
    });
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send({ id: 7, method: "wait", params });
    await server.arrived("wait");
    bridge.send({ method: "notifications/cancelled", params: { requestId: 7, reason: "changed my mind" } });
    await closed.promise;
    bridge.send({ id: 8, method: "ping" });
    await bridge.answer(8);
    if (methods.length > 1) await server.arrived("notifications/cancelled");
    bridge.end();
    expect(await bridge.exitCode).toBe(0);
    expect(server.received.map(({ message }) => message.method).filter((method) => method !== "ping")).toEqual(methods);
    expect(bridge.messages().map(({ id }) => id)).toEqual([8]);
  });
});

it("finishes what is under way when its input ends, and exits with 0", async () => {
  const arrived = Promise.withResolvers<{ response: ServerResponse; message: Message }>();
  await using server = await startScriptedMcp((message, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    arrived.resolve({ response, message });
  });
  await using bridge = startBridge({ WAYFARE_URL: server.url });
  bridge.send({ id: 1, method: "slow" });
  const { response, message } = await arrived.promise;
  bridge.end();
  // By these round trips it has seen the end of its input long ago.
  const ids = ["progress 1", "progress 2", "progress 3"];
  for (const id of ids) {
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n\n`);
    await Promise.race([bridge.answer(id), bridge.exitCode]);
  }
  response.end(`data: ${JSON.stringify(echo(message))}\n\n`);
  expect(await bridge.exitCode).toBe(0);
  expect(bridge.messages().map(({ id }) => id)).toEqual([...ids, 1]);
  expect(bridge.seen.errors).toBe("");
});

describe("a subscription", () => {
  const listen = {
    id: "sub",
    method: "subscriptions/listen",
    params: modern({ notifications: { toolsListChanged: true } }),
  };
  const note = { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: {} };

  it.each([
    ["is ended", (response: ServerResponse) => response.end()],
    ["breaks off", (response: ServerResponse) => response.destroy()],
  ])("that %s by the server is cancelled for the client", async (_name, stop) => {
    await using server = await startScriptedMcp((_message, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(note)}\n\n`, () => stop(response));
    });
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send(listen);
    const cancelled = await bridge.notification("notifications/cancelled");
    expect(cancelled.params).toEqual({ requestId: "sub" });
    bridge.end();
    expect(await bridge.exitCode).toBe(0);
    expect(bridge.messages()).toHaveLength(2);
  });

  it("ends with the client, without a word", async () => {
    await using server = await startScriptedMcp((_message, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(note)}\n\n`);
    });
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send(listen);
    await bridge.notification(note.method);
    bridge.end();
    expect(await bridge.exitCode).toBe(0);
    expect(bridge.messages()).toEqual([note]);
  });

  it("that never began is an error", async () => {
    await using server = await startScriptedMcp((_message, response) => sendJson(response, "no", 404, "text/plain"));
    await using bridge = startBridge({ WAYFARE_URL: server.url });
    bridge.send(listen);
    expect((await bridge.answer("sub")).error?.data).toMatchObject({ reason: "not_mcp" });
  });
});

it("ends when its client stops reading", async () => {
  await using server = await startScriptedMcp((message, response) => sendJson(response, echo(message)));
  const child = spawn(process.execPath, [BRIDGE], {
    env: { WAYFARE_URL: server.url },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdout.destroy();
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
  const [code] = await once(child, "close");
  expect(code).toBe(0);
});
