import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { silentLog } from "../../../test/support/identity.ts";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import { createHttpClient } from "../http-client/http-client.ts";
import { askProviders } from "./ask-providers.ts";
import { BodyCache } from "./body-cache.ts";
import { jsonParser, OpenSource } from "./open-source.ts";
import { type Provider, ProviderFailure } from "./provider.ts";
import { RateLimiter } from "./rate-limiter.ts";

const http = createHttpClient();
let server: ScriptedServer;
let answer: Answer;
let now = Temporal.Instant.from("2026-11-22T12:00:00Z");
let open: Provider<number, string>;
beforeAll(async () => {
  server = await startScriptedServer(() => answer);
});
afterAll(async () => {
  http.close();
  await server.close();
});
beforeEach(() => {
  server.requests.length = 0;
  answer = GOOD;
  open = openProvider();
});

const GOOD = { status: 200, json: { name: "Lisbon" } };
const ATTRIBUTION = ["Data © Example contributors"];
const FRESH_MILLISECONDS = 60_000;

function openProvider(timeoutMilliseconds = 2_000): Provider<number, string> {
  const source = new OpenSource({
    name: "example",
    baseUrl: server.url,
    userAgent: "wayfare (ops@example.com)",
    http,
    log: silentLog,
    clock: { now: () => now },
    millisecondsBetween: 0,
    timeoutMilliseconds,
  });
  return {
    source: source.name,
    sourceLevel: "open",
    attribution: ATTRIBUTION,
    async ask(id, signal) {
      const parse = jsonParser(z.object({ name: z.string() }));
      const request = { path: "/places", query: { id, language: undefined }, freshMilliseconds: FRESH_MILLISECONDS };
      const reply = await source.read({ ...request, parse, signal });
      return { ...reply, answer: reply.answer.name };
    },
  };
}

const embedded: Provider<number, string> = {
  source: "embedded",
  sourceLevel: "embedded",
  attribution: [],
  ask: async () => ({ answer: "Nowhere", asOf: "2026-01-01" }),
};
const ask = (id: number) => askProviders([open, embedded], id);
const later = (milliseconds: number) => {
  now = now.add({ milliseconds });
};
const fellBack = (reason: string) => ({
  answer: "Nowhere",
  provenance: {
    source: "embedded",
    sourceLevel: "embedded",
    asOf: "2026-01-01",
    attribution: [],
    fallbackFrom: [{ source: "example", reason }],
  },
});

it("uses the first answer with its source and date, and caches it", async () => {
  const provenance = { source: "example", sourceLevel: "open", asOf: now.toString(), attribution: ATTRIBUTION };
  const wanted = { answer: "Lisbon", provenance: { ...provenance, fallbackFrom: [] } };
  expect(await ask(1)).toEqual(wanted);
  expect(server.requests[0]).toMatchObject({ path: "/places", query: { id: "1" } });
  expect(server.requests[0]?.query).not.toHaveProperty("language");
  expect(server.requests[0]?.headers["user-agent"]).toBe("wayfare (ops@example.com)");
  later(FRESH_MILLISECONDS - 1);
  answer = { status: 200, json: { name: "Porto" } };
  expect(await ask(1)).toEqual(wanted);
  expect(server.requests).toHaveLength(1);
  later(1);
  expect((await ask(1)).answer).toBe("Porto");
});

it.each<[string, Answer]>([
  ["rate_limited", { status: 429 }],
  ["server_error", { status: 500, text: "<html>" }],
  ["server_error", { status: 503 }],
  ["refused", { status: 403 }],
  ["refused", { status: 302, headers: { location: "/elsewhere" } }],
  ["refused", { status: 400 }],
  ["unexpected_answer", { status: 200, text: "<html>" }],
  ["unexpected_answer", { status: 200, json: { nom: "Lisbonne" } }],
  ["unreachable", "reset"],
  ["unreachable", { truncated: '{"name":' }],
])("falls back and says so: %s", async (reason, bad) => {
  answer = bad;
  expect(await ask(1)).toEqual(fellBack(reason));
  answer = GOOD;
  expect((await ask(1)).provenance.source).toBe("example");
});

it("falls back from a provider that times out", async () => {
  answer = "hang";
  open = openProvider(50);
  expect(await ask(1)).toEqual(fellBack("timeout"));
});

it("names the providers asked if none answers, and asks none for a caller that is gone", async () => {
  answer = { status: 500 };
  const asked = [{ source: "example", reason: "server_error" }];
  await expect(askProviders([open], 1)).rejects.toMatchObject({ code: "provider_unavailable", extra: { asked } });
  const gone = AbortSignal.abort(new Error("gone"));
  await expect(askProviders([open, embedded], 1, gone)).rejects.toThrow("gone");
});

it("pauses a provider that keeps failing, and tries with one request whether it is back", async () => {
  answer = { status: 500 };
  for (const id of [1, 2, 3]) expect(await ask(id)).toEqual(fellBack("server_error"));
  answer = GOOD;
  expect(await ask(4)).toEqual(fellBack("paused"));
  later(30_000);
  answer = { status: 500 };
  const both = await Promise.all([ask(4), ask(5)]);
  expect(both).toEqual([fellBack("server_error"), fellBack("paused")]);
  later(30_000);
  expect(await ask(4)).toEqual(fellBack("paused"));
  later(30_000);
  answer = GOOD;
  expect((await ask(4)).answer).toBe("Lisbon");
  expect((await ask(5)).answer).toBe("Lisbon");
  expect(server.requests).toHaveLength(6);
});

it("waits as long as the provider asks, and a caller's bad request does not pause it", async () => {
  answer = { status: 429, headers: { "retry-after": "120" } };
  expect(await ask(1)).toEqual(fellBack("rate_limited"));
  answer = GOOD;
  later(119_999);
  expect(await ask(1)).toEqual(fellBack("paused"));
  later(1);
  expect((await ask(1)).answer).toBe("Lisbon");
  answer = { status: 404 };
  for (const id of [2, 3, 4, 5]) expect(await ask(id)).toEqual(fellBack("refused"));
});

it("admits one request per interval, and refuses requests that would wait too long", async () => {
  let time = 5_000;
  const waited: number[] = [];
  const limiter = new RateLimiter({
    millisecondsBetween: 1_000,
    longestWaitMilliseconds: 2_000,
    now: () => time,
    pause: async (milliseconds) => {
      waited.push(milliseconds);
    },
  });
  await Promise.all([limiter.wait(), limiter.wait(), limiter.wait()]);
  expect(waited).toEqual([1_000, 2_000]);
  await expect(limiter.wait()).rejects.toThrow(ProviderFailure);
  time += 1_000;
  await limiter.wait();
  expect(waited).toEqual([1_000, 2_000, 2_000]);
});

it("keeps no more than its bytes, most recently used first", () => {
  const cache = new BodyCache(30);
  const kept = { body: Buffer.alloc(8), readAtMilliseconds: 0, freshUntilMilliseconds: 10 };
  for (const key of ["a", "b", "c"]) cache.set(key, kept);
  cache.get("a", 1);
  cache.set("d", kept);
  expect(["a", "b", "c", "d"].filter((key) => cache.get(key, 2) !== undefined)).toEqual(["a", "c", "d"]);
  cache.set("e", { ...kept, body: Buffer.alloc(100) });
  expect(["a", "c", "d", "e"].filter((key) => cache.get(key, 2) !== undefined)).toEqual([]);
});
