import { createServer } from "node:http";
import type { LookupFunction } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { DEAD_PORT } from "../../../test/support/dead-port.ts";
import { startScriptedServer } from "../../../test/support/scripted-server.ts";
import { createHttpClient } from "./http-client.ts";

const base = { method: "GET", timeoutMilliseconds: 20_000 } as const;

test("any status is an answer, including redirects", async () => {
  const server = await startScriptedServer(() => ({
    status: 302,
    headers: { location: "/x", "X-Note": "a" },
    text: "moved",
  }));
  const http = createHttpClient();
  const response = await http.send({ ...base, url: server.url });
  expect([response.status, response.header("x-note"), response.body.toString()]).toEqual([302, "a", "moved"]);
  expect(server.requests).toHaveLength(1);
  http.close();
  await server.close();
});

test("a refused connection and an unknown host were never sent", async () => {
  const http = createHttpClient();
  const nothing = { problem: "unreachable", delivery: "not_sent" };
  await expect(http.send({ ...base, url: `http://127.0.0.1:${DEAD_PORT}` })).rejects.toMatchObject(nothing);
  await expect(http.send({ ...base, url: `https://127.0.0.1:${DEAD_PORT}` })).rejects.toMatchObject(nothing);
  const lookup: LookupFunction = (_host, _options, done) => done(new Error("no such host"), "", 4);
  await expect(http.send({ ...base, url: "http://nowhere.test/", lookup })).rejects.toMatchObject(nothing);
  http.close();
});

test("a request that was sent and got no complete answer is unanswered", async () => {
  const http = createHttpClient();
  for (const [answer, problem] of [
    ["reset", "reset"],
    [{ truncated: "{" }, "truncated"],
  ] as const) {
    const server = await startScriptedServer(() => answer);
    const sent = http.send({ ...base, method: "POST", json: { a: 1 }, url: server.url });
    await expect(sent).rejects.toMatchObject({ problem, delivery: "unanswered" });
    await server.close();
  }
  http.close();
});

test("a request that arrived and timed out is unanswered", async () => {
  const server = await startScriptedServer(() => "hang");
  const http = createHttpClient();
  // Otherwise its time could be over before the connection is made, which is another case.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const sent = http.send({ ...base, method: "POST", json: { a: 1 }, url: server.url });
    const ended = expect(sent).rejects.toMatchObject({ problem: "timeout", delivery: "unanswered" });
    await expect.poll(() => server.requests.length).toBe(1);
    vi.advanceTimersByTime(base.timeoutMilliseconds);
    await ended;
  } finally {
    vi.useRealTimers();
  }
  http.close();
  await server.close();
});

test("a failed TLS handshake was never sent", async () => {
  const server = await startScriptedServer(() => ({ status: 200 }));
  const http = createHttpClient();
  const url = server.url.replace("http:", "https:");
  await expect(http.send({ ...base, url })).rejects.toMatchObject({ problem: "unreachable", delivery: "not_sent" });
  expect(server.requests).toEqual([]);
  http.close();
  await server.close();
});

test("waiting for a free connection counts, and times out as never sent", async () => {
  const server = await startScriptedServer(() => "hang");
  const http = createHttpClient({ maxConnectionsPerHost: 1 });
  const stop = new AbortController();
  const first = http.send({ ...base, url: server.url, signal: stop.signal });
  const second = http.send({ ...base, url: server.url, timeoutMilliseconds: 150 });
  await expect(second).rejects.toMatchObject({ problem: "timeout", delivery: "not_sent" });
  await expect.poll(() => server.requests.length).toBe(1);
  stop.abort();
  await expect(first).rejects.toMatchObject({ problem: "aborted" });
  expect(server.requests).toHaveLength(1);
  http.close();
  await server.close();
});

test("an already aborted signal sends nothing", async () => {
  const server = await startScriptedServer(() => ({ status: 200 }));
  const http = createHttpClient();
  const sent = http.send({ ...base, url: server.url, signal: AbortSignal.abort() });
  await expect(sent).rejects.toMatchObject({ problem: "aborted", delivery: "not_sent" });
  expect(server.requests).toEqual([]);
  http.close();
  await server.close();
});

test("the size limit applies to the decompressed answer", async () => {
  const packed = gzipSync("x".repeat(100_000));
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(packed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const http = createHttpClient();
  const whole = await http.send({ ...base, url, maxBytes: 100_000 });
  expect(whole.body.byteLength).toBe(100_000);
  await expect(http.send({ ...base, url, maxBytes: 99_999 })).rejects.toMatchObject({ problem: "too_large" });
  http.close();
  await new Promise((resolve) => server.close(resolve));
});

test("connections are kept and shared unless a request asks for a new one", async () => {
  const server = await startScriptedServer(() => ({ status: 200, json: {} }));
  const http = createHttpClient();
  for (const freshConnection of [false, false, true, false])
    await http.send({ ...base, url: server.url, freshConnection });
  expect(server.requests.map((request) => request.connection)).toEqual([1, 1, 2, 1]);
  http.close();
  await server.close();
});
