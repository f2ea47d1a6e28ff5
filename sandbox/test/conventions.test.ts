// Common to every route of the wire: rate limits, request ids, pages, trailing slashes.
import { request as httpRequest } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type Answer, request, startTestSandbox, type TestSandbox } from "./start.ts";
import { arm, daysAhead, OfferRequest, parseData, parseError, search, tick } from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});
afterEach(async () => {
  await sandbox.control("DELETE", "/_sandbox/rate-limit");
  await sandbox.control("DELETE", "/_sandbox/scenarios");
});

const Listed = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  meta: z.object({ limit: z.number(), before: z.string().nullable(), after: z.string().nullable() }),
});
const readLimits = (answer: Answer) => {
  const reset = answer.headers.get("ratelimit-reset") ?? "";
  return {
    limit: Number(answer.headers.get("ratelimit-limit") ?? "NaN"),
    remaining: Number(answer.headers.get("ratelimit-remaining") ?? "NaN"),
    resetIsDate: new Date(Date.parse(reset)).toUTCString() === reset,
  };
};

test("every answer tells its request id and the rate limit, errors too", async () => {
  const answers = [
    await sandbox.call("GET", "/air/airlines"),
    await sandbox.call("GET", "/air/orders/ord_none"),
    await sandbox.call("GET", "/nowhere"),
    await sandbox.call("POST", "/stays/search", { rooms: 0 }),
    await request(`${sandbox.url}/air/airlines`, {}),
  ];
  await arm(sandbox, { match: { path: "/air/airlines" }, fault: "http_503" });
  answers.push(await sandbox.call("GET", "/air/airlines"));
  expect(answers.map((answer) => answer.status)).toEqual([200, 404, 404, 422, 401, 503]);
  let before = Number.POSITIVE_INFINITY;
  for (const answer of answers) {
    expect(answer.headers.get("x-request-id")).toMatch(/^req_0000/u);
    const { limit, remaining, resetIsDate } = readLimits(answer);
    expect(resetIsDate).toBe(true);
    expect(remaining).toBeLessThan(limit);
    expect(remaining).toBeLessThan(before);
    before = remaining;
  }
  expect(new Set(answers.map((answer) => answer.headers.get("x-request-id"))).size).toBe(answers.length);
});

test("a limit that is used up refuses until its time is over", async () => {
  await sandbox.control("POST", "/_sandbox/rate-limit", { limit: 2, windowSeconds: 600 });
  const ask = () => sandbox.call("GET", "/air/aircraft");
  expect([readLimits(await ask()).remaining, readLimits(await ask()).remaining]).toEqual([1, 0]);
  const refused = await ask();
  expect(parseError(refused)).toMatchObject({ status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" });
  expect(readLimits(refused)).toEqual({ limit: 2, remaining: 0, resetIsDate: true });
  const resetInMs = Date.parse(refused.headers.get("ratelimit-reset") ?? "") - Date.now();
  expect(Math.round(resetInMs / 60_000)).toBe(10);
  await tick(sandbox, 601);
  expect((await ask()).status).toBe(200);
  expect((await sandbox.control("POST", "/_sandbox/rate-limit", { limit: -1 })).status).toBe(400);
});

test("one call can be refused by its path, with nothing done", async () => {
  await arm(sandbox, { match: { path: "/identity/customer/users", method: "POST" }, fault: "rate_limited" });
  const user = { email: "limited@example.com", given_name: "Amelia", family_name: "Earhart" };
  const refused = await sandbox.call("POST", "/identity/customer/users", user);
  expect(parseError(refused)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  expect(readLimits(refused)).toMatchObject({ remaining: 0, resetIsDate: true });
  const found = await sandbox.call("GET", "/identity/customer/users?email=limited@example.com");
  expect(parseData(found, z.array(z.unknown()))).toEqual([]);
  expect((await sandbox.call("POST", "/identity/customer/users", user)).status).toBe(201);
});

test("lists of memory and of the database are paged alike, forwards and back", async () => {
  for (let index = 0; index < 5; index += 1)
    await sandbox.call("POST", "/identity/customer/user_groups", { name: `Group ${index}` });
  for (const path of ["/identity/customer/user_groups", "/air/aircraft"]) {
    const page = async (query: string) => Listed.parse((await sandbox.call("GET", `${path}?${query}`)).body);
    const ids = (listed: z.infer<typeof Listed>) => listed.data.map((item) => item.id);
    const all = ids(await page("limit=200"));
    const first = await page("limit=2");
    expect(ids(first)).toEqual(all.slice(0, 2));
    expect(first.meta).toMatchObject({ limit: 2, before: null });
    const second = await page(`limit=2&after=${first.meta.after}`);
    expect(ids(second)).toEqual(all.slice(2, 4));
    const back = await page(`limit=2&before=${second.meta.before}`);
    expect(ids(back)).toEqual(all.slice(0, 2));
    expect(back.meta.before).toBeNull();
    expect((await page("limit=200")).meta).toEqual({ limit: 200, before: null, after: null });
    for (const wrong of ["limit=0", "limit=201", "limit=many", "after=elsewhere", "before=elsewhere"])
      expect(parseError(await sandbox.call("GET", `${path}?${wrong}`)), wrong).toMatchObject({
        status: 422,
        pointer: `/${wrong.split("=")[0]}`,
      });
  }
});

test("a trailing slash changes nothing", async () => {
  const asked = await search(sandbox, { origin: "LHR", destination: "JFK", days: 60 });
  const slices = [{ origin: "LHR", destination: "JFK", departure_date: daysAhead(60) }];
  const body = { slices, passengers: [{ type: "adult" }] };
  const slashed = parseData(
    await sandbox.call("POST", "/air/offer_requests/?return_offers=true", body),
    OfferRequest,
    201,
  );
  expect(slashed.offers.map((offer) => offer.total_amount)).toEqual(asked.offers.map((offer) => offer.total_amount));
  expect((await sandbox.call("GET", "/air/airlines/")).status).toBe(200);
  await arm(sandbox, { match: { path: "/air/offer_requests", method: "POST" }, fault: "http_503" });
  expect((await sandbox.call("POST", "/air/offer_requests/", body)).status).toBe(503);
});

test("airlines' loyalty programmes are listed and read", async () => {
  const Programme = z.looseObject({
    id: z.string().startsWith("loy_0000"),
    name: z.string(),
    owner_airline_id: z.string(),
  });
  const listed = parseData(await sandbox.call("GET", "/air/loyalty_programmes?limit=200"), z.array(Programme));
  const programme = listed.find((candidate) => candidate.name === "AAdvantage");
  expect(parseData(await sandbox.call("GET", `/air/loyalty_programmes/${programme?.id}`), Programme)).toEqual(
    programme,
  );
  const owner = await sandbox.call("GET", `/air/airlines/${programme?.owner_airline_id}`);
  expect(parseData(owner, z.looseObject({ iata_code: z.string() })).iata_code).toBe("AA");
  expect(parseError(await sandbox.call("GET", "/air/loyalty_programmes/loy_none"))).toMatchObject({ status: 404 });
});

/** By hand, as fetch writes the host itself. */
function sendByHand(path: string, method: string, headers: Record<string, string>, body = ""): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(sandbox.url + path, { agent: false, method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on("error", reject).end(body);
  });
}

test("control is for programs of this machine: no page of another origin, and none under another name, moves the clock", async () => {
  const port = new URL(sandbox.url).port;
  const tick = (headers: Record<string, string>, path = "/_sandbox/tick") =>
    sendByHand(path, "POST", headers, JSON.stringify({ advanceSeconds: 0 }));
  const json = { "content-type": "application/json" };
  expect(await tick({ "content-type": "text/plain", origin: "https://attacker.example" })).toBe(403);
  expect(await tick({ "content-type": "text/plain" })).toBe(415);
  expect(await tick({ ...json, origin: "https://attacker.example" })).toBe(403);
  expect(await tick({ ...json, origin: "null" })).toBe(403);
  expect(await tick({ ...json, host: `rebound.example:${port}` })).toBe(403);
  expect(await tick({ ...json, host: `127.0.0.1.rebound.example:${port}` })).toBe(403);
  expect(await tick({ ...json, origin: "https://attacker.example" }, "/air/../%5fsandbox/tick")).toBe(403);
  expect(await sendByHand("/_sandbox/ledger", "GET", { host: "rebound.example" })).toBe(403);
  // Clients for which an address or localhost is enough.
  expect(await tick(json)).toBe(200);
  expect(await tick({ ...json, host: `localhost:${port}` })).toBe(200);
  expect(await tick({ ...json, host: `[::1]:${port}` })).toBe(200);
  expect(await tick({ "content-type": "application/json; charset=utf-8", origin: sandbox.url })).toBe(200);
});
