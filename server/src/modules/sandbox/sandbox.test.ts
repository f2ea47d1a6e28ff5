import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** The simulators as people who administer the sandbox see them. Faults here are this tenant's: no other file meets them. */

let service: TestService;
let other: TestService;
beforeAll(async () => {
  service = await openSharedService();
  other = await openSharedService();
});
afterEach(async () => {
  await send("DELETE", "/api/sandbox/faults");
});
afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const State = z.object({ faults: z.array(z.record(z.string(), z.unknown())) });
const Books = z.object({
  bookings: z.array(
    z.object({
      orderId: z.string().nullable(),
      status: z.string(),
      theirs: z.array(z.object({ orderId: z.string(), state: z.string() })),
      differences: z.array(z.string()),
    }),
  ),
});

async function send(method: string, path: string, body?: unknown) {
  return await service.send(path, {
    method,
    headers: { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The supplier's database, beside the service's. */
async function askSupplier(text: string, values: readonly string[]): Promise<Record<string, unknown>[]> {
  const url = new URL(service.config.databaseUrl ?? "");
  url.pathname = `${url.pathname}_sandbox`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

const day = (ahead: number) => Temporal.Now.plainDateISO("UTC").add({ days: ahead }).toString();
const search = (who: TestService, destination = "JFK", departureDate = day(60)) =>
  who.call("search_flights", { origin: "LHR", destination, departureDate });
const readFaults = async () => State.parse((await send("GET", "/api/sandbox")).body).faults;
const readBooks = async () => Books.parse((await send("GET", "/api/sandbox/books")).body).bookings;
const arm = async (body: object) => {
  const answer = await send("POST", "/api/sandbox/faults", body);
  expect(answer.status, answer.text).toBe(200);
};

let booked = 0;
/** Each on a day of its own: nobody buys two tickets for one flight. */
async function book(who = service): Promise<string> {
  booked += 1;
  const { offers } = z
    .object({ offers: z.array(z.object({ id: z.string() })) })
    .parse(requireResult(await search(who, "JFK", day(60 + booked))));
  return String(requireResult(await who.call("book_flight", { offerId: offers[0]?.id })).orderId);
}

it("a fault meets the tenant's own requests, as often as it was armed, and no other tenant's", async () => {
  await arm({ at: "search_flights", fault: "not_enabled", times: 1 });
  expect(await readFaults()).toEqual([
    { at: "search_flights", simulator: "supplier", fault: "not_enabled", times: 1, delaySeconds: 0 },
  ]);
  expect((await search(other)).status).toBe(200);
  expect(await readFaults(), "the other tenant's request used nothing up").toHaveLength(1);
  expect((await search(service, "CDG")).status).not.toBe(200);
  expect(await readFaults()).toEqual([]);
  expect((await search(service, "CDG")).status).toBe(200);
});

it("disarming leaves what others have armed", async () => {
  const armed = async () =>
    z
      .object({ scenarios: z.array(z.object({ match: z.object({ tenant: z.string() }) })) })
      .parse(await (await fetch(`${service.supplierUrl}/_sandbox/scenarios`)).json());
  const theirs = { match: { path: "/air/none", tenant: "somebody" }, fault: "http_500" };
  await fetch(`${service.supplierUrl}/_sandbox/scenarios`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(theirs),
  });
  await arm({ at: "book_flight", fault: "sold_out" });
  expect(await readFaults(), "others' faults are not shown").toHaveLength(1);
  expect((await send("DELETE", "/api/sandbox/faults")).body).toEqual({ faults: [] });
  expect((await armed()).scenarios.map(({ match }) => match.tenant)).toEqual(["somebody"]);
  await fetch(`${service.supplierUrl}/_sandbox/scenarios?tenant=somebody`, { method: "DELETE" });
});

it("a fault is refused where it makes no sense, and every action is in the audit log", async () => {
  const answer = await send("POST", "/api/sandbox/faults", { at: "search_flights", fault: "ticketing_failed" });
  expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
  await arm({ at: "search_stays", fault: "http_503", times: 2 });
  await send("DELETE", "/api/sandbox/faults");
  await send("POST", "/api/sandbox/clock", { advanceSeconds: 0 });
  const rows = await service.sql(
    "select actor, action, subject_id, details from audit_log where tenant_id = $1 and action like 'sandbox.%' order by id desc limit 3",
    [service.tenantId],
  );
  expect(rows.toReversed()).toMatchObject([
    {
      actor: "user_test_operator",
      action: "sandbox.fault",
      subject_id: "search_stays",
      details: { fault: "http_503" },
    },
    { action: "sandbox.disarm" },
    { action: "sandbox.clock", details: { advanceSeconds: 0 } },
  ]);
});

it("both sides' books agree on an order; what the supplier has otherwise is marked", async () => {
  const orderId = await book();
  const find = async () => (await readBooks()).find((booking) => booking.orderId === orderId);
  expect(await find()).toMatchObject({ status: "confirmed", theirs: [{ orderId, state: "paid" }], differences: [] });
  await withSupplierOrder(orderId, "update orders set state = 'cancelled' where id = $1", async () => {
    expect((await find())?.differences).toEqual(["state"]);
  });
  expect((await find())?.differences).toEqual([]);
});

/** Changes the supplier's books behind its back, and back again. */
async function withSupplierOrder(orderId: string, change: string, look: () => Promise<void>): Promise<void> {
  await askSupplier(change, [orderId]);
  await look();
  await askSupplier("update orders set state = 'paid' where id = $1", [orderId]);
}

it("the airline moves the tenant's flight, and closes an airport for its orders only", async () => {
  const orderId = await book();
  const moved = await send("POST", `/api/sandbox/orders/${orderId}/schedule-change`, { shiftMinutes: 50 });
  expect(moved.status, moved.text).toBe(200);
  const part = await send("POST", `/api/sandbox/orders/${orderId}/schedule-change`, { slice: 7 });
  expect([part.status, part.body.code]).toEqual([404, "not_found"]);
  const changes = async (id: string) => {
    const rows = await askSupplier("select added from airline_initiated_changes where order_id = $1 order by seq", [
      id,
    ]);
    return rows.map(({ added }) => z.array(z.unknown()).parse(added).length);
  };
  expect(await changes(orderId)).toEqual([1]);
  const second = await book();
  const notMine = await book(other);
  const closed = await send("POST", "/api/sandbox/airport-closures", { airport: "JFK" });
  expect(closed.body.orderIds).toContain(second);
  expect(closed.body.orderIds).not.toContain(notMine);
  expect(await changes(second), "its flights are cancelled").toEqual([0]);
  expect(await changes(notMine)).toEqual([]);
});
