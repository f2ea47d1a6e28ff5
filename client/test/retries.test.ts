import { expect, it } from "vitest";
import { createClient, createPaidClient } from "../src/index.ts";
import { lost, problem, result, scriptService } from "./scripted-service.ts";

const QUICK = { attempts: 4, waitMilliseconds: 30_000 };
const APPROVAL = { approvalId: "apr_1", approvalExpiresAt: "2030-01-01T00:00:00Z" };

it("sends a call again with the same idempotency key until it is answered", async () => {
  await using service = await scriptService(
    problem(503, "unavailable"),
    problem(429, "rate_limited"),
    result({ n: 1 }),
  );
  const { tools } = createClient({ baseUrl: service.baseUrl, apiKey: "ak_x", retries: QUICK });
  const outcome = await tools.findAirportsNearby({ query: "Lisbon" });
  expect(outcome).toMatchObject({ ok: true, result: { n: 1 }, attempts: 3, priceMicroUsdc: "500" });
  const keys = service.seen.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(service.seen.map(({ body }) => JSON.parse(body))).toEqual(
    Array(3).fill({ tool: "find_airports_nearby", args: { query: "Lisbon" } }),
  );
});

it("uses the caller's key, and another one for each call without", async () => {
  await using service = await scriptService(result(1), result(2), result(3));
  const { tools } = createClient({ baseUrl: service.baseUrl });
  await tools.findAirportsNearby({ query: "Lisbon" }, { idempotencyKey: "own" });
  await tools.findAirportsNearby({ query: "Lisbon" });
  await tools.findAirportsNearby({ query: "Lisbon" });
  const [first, second, third] = service.seen.map(({ headers }) => headers["idempotency-key"]);
  expect(first).toBe("own");
  expect(second).not.toBe(third);
});

it("sends a call again whose answer was lost", async () => {
  await using service = await scriptService(lost, result({ n: 1 }));
  const { tools } = createClient({ baseUrl: service.baseUrl, retries: QUICK });
  expect(await tools.findAirportsNearby({ query: "Lisbon" })).toMatchObject({ ok: true, attempts: 2 });
});

it("leaves it to the caller whether to wait long, and what a person has to decide", async () => {
  await using service = await scriptService(
    problem(429, "rate_limited", { retryAfter: "3600" }),
    problem(403, "approval_required", { members: APPROVAL }),
    problem(500, "no_offers", { retryable: false }),
  );
  const { tools } = createClient({ baseUrl: service.baseUrl, retries: QUICK });
  const route = { origin: "LHR", destination: "JFK", departureDate: "2030-01-15" };
  const late = await tools.searchFlights(route);
  expect(late).toMatchObject({ ok: false, problem: { code: "rate_limited", status: 429 }, attempts: 1 });
  const asked = await tools.searchFlights(route);
  // By the code alone, the compiler knows the code's own members.
  expect(!asked.ok && asked.problem.code === "approval_required" && asked.problem.approvalId).toBe("apr_1");
  const none = await tools.searchFlights(route);
  expect(none).toMatchObject({ ok: false, problem: { code: "no_offers", retryable: false }, attempts: 1 });
  expect(service.seen).toHaveLength(3);
});

it("repeats a route that could do its work twice only if the service says that nothing was done", async () => {
  await using service = await scriptService(
    problem(503, "draining"),
    problem(503, "unavailable"),
    lost,
    lost,
    result(1),
  );
  const { routes } = createClient({ baseUrl: service.baseUrl, retries: QUICK });
  const endpoint = { body: { url: "https://example.com/hook" } };
  const refused = await routes.addEventEndpoint(endpoint);
  expect(refused).toMatchObject({ ok: false, problem: { code: "unavailable" }, attempts: 2 });
  const gone = await routes.addEventEndpoint(endpoint);
  expect(gone).toMatchObject({ ok: false, problem: { code: "connection_failed", retryable: true }, attempts: 1 });
  // A read is another matter.
  expect(await routes.listEventEndpoints()).toMatchObject({ ok: true, attempts: 2 });
});

it("signs no second payment for a call whose first one may have been taken", async () => {
  await using service = await scriptService(
    problem(503, "settlement_pending"),
    lost,
    problem(429, "rate_limited"),
    result(1),
  );
  const { tools } = createPaidClient({ edgeUrl: service.baseUrl, fetch, retries: QUICK });
  const pending = await tools.findAirportsNearby({ query: "Lisbon" });
  expect(pending).toMatchObject({ ok: false, problem: { code: "settlement_pending" }, attempts: 1 });
  const gone = await tools.findAirportsNearby({ query: "Lisbon" });
  expect(gone).toMatchObject({ ok: false, problem: { code: "connection_failed" }, attempts: 1 });
  expect(await tools.findAirportsNearby({ query: "Lisbon" })).toMatchObject({ ok: true, attempts: 2 });
});

it("gives up an attempt after its time, and the call when its caller does", async () => {
  await using service = await scriptService(...Array(3).fill(() => undefined));
  const { tools } = createClient({ baseUrl: service.baseUrl, timeoutMilliseconds: 20, retries: { attempts: 2 } });
  const late = await tools.findAirportsNearby({ query: "Lisbon" });
  expect(late).toMatchObject({ ok: false, problem: { code: "timed_out", retryable: true }, attempts: 2 });
  const stopped = tools.findAirportsNearby({ query: "Lisbon" }, { signal: AbortSignal.abort(new Error("enough")) });
  await expect(stopped).rejects.toThrow("enough");
  expect(service.seen).toHaveLength(2);
});

it("takes no answer of something else for one of the service, and follows no redirect with its key", async () => {
  await using service = await scriptService(
    (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Sign in to this network</p>"),
    (response) => response.writeHead(307, { location: "/elsewhere" }).end(),
    result(1),
  );
  const { tools } = createClient({ baseUrl: service.baseUrl, apiKey: "ak_x", retries: { attempts: 1 } });
  const portal = await tools.findAirportsNearby({ query: "Lisbon" });
  expect(portal).toMatchObject({ ok: false, problem: { code: "unexpected_answer", retryable: false } });
  const moved = await tools.findAirportsNearby({ query: "Lisbon" });
  expect(moved).toMatchObject({ ok: false, problem: { code: "connection_failed" } });
  expect(service.seen).toHaveLength(2);
});
