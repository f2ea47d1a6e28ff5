import { channel } from "node:diagnostics_channel";
import { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { routes } from "../src/contributions.ts";
import { currentTraceId } from "../src/domain/trace.ts";
import type { RateLimiter } from "../src/surfaces/http/limits/rate-limiter.ts";
import { RefusalLimit } from "../src/surfaces/http/limits/refusal-limit.ts";
import { createBuyer } from "./support/paid.ts";
import { startTestService, type TestService } from "./support/service.ts";

/** The cost of a request over its limit: on every route of both hosts no body is read and no question asked. */

let isFull = false;
/** One limit for everything, which the tests fill. */
const limiter: RateLimiter = {
  take: () => ({ allowed: !isFull, retryAfterSeconds: 1 }),
  giveBack: () => undefined,
  left: () => (isFull ? 0 : 1_000),
  size: () => 0,
};
const limits = {
  perKey: limiter,
  refused: new RefusalLimit(limiter),
  publicRequests: limiter,
  photos: limiter,
  unpaid: limiter,
  unsettledByPayer: limiter,
  unsettledByAddress: limiter,
};

/** Stands still, so that the key stays remembered. */
const instant = Temporal.Now.instant();
let service: TestService;
let signature: string;
/** Traces in which the database was asked. */
const asked = new Set<string | undefined>();
/** By their traces, whether the body had been read when the answer was begun: what nobody has read is thrown away afterwards. */
const hadRead = new Map<string, boolean>();
const Started = z.object({ request: z.instanceof(IncomingMessage), response: z.instanceof(ServerResponse) });
const remember = (message: unknown) => {
  const { request, response } = Started.parse(message);
  const { writeHead } = response;
  Object.assign(response, {
    writeHead(...args: unknown[]) {
      hadRead.set(String(request.headers.traceparent).slice(3, 35), request.readableDidRead);
      return Reflect.apply(writeHead, response, args);
    },
  });
};

beforeAll(async () => {
  service = await startTestService(
    {},
    {
      clock: { now: () => instant },
      decorate: {
        requestLimits: () => limits,
        pool(pool) {
          for (const name of ["query", "connect"] as const) {
            const ask = pool[name];
            vi.spyOn(pool, name).mockImplementation((...args: unknown[]) => {
              asked.add(currentTraceId());
              return Reflect.apply(ask, pool, args);
            });
          }
          return pool;
        },
      },
    },
  );
  expect((await service.call("timezone_brief", { latitude: 48, longitude: 16 })).status).toBe(200);
  signature = await createBuyer(service).sign("search_flights");
  channel("http.server.request.start").subscribe(remember);
});
afterAll(async () => {
  channel("http.server.request.start").unsubscribe(remember);
  await service?.[Symbol.asyncDispose]();
});

let count = 0;
async function send(url: string, method: string, headers: Record<string, string>) {
  count += 1;
  const traceId = count.toString(16).padStart(32, "0");
  const hasBody = method !== "GET" && method !== "DELETE";
  const response = await fetch(url, {
    method,
    headers: {
      traceparent: `00-${traceId}-${"1".padStart(16, "0")}-01`,
      "content-type": "application/json",
      "x-duffel-signature": `t=${Math.floor(instant.epochMilliseconds / 1_000)},v1=${"0".repeat(64)}`,
      ...headers,
    },
    ...(hasBody ? { body: JSON.stringify({ tool: "timezone_brief", args: {}, padding: " ".repeat(100_000) }) } : {}),
  });
  await response.text();
  return { status: response.status, hasAsked: asked.has(traceId), didRead: hadRead.get(traceId) };
}

const idle = { status: 429, hasAsked: false, didRead: false };
const fillPath = (path: string) =>
  path.replaceAll(/:(\w+)/g, (_, name) => (name === "fileAddress" ? `${"0".repeat(32)}.png` : "x"));
const ofKind = (isPublic: boolean) =>
  routes.filter(({ access }) => (access === "public") === isPublic).map(({ method, path }) => [method, path] as const);
const key = () => ({ authorization: `Bearer ${service.apiKey}` });
const unknownKey = { authorization: `Bearer ak_${"x".repeat(40)}` };

it.each(ofKind(true))("%s %s of an address that is over its limit", async (method, path) => {
  isFull = true;
  expect(await send(`${service.appUrl}${fillPath(path)}`, method, {})).toEqual(idle);
  isFull = false;
});

it.each([...ofKind(false), ["POST", "/api/agent/dispatch"] as const, ["POST", "/api/mcp"] as const])(
  "%s %s with a key that is over its limit, or an unknown one of an address that is",
  async (method, path) => {
    isFull = true;
    for (const headers of [key(), unknownKey]) {
      expect(await send(`${service.appUrl}${fillPath(path)}`, method, headers)).toEqual(idle);
    }
    isFull = false;
  },
);

it("MCP and payments on the edge host, and pictures", async () => {
  isFull = true;
  const edge = (path: string, headers: Record<string, string>) => send(`${service.edgeUrl}${path}`, "POST", headers);
  expect(await edge("/mcp", key())).toEqual(idle);
  expect(await edge("/mcp", {})).toEqual(idle);
  expect(await edge("/tools/search_flights", {})).toEqual(idle);
  expect(await edge("/tools/search_flights", { "payment-signature": signature })).toEqual(idle);
  expect(await edge("/tools/search_flights", { "payment-signature": signature, ...unknownKey })).toEqual(idle);
  expect(await send(`${service.appUrl}/photos/any.svg`, "GET", {})).toEqual(idle);
  isFull = false;
  // Control: what is counted here is seen where a request is served.
  const served = await send(`${service.appUrl}/api/agent/dispatch`, "POST", unknownKey);
  expect(served).toEqual({ status: 401, hasAsked: true, didRead: false });
  expect(await send(`${service.appUrl}/api/agent/dispatch`, "POST", key())).toMatchObject({
    status: 400,
    didRead: true,
  });
});
