import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { ApprovalDesk } from "../../../test/support/approval-desk.ts";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { tenantEvents } from "../../contributions.ts";

/** The feed of events, and endpoints as seen by a receiver that verifies with the specification's own library. */

let service: TestService;
let other: TestService;
let receiver: ScriptedServer;
let answer: (turn: number) => Answer | Promise<Answer>;
beforeAll(async () => {
  service = await openSharedService();
  other = await openSharedService();
  receiver = await startScriptedServer((_, turn) => answer(turn));
});
afterAll(async () => {
  await receiver?.close();
  await service?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  answer = () => ({ status: 204 });
  receiver.requests.length = 0;
  for (const { id } of await listEndpoints()) await ask("DELETE", `/api/event-endpoints/${id}`);
});

const Endpoint = z.object({
  id: z.string(),
  state: z.string(),
  offBecause: z.string().nullable(),
  secret: z.string().optional(),
});
const Page = z.object({
  events: z.array(z.object({ id: z.string(), type: z.string(), data: z.record(z.string(), z.unknown()) })),
  cursor: z.string(),
});
const Deliveries = z.object({
  deliveries: z.array(
    z.object({
      eventId: z.string(),
      state: z.string(),
      attempts: z.int(),
      lastStatus: z.int().nullable(),
      lastProblem: z.string().nullable(),
    }),
  ),
});

const ask = (method: string, path: string, body?: unknown, key = service.operatorKey) =>
  service.send(path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function listEndpoints() {
  const { body } = await ask("GET", "/api/event-endpoints");
  return z.object({ endpoints: z.array(Endpoint) }).parse(body).endpoints;
}

async function addEndpoint(fields: object = {}) {
  const { body, text } = await ask("POST", "/api/event-endpoints", { url: receiver.url, ...fields });
  const { id, secret } = Endpoint.parse(body, { error: () => text });
  return { id, secret: secret ?? "" };
}

async function readFeed(after?: string, key = service.apiKey, more = "") {
  const { body } = await ask(
    "GET",
    `/api/events?limit=200${after === undefined ? "" : `&after=${after}`}${more}`,
    undefined,
    key,
  );
  return Page.parse(body);
}

/** Books a flight; returns the order. */
let daysAhead = 59;

/** Each on a day of its own. */
async function book(): Promise<string> {
  daysAhead += 1;
  const day = Temporal.Now.plainDateISO().add({ days: daysAhead }).toString();
  const { offers } = z
    .object({ offers: z.array(z.object({ id: z.string() })) })
    .parse(
      requireResult(await service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate: day })),
    );
  const booked = requireResult(await service.call("book_flight", { offerId: offers[0]?.id }));
  return z.object({ orderId: z.string() }).parse(booked).orderId;
}

const sendTest = async (id: string, data: object = {}) => {
  const { body } = await ask("POST", `/api/event-endpoints/${id}/test`, { data });
  return z.object({ eventId: z.string() }).parse(body).eventId;
};

async function readDeliveries(id: string) {
  return Deliveries.parse((await ask("GET", `/api/event-endpoints/${id}/deliveries`)).body).deliveries;
}

/** Reads the deliveries until they are as expected. */
async function deliveriesWhen(id: string, isSo: (deliveries: Awaited<ReturnType<typeof readDeliveries>>) => boolean) {
  return await vi.waitUntil(
    async () => {
      const found = await readDeliveries(id);
      return isSo(found) && found;
    },
    { timeout: 20_000, interval: 25 },
  );
}

/** Makes waiting deliveries due now. */
async function makeDue(): Promise<void> {
  await service.sql(
    "update event_delivery set next_at = now() where next_at is not null and endpoint_id in (select id from event_endpoint where tenant_id = $1)",
    [service.tenantId],
  );
  await service.sql("select pg_notify('work_changed', 'event_delivery 0')");
}

test("every event of a booking is in the feed and reaches the endpoint, signed, in its order", async () => {
  const { cursor } = await readFeed("end");
  const { id, secret } = await addEndpoint({ types: ["order.booked", "order.ticketed"] });
  const orderId = await book();
  await vi.waitUntil(() => receiver.requests.length >= 2, { timeout: 20_000, interval: 25 });
  const received = receiver.requests.map(({ headers, body }) => {
    const verified = new Webhook(secret).verify(JSON.stringify(body), z.record(z.string(), z.string()).parse(headers));
    return {
      id: String(headers["webhook-id"]),
      ...z.object({ type: z.string(), data: z.looseObject({ orderId: z.string() }) }).parse(verified),
    };
  });
  expect(received.map(({ type, data }) => [type, data.orderId])).toEqual([
    ["order.booked", orderId],
    ["order.ticketed", orderId],
  ]);
  const { events } = await readFeed(cursor);
  expect(events.map((event) => event.id)).toEqual(expect.arrayContaining(received.map((event) => event.id)));
  const delivered = await deliveriesWhen(id, (all) => all.every(({ state }) => state === "delivered"));
  expect(delivered).toMatchObject([{ attempts: 1, lastStatus: 204 }, { attempts: 1 }]);
});

test("what is told fits the schema of its type, and another tenant sees none of it", async () => {
  const kinds = new Map(tenantEvents.map((kind) => [kind.type, kind]));
  for (const { data, example, type } of tenantEvents) expect(data.safeParse(example).success, type).toBe(true);
  const { body: described } = await service.send("/api/openapi.json", {});
  const { webhooks } = z.object({ webhooks: z.record(z.string(), z.unknown()) }).parse(described);
  expect(Object.keys(webhooks).toSorted()).toEqual([...kinds.keys()].toSorted());
  await book();
  const { events } = await readFeed();
  expect(events.length).toBeGreaterThan(1);
  for (const { type, data } of events.filter((event) => event.type !== "test")) {
    const parsed = z.strictObject(kinds.get(type)?.data.shape ?? {}).safeParse(data);
    expect(parsed.error?.issues, `${type} ${JSON.stringify(data)}`).toBeUndefined();
  }
  const theirs = await readFeed(undefined, other.apiKey);
  const ours = new Set(events.map((event) => event.id));
  expect(theirs.events.filter((event) => ours.has(event.id))).toEqual([]);
});

test("a wait for events ends with the next one", async () => {
  const { id } = await addEndpoint();
  const { cursor } = await readFeed("end");
  const waiting = readFeed(cursor, service.apiKey, "&wait=20&types=test");
  const eventId = await sendTest(id, { hello: "you" });
  expect((await waiting).events).toMatchObject([{ id: eventId, data: { hello: "you" } }]);
});

test("everybody who waits for the same event gets it, however many pages are open", async () => {
  const { id } = await addEndpoint();
  const { cursor } = await readFeed("end");
  const keys = await service.operator(({ mintKey }) =>
    Promise.all(
      Array.from({ length: 8 }, async () => {
        const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
        return (await mintKey({ ...owner, scopes: ["events:read"], actor: "test" })).apiKey;
      }),
    ),
  );
  // As many as a key may have waiting, and more of the tenant than may wait for a connection.
  const waiting = keys.flatMap((key) => Array.from({ length: 16 }, () => readFeed(cursor, key, "&wait=20&types=test")));
  await readFeed(cursor);
  const eventId = await sendTest(id, { hello: "all" });
  for (const page of await Promise.all(waiting)) expect(page.events).toMatchObject([{ id: eventId }]);
});

test("clients that leave give back the waits of their key", async () => {
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  const { apiKey } = await service.operator(({ mintKey }) =>
    mintKey({ ...owner, scopes: ["events:read"], actor: "test" }),
  );
  const { cursor } = await readFeed("end");
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${apiKey}` };
  const url = `/api/events?after=${cursor}&wait=25&types=test`;
  // One more than a key may have waiting: its answer says that all others wait.
  const asked = Array.from({ length: 17 }, () => service.send(url, { headers, signal: leaving.signal }));
  expect((await Promise.race(asked)).body).toEqual({ events: [], cursor });
  leaving.abort();
  expect((await Promise.allSettled(asked)).filter(({ status }) => status === "rejected")).toHaveLength(16);
  // A request that may not wait is answered at once.
  const mayWait = async () => {
    const begun = performance.now();
    const answered = Array.from({ length: 16 }, async () => {
      await readFeed(cursor, apiKey, "&wait=3&types=none.such");
      return performance.now() - begun;
    });
    return Math.min(...(await Promise.all(answered))) > 2_900;
  };
  await vi.waitUntil(mayWait, { timeout: 15_000, interval: 100 });
});

test("a failing delivery is tried again, and later events of its resource wait for it", async () => {
  const { id } = await addEndpoint();
  answer = (turn) => ({ status: turn === 1 ? 500 : 200 });
  const first = await sendTest(id, { turn: 1 });
  await deliveriesWhen(id, ([one]) => one?.lastStatus === 500);
  const second = await sendTest(id, { turn: 2 });
  expect((await readDeliveries(id)).map(({ state }) => state)).toEqual(["waiting", "waiting"]);
  expect(receiver.requests).toHaveLength(1);
  await makeDue();
  await deliveriesWhen(id, (all) => all.every(({ state }) => state === "delivered"));
  expect(receiver.requests.map(({ headers }) => headers["webhook-id"])).toEqual([first, first, second]);
});

test("after three days of failures the endpoint is switched off, the account says so, and events can be replayed", async () => {
  const desk = new ApprovalDesk(service);
  const admin = await desk.newPerson("Ada", "admin");
  expect((await ask("POST", "/api/channels", { kind: "email" })).status).toBe(200);
  const { id } = await addEndpoint();
  answer = () => "reset";
  const eventId = await sendTest(id);
  await deliveriesWhen(id, ([one]) => one?.lastProblem !== null);
  await service.sql("update event_delivery set first_attempt_at = now() - interval '73 hours' where endpoint_id = $1", [
    id,
  ]);
  await makeDue();
  const [failed] = await deliveriesWhen(id, ([one]) => one?.state === "failed");
  expect(failed?.lastProblem).toBe("The connection broke before it answered.");
  const [endpoint] = await listEndpoints();
  expect(endpoint).toMatchObject({ state: "off", offBecause: expect.stringContaining("three days") });
  const told = "select 1 from message where tenant_id = $1 and user_id = $2 and kind = 'event_endpoint'";
  await expect.poll(() => service.sql(told, [service.tenantId, admin.id])).toHaveLength(1);
  const { missing } = z
    .object({ missing: z.array(z.object({ what: z.string() })) })
    .parse(requireResult(await service.call("read_account", {})));
  expect(missing.map(({ what }) => what).join()).toContain(receiver.url);
  expect((await ask("POST", `/api/event-endpoints/${id}/replay`, { eventIds: [eventId] })).body.code).toBe("conflict");

  answer = () => ({ status: 200 });
  const on = await ask("POST", `/api/event-endpoints/${id}`, { url: receiver.url, state: "on" });
  expect(on.body).toMatchObject({ state: "on", offBecause: null, failingSince: null });
  const replay = await ask("POST", `/api/event-endpoints/${id}/replay`, {
    since: new Date(Date.now() - 3_600_000).toISOString(),
  });
  expect(Number(replay.body.replayed)).toBeGreaterThan(0);
  await deliveriesWhen(id, (all) => all.some((one) => one.eventId === eventId && one.state === "delivered"));
  // By its id, with its id.
  await deliveriesWhen(id, (all) => all.every(({ state }) => state === "delivered"));
  receiver.requests.length = 0;
  expect((await ask("POST", `/api/event-endpoints/${id}/replay`, { eventIds: [eventId] })).body.replayed).toBe(1);
  // Events of this tenant's earlier orders may come between.
  const isHere = () => receiver.requests.some(({ headers }) => headers["webhook-id"] === eventId);
  await vi.waitUntil(isHere, { timeout: 20_000, interval: 25 });
});

test("a replay asked for while an event is on its way sends it once more", async () => {
  const { id } = await addEndpoint();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  answer = async (turn) => {
    if (turn === 1) await gate;
    return { status: 204 };
  };
  const eventId = await sendTest(id);
  await vi.waitUntil(() => receiver.requests.length === 1, { timeout: 20_000, interval: 25 });
  expect((await ask("POST", `/api/event-endpoints/${id}/replay`, { eventIds: [eventId] })).body.replayed).toBe(1);
  open();
  await vi.waitUntil(() => receiver.requests.length === 2, { timeout: 20_000, interval: 25 });
  await deliveriesWhen(id, ([one]) => one?.state === "delivered");
});

test("410 switches the endpoint off at once, and an endpoint that is off gets nothing", async () => {
  const { id } = await addEndpoint();
  answer = () => ({ status: 410 });
  await sendTest(id);
  await deliveriesWhen(id, ([one]) => one?.state === "failed");
  expect(await listEndpoints()).toMatchObject([{ state: "off", offBecause: "It answered 410 Gone." }]);
  expect((await ask("POST", `/api/event-endpoints/${id}/test`, {})).body.code).toBe("conflict");
  expect(receiver.requests).toHaveLength(1);
});

test("a redirect is a failure and is not followed", async () => {
  const { id } = await addEndpoint();
  answer = () => ({ status: 302, headers: { location: "http://169.254.169.254/" } });
  await sendTest(id);
  expect(await deliveriesWhen(id, ([one]) => one?.lastStatus !== null)).toMatchObject([
    { lastProblem: "It answered 302." },
  ]);
  expect(receiver.requests).toHaveLength(1);
});

test("while a secret is replaced, both sign; afterwards only the new one", async () => {
  const { id, secret } = await addEndpoint();
  const { body } = await ask("POST", `/api/event-endpoints/${id}/rotate`, { overlapHours: 1 });
  const renewed = Endpoint.parse(body).secret ?? "";
  await sendTest(id);
  await vi.waitUntil(() => receiver.requests.length === 1, { timeout: 20_000, interval: 25 });
  await service.sql("update event_endpoint set former_until = now() - interval '1 second' where id = $1", [id]);
  await sendTest(id);
  await vi.waitUntil(() => receiver.requests.length === 2, { timeout: 20_000, interval: 25 });
  const verifies = receiver.requests.map(({ headers, body: sent }) =>
    [secret, renewed].map((key) => {
      try {
        return Boolean(new Webhook(key).verify(JSON.stringify(sent), z.record(z.string(), z.string()).parse(headers)));
      } catch {
        return false;
      }
    }),
  );
  expect(verifies).toEqual([
    [true, true],
    [false, true],
  ]);
  const [{ kept } = { kept: "" }] = await service.sql(
    "select secret || coalesce(former_secret, '') as kept from event_endpoint where id = $1",
    [id],
  );
  for (const key of [secret, renewed]) expect(String(kept)).not.toContain(key);
});

test("addresses inside, unknown types and too many endpoints are refused", async () => {
  for (const url of [
    "https://10.0.0.7/hook",
    "http://example.com/hook",
    "https://[::1]/",
    "https://user:word@example.com/",
    "ftp://127.0.0.1/",
    "nonsense",
  ]) {
    const refused = await ask("POST", "/api/event-endpoints", { url });
    expect([url, refused.status, refused.body.code]).toEqual([url, 400, "invalid_input"]);
  }
  expect((await ask("POST", "/api/event-endpoints", { url: receiver.url, types: ["order.bought"] })).text).toContain(
    "types.0",
  );
  const added = await Promise.all(
    Array.from({ length: 12 }, () => ask("POST", "/api/event-endpoints", { url: receiver.url })),
  );
  expect(Map.groupBy(added, ({ status }) => status).get(409)).toHaveLength(2);
});

test("an agent's key reads and cannot change endpoints, and another tenant's endpoint does not exist", async () => {
  const { id } = await addEndpoint();
  expect((await ask("POST", "/api/event-endpoints", { url: receiver.url }, service.apiKey)).body.code).toBe(
    "missing_scope",
  );
  for (const [method, path, body] of [
    ["GET", "deliveries", undefined],
    ["POST", "rotate", {}],
    ["POST", "test", {}],
    ["POST", "replay", { since: "2026-01-01T00:00:00Z" }],
  ] as const) {
    expect((await ask(method, `/api/event-endpoints/${id}/${path}`, body, other.operatorKey)).status, path).toBe(404);
  }
  const change = { url: receiver.url, state: "off" };
  expect((await ask("POST", `/api/event-endpoints/${id}`, change, other.operatorKey)).status).toBe(404);
  expect((await ask("DELETE", `/api/event-endpoints/${id}`, undefined, other.operatorKey)).status).toBe(404);
  expect(await listEndpoints()).toMatchObject([{ id, state: "on" }]);
});
