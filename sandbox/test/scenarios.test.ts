// Every fault that can be armed, each with the same call unarmed beside it, and the clock.
import { createConnection } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { request, SUPPLIER_HEADERS, startSandboxProcess, startTestSandbox, type TestSandbox } from "./start.ts";
import {
  arm,
  checkLedgerAddsUp,
  getOrder,
  hold,
  instantBody,
  ledger,
  Offer,
  Order,
  orderBody,
  parseData,
  parseError,
  pay,
  pickOffer,
  search,
  tick,
} from "./supplier.ts";

let sandbox: TestSandbox;
let offer: Offer;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});
beforeEach(async () => {
  offer = await pickOffer(sandbox);
});
afterEach(async () => {
  await sandbox.control("DELETE", "/_sandbox/scenarios");
});

const ORDERS = { path: "/air/orders", method: "POST" };
const Armed = z.object({
  scenarios: z.array(z.looseObject({ id: z.string(), fault: z.string(), remaining: z.number() })),
});

const order = (data: unknown) => sandbox.call("POST", "/air/orders", data);
const armed = async () => Armed.parse((await sandbox.control("GET", "/_sandbox/scenarios")).body).scenarios;
const listOrders = async (offerId: string) =>
  (await ledger(sandbox)).orders.filter((entry) => entry.offer_id === offerId);

/** Posts an order and gives up when told to. */
function orderUntil(signal: AbortSignal) {
  const body = JSON.stringify({ data: orderBody(offer) });
  return request(`${sandbox.url}/air/orders`, { method: "POST", headers: SUPPLIER_HEADERS, body, signal });
}

async function worksUnarmed(): Promise<void> {
  const before = (await listOrders(offer.id)).length;
  parseData(await order(orderBody(offer)), Order, 201);
  expect((await listOrders(offer.id)).length).toBe(before + 1);
}

describe("faults of the connection", () => {
  test("timeout: no answer, nothing done", async () => {
    await arm(sandbox, { match: ORDERS, fault: "timeout" });
    const giveUp = new AbortController();
    const asked = orderUntil(giveUp.signal);
    await expect.poll(armed).toEqual([]);
    await tick(sandbox, 3600 / 4);
    expect(await Promise.race([asked, Promise.resolve("open")])).toBe("open");
    giveUp.abort();
    await expect(asked).rejects.toThrow();
    expect(await listOrders(offer.id)).toEqual([]);
    await worksUnarmed();
  });

  test.each([
    ["http_500", 500],
    ["http_503", 503],
  ] as const)("%s: nothing done", async (fault, status) => {
    await arm(sandbox, { match: ORDERS, fault, times: 2 });
    expect(parseError(await order(orderBody(offer)))).toMatchObject({ status, type: "api_error" });
    expect(parseError(await order(orderBody(offer)))).toMatchObject({ status, type: "api_error" });
    expect(await listOrders(offer.id)).toEqual([]);
    await worksUnarmed();
  });

  test("reset_after_effect: done, then the connection is reset", async () => {
    await arm(sandbox, { match: ORDERS, fault: "reset_after_effect" });
    await expect(order(orderBody(offer))).rejects.toThrow();
    expect(await listOrders(offer.id)).toHaveLength(1);
    await worksUnarmed();
  });

  test("truncated_json: done, and half a body", async () => {
    await arm(sandbox, { match: ORDERS, fault: "truncated_json" });
    const body = JSON.stringify({ data: orderBody(offer) });
    const response = await fetch(`${sandbox.url}/air/orders`, { method: "POST", headers: SUPPLIER_HEADERS, body });
    expect(response.status).toBe(201);
    const text = await response.text();
    expect(text.startsWith('{"data":')).toBe(true);
    expect(() => JSON.parse(text)).toThrow();
    expect(await listOrders(offer.id)).toHaveLength(1);
    await worksUnarmed();
  });

  test("late_effect: no answer; done only after the delay, also when the client has gone", async () => {
    await arm(sandbox, { match: ORDERS, fault: "late_effect", delayMs: 600_000 });
    const giveUp = new AbortController();
    const asked = orderUntil(giveUp.signal);
    await expect.poll(armed).toEqual([]);
    giveUp.abort();
    await expect(asked).rejects.toThrow();
    await tick(sandbox, 500);
    expect(await listOrders(offer.id)).toEqual([]);
    await tick(sandbox, 101);
    await expect.poll(() => listOrders(offer.id)).toHaveLength(1);
    await worksUnarmed();
  });

  test("late_effect: a client that waits on hears nothing", async () => {
    await arm(sandbox, { match: ORDERS, fault: "late_effect", delayMs: 600_000 });
    const giveUp = new AbortController();
    const asked = orderUntil(giveUp.signal);
    await expect.poll(armed).toEqual([]);
    await tick(sandbox, 601);
    await expect.poll(() => listOrders(offer.id)).toHaveLength(1);
    await worksUnarmed();
    expect(await Promise.race([asked, Promise.resolve("open")])).toBe("open");
    giveUp.abort();
    await expect(asked).rejects.toThrow();
  });

  test("hang-up: who waits for an answer that never comes hears so, and what is late comes all the same", async () => {
    let hungUp = 0;
    const hangUp = async () => {
      const { body } = await sandbox.control("POST", "/_sandbox/hang-up");
      hungUp += z.object({ hungUp: z.number() }).parse(body).hungUp;
      return hungUp;
    };
    await arm(sandbox, { match: ORDERS, fault: "timeout" });
    await arm(sandbox, { match: ORDERS, fault: "late_effect", delayMs: 600_000 });
    const asked = [order(orderBody(offer)), order(orderBody(offer))];
    const heard = Promise.allSettled(asked);
    await expect.poll(armed).toEqual([]);
    await expect.poll(hangUp).toBe(2);
    expect((await heard).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await hangUp()).toBe(2);
    expect(await listOrders(offer.id)).toEqual([]);
    await tick(sandbox, 601);
    await expect.poll(() => listOrders(offer.id)).toHaveLength(1);
    await worksUnarmed();
  });
});

describe("faults of the business", () => {
  test("price_changed on an order: refused, and the offer is dearer from then on", async () => {
    await arm(sandbox, { match: ORDERS, fault: "price_changed" });
    expect(parseError(await order(instantBody(offer)))).toMatchObject({ status: 422, code: "price_changed" });
    const dearer = parseData(await sandbox.call("GET", `/air/offers/${offer.id}`), Offer);
    expect(Number(dearer.total_amount)).toBeGreaterThan(Number(offer.total_amount));
    expect(parseError(await order(instantBody(offer)))).toMatchObject({
      code: "payment_amount_does_not_match_order_amount",
    });
    parseData(await order(instantBody(dearer)), Order, 201);
  });

  test("price_changed on a payment: refused, and the order is dearer from then on", async () => {
    const held = await hold(sandbox, offer);
    await arm(sandbox, { match: { path: "/air/payments", method: "POST" }, fault: "price_changed" });
    const payment = { type: "balance", amount: held.total_amount, currency: "USD" };
    expect(parseError(await sandbox.call("POST", "/air/payments", { order_id: held.id, payment }))).toMatchObject({
      code: "price_changed",
    });
    const dearer = await getOrder(sandbox, held.id);
    expect(Number(dearer.total_amount)).toBeGreaterThan(Number(held.total_amount));
    await pay(sandbox, dearer);
  });

  test("price_changed on reading an offer shows the new price", async () => {
    await arm(sandbox, { match: { path: "/air/offers/{id}", method: "GET" }, fault: "price_changed" });
    const read = async () => parseData(await sandbox.call("GET", `/air/offers/${offer.id}`), Offer).total_amount;
    const changed = await read();
    expect(Number(changed)).toBeGreaterThan(Number(offer.total_amount));
    expect(await read()).toBe(changed);
  });

  test("offer_expired: refused, and gone from then on", async () => {
    await arm(sandbox, { match: ORDERS, fault: "offer_expired" });
    expect(parseError(await order(orderBody(offer)))).toMatchObject({ status: 422, code: "offer_expired" });
    expect(parseError(await order(orderBody(offer)))).toMatchObject({ code: "offer_no_longer_available" });
    expect(await listOrders(offer.id)).toEqual([]);
    offer = await pickOffer(sandbox);
    await worksUnarmed();
  });

  test.each(["/air/orders", "/air/payments"])(
    "ticketing_failed, armed on %s: no tickets, the money is back",
    async (path) => {
      const before = (await ledger(sandbox)).balance.amount;
      await arm(sandbox, { match: { path, method: "POST" }, fault: "ticketing_failed" });
      const held = await hold(sandbox, offer);
      await pay(sandbox, held);
      await tick(sandbox, 2);
      const failed = await getOrder(sandbox, held.id);
      expect(failed.documents).toEqual([]);
      expect(failed.cancelled_at).not.toBeNull();
      const books = await ledger(sandbox);
      expect(books.balance.amount).toBe(before);
      // The money was taken first: by itself, tickets are refused a second after that.
      expect(books.balanceEntries.slice(-2).map((entry) => entry.amount)).toEqual([
        `-${held.total_amount}`,
        held.total_amount,
      ]);
      expect(books.payments.filter((payment) => payment.order_id === held.id).map((payment) => payment.status)).toEqual(
        ["failed"],
      );
      checkLedgerAddsUp(books);
    },
  );

  test("ticketing_failed with a delay: not before it", async () => {
    await arm(sandbox, { match: ORDERS, fault: "ticketing_failed", delayMs: 600_000 });
    const held = await hold(sandbox, offer);
    await pay(sandbox, held);
    await tick(sandbox, 500);
    expect((await getOrder(sandbox, held.id)).cancelled_at).toBeNull();
    await tick(sandbox, 101);
    expect((await getOrder(sandbox, held.id)).cancelled_at).not.toBeNull();
  });

  test("ticketing_delayed: tickets come after the delay and not before", async () => {
    await arm(sandbox, {
      match: { path: "/air/payments", method: "POST" },
      fault: "ticketing_delayed",
      delayMs: 3_600_000,
    });
    const held = await hold(sandbox, offer);
    await pay(sandbox, held);
    await tick(sandbox, 3500);
    expect((await getOrder(sandbox, held.id)).documents).toEqual([]);
    await tick(sandbox, 101);
    expect((await getOrder(sandbox, held.id)).documents).toHaveLength(1);
  });
});

describe("arming", () => {
  test("only the method and path that match meet the fault, as often as said, oldest first", async () => {
    const match = { path: "/air/orders/{id}", method: "GET" };
    await arm(sandbox, { match, fault: "http_503", times: 2 });
    await arm(sandbox, { match, fault: "http_500" });
    const held = await hold(sandbox, offer);
    expect((await sandbox.call("GET", "/air/orders")).status).toBe(200);
    expect((await sandbox.call("PATCH", `/air/orders/${held.id}`, { metadata: {} })).status).toBe(200);
    const statuses = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await sandbox.call("GET", `/air/orders/${held.id}`)).status);
    expect(statuses).toEqual([503, 503, 500, 200]);
  });

  test("a path without a placeholder also matches what lies below it, without a method any", async () => {
    await arm(sandbox, { match: { path: "/air" }, fault: "http_503" });
    expect((await sandbox.call("GET", `/air/offers/${offer.id}`)).status).toBe(503);
    await arm(sandbox, { match: { path: "/air/{kind}" }, fault: "http_503" });
    await arm(sandbox, { match: { path: "/air/offer" }, fault: "http_503" });
    expect((await sandbox.call("GET", `/air/offers/${offer.id}`)).status).toBe(200);
  });

  test("what is armed shows, is disarmed, and survives a restart", async () => {
    await arm(sandbox, { match: ORDERS, fault: "http_503", times: 3 });
    const twin = await startSandboxProcess(sandbox.databaseUrl);
    expect(Armed.parse((await twin.control("GET", "/_sandbox/scenarios")).body).scenarios).toEqual([
      expect.objectContaining({ fault: "http_503", remaining: 3, match: ORDERS }),
    ]);
    expect((await twin.call("POST", "/air/orders", orderBody(offer))).status).toBe(503);
    await twin.stop();
    expect(await armed()).toEqual([expect.objectContaining({ remaining: 2 })]);
    expect((await sandbox.control("DELETE", "/_sandbox/scenarios")).status).toBe(200);
    await worksUnarmed();
  });

  test("nonsense is refused", async () => {
    const bad = [
      {},
      { match: ORDERS, fault: "fire" },
      { match: { path: "air" }, fault: "timeout" },
      { match: ORDERS, fault: "timeout", times: 0 },
    ];
    for (const body of bad) expect((await sandbox.control("POST", "/_sandbox/scenarios", body)).status).toBe(400);
    expect((await sandbox.control("POST", "/_sandbox/tick", { advanceSeconds: -1 })).status).toBe(400);
  });
});

test("the clock's advance survives a restart, and searches follow it", async () => {
  const readNow = async (running: Pick<TestSandbox, "control">) =>
    Date.parse(z.looseObject({ now: z.string() }).parse((await running.control("GET", "/_sandbox/ledger")).body).now);
  const before = await readNow(sandbox);
  await tick(sandbox, 30 * 86_400);
  expect(await readNow(sandbox)).toBeGreaterThanOrEqual(before + 30 * 86_400_000);
  const twin = await startSandboxProcess(sandbox.databaseUrl);
  expect(await readNow(twin)).toBeGreaterThanOrEqual(before + 30 * 86_400_000);
  await twin.stop();
  const late = sandbox.call("POST", "/air/offer_requests", {
    slices: [
      {
        origin: "LHR",
        destination: "JFK",
        departure_date: new Date(before + 20 * 86_400_000).toISOString().slice(0, 10),
      },
    ],
    passengers: [{ type: "adult" }],
  });
  expect(parseError(await late)).toMatchObject({ code: "validation_date_in_past" });
  expect((await search(sandbox, { origin: "LHR", destination: "JFK", days: 200 })).offers.length).toBeGreaterThan(7);
});

test("a client that sends half a request and leaves does no harm", async () => {
  const socket = createConnection(Number(new URL(sandbox.url).port), "127.0.0.1");
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  socket.write("POST /air/orders HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
  await new Promise<void>((resolve) => {
    socket.end(resolve);
    socket.destroy();
  });
  expect((await request(`${sandbox.url}/healthz`, {})).status).toBe(200);
});
