import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, CallOptions } from "../../../../test/support/service.ts";
import { micro, openServicing, type Servicing } from "../../../../test/support/servicing-service.ts";
import { newFundedTenant } from "../../../../test/support/treasury.ts";

/** Orders held by an airline, over dispatch, at the supplier's sandbox. */
let world: Servicing;
let companion: string;
beforeAll(async () => {
  world = await openServicing("own");
  await world.result("save_traveler", { userId: "carol", ...carol });
  ({ customerUserId: companion } = Object(await world.result("ensure_flight_customer", { clerkUserId: "carol" })));
});
afterAll(() => world.close());

const carol = {
  givenName: "Carol",
  familyName: "Hart",
  bornOn: "1988-02-03",
  title: "ms",
  gender: "f",
  email: "carol.hart@example.com",
  phoneNumber: "+442080160509",
};
const LONGEST_HOLD_SECONDS = 80 * 3600;

const call = (tool: string, args: object, options?: CallOptions) => world.service.call(tool, args, options);
const describeFailure = ({ status, body }: Answer) => ({ status, code: body.code });
const preview = (tool: string, args: object) => world.result("preview_call", { tool, args });
const listOrders = async (offerId: string) =>
  (await world.ledger()).orders.filter(({ offer_id }) => offer_id === offerId);

async function hold(offerId: string): Promise<{ orderId: string; holdUntil: string; totalUsdc: string }> {
  return Object(await world.result("hold_flight", { offerId }));
}

async function giveBack(orderId: string) {
  const { cancellationId, refundUsdc } = await world.result("cancel_order_quote", { orderId });
  expect(refundUsdc).toBe("0.00");
  return await world.result("confirm_cancel_order", { cancellationId });
}

/** Requests that have all read the booking of an offer, and wait to change it. */
async function atOnceBehindRow<Answered>(
  offerId: string,
  keys: readonly string[],
  request: (key: string) => Promise<Answered>,
): Promise<Answered[]> {
  const client = new pg.Client({ connectionString: world.service.config.databaseUrl });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select 1 from booking where offer_id = $1 for update", [offerId]);
    const answers = Promise.all(keys.map(request));
    // Identified by the first column that a payment sets, as an event about the order may wait for the row as well.
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'update "booking" set "user_id"%'`;
    await expect.poll(() => world.service.sql(waiting)).toHaveLength(keys.length);
    await client.query("commit");
    return await answers;
  } finally {
    await client.end();
  }
}

describe("hold_flight", () => {
  it("has the airline hold the order without taking money, and book_flight pays for that order", async () => {
    const { id: offerId, totalAmount } = await world.flexibleOffer();
    const before = await world.books();
    const held = await world.result("hold_flight", { offerId });
    expect(held).toMatchObject({ status: "held", offerId, totalAmount, totalUsdc: totalAmount, callerTravels: true });
    expect(held).toMatchObject({
      pnr: expect.stringMatching(/^\w{6}$/),
      holdUntil: expect.stringMatching(/Z$/),
      priceGuaranteedUntil: expect.stringMatching(/Z$/),
      travelers: [{ givenName: expect.any(String) }],
      conditions: { refundBeforeDeparture: { allowed: true } },
      next: expect.stringContaining(`book_flight with offerId ${offerId}`),
    });
    const guaranteed = expect.stringContaining(`guaranteed only until ${held.priceGuaranteedUntil}`);
    expect([held, await world.result("read_order", { orderId: held.orderId })]).toMatchObject([
      { next: guaranteed },
      { next: guaranteed },
    ]);
    expect(await world.books()).toEqual(before);
    expect(await listOrders(offerId)).toMatchObject([{ id: held.orderId, type: "hold", state: "held" }]);

    const booked = await world.result("book_flight", { offerId });
    expect(booked).toMatchObject({ orderId: held.orderId, pnr: held.pnr, chargedUsdc: totalAmount });
    expect(await listOrders(offerId)).toMatchObject([{ id: held.orderId, state: "paid" }]);
    await world.expectSameBooks();
    const order = await world.result("read_order", { orderId: held.orderId });
    expect(order).toMatchObject({ status: "confirmed", holdUntil: held.holdUntil });
    expect(order.history).toMatchObject([{ kind: "held" }, { kind: "booked" }, ...[order.history].flat().slice(2)]);
  });

  it("is shown by read_order and list_orders, and a repetition returns the same order in its current state", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const held = await hold(offerId);
    expect(await world.result("read_order", { orderId: held.orderId })).toMatchObject({
      status: "held",
      kind: "flight",
      ticketing: null,
      holdUntil: held.holdUntil,
      isLive: true,
      refunds: [],
      next: expect.stringContaining(offerId),
    });
    const listed = await world.result("list_orders", { status: "held" });
    expect(listed.orders).toMatchObject([{ orderId: held.orderId, status: "held", holdUntil: held.holdUntil }]);
    expect(await hold(offerId)).toEqual(held);
    await world.result("book_flight", { offerId });
    expect(await hold(offerId)).toMatchObject({
      orderId: held.orderId,
      status: "paid",
      next: expect.stringContaining("paid for"),
    });
    expect(await listOrders(offerId)).toHaveLength(1);
  });

  it("plans no movement, and lets book_flight be planned with the price", async () => {
    const { id: offerId, totalAmount } = await world.flexibleOffer();
    const planned = await preview("hold_flight", { offerId });
    expect(planned).toMatchObject({ accepted: true, movements: [], irreversible: [] });
    expect(planned.note).toContain("later book_flight call");
    await hold(offerId);
    const movements = [{ token: "USDC", amount: totalAmount, from: "treasury", to: "collection" }];
    expect(await preview("book_flight", { offerId })).toMatchObject({ accepted: true, movements });
    await world.result("book_flight", { offerId });
    expect(await preview("book_flight", { offerId })).toMatchObject({ accepted: true, movements: [] });
  });

  it("can be cancelled at no cost, and is not paid afterwards", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const { orderId, holdUntil } = await hold(offerId);
    const quote = await world.result("cancel_order_quote", { orderId });
    expect(quote.next).toMatch(/^Nothing was paid for this hold, so nothing comes back, and giving it up is free/);
    expect(quote.next).toContain(`it lapses at ${holdUntil}`);
    const planned = await preview("confirm_cancel_order", { cancellationId: quote.cancellationId });
    expect(planned).toMatchObject({ accepted: true, movements: [] });
    expect(planned.note).toContain("ending it is free of charge");
    expect(planned.note).not.toContain("are lost");
    expect(await giveBack(orderId)).toMatchObject({ status: "cancelled", refundedUsdc: "0.00", chargedUsdc: "0.00" });
    expect(await listOrders(offerId)).toMatchObject([{ state: "cancelled" }]);
    expect(await world.result("read_order", { orderId })).toMatchObject({ status: "cancelled" });
    await world.expectSameBooks();
    const again = await hold(offerId);
    expect(again.orderId).not.toBe(orderId);
    await giveBack(again.orderId);
    const stored = await world.service.sql("select state, failure_code from booking where offer_id = $1", [offerId]);
    expect(stored).toEqual(Array.from({ length: 2 }, () => ({ state: "failed", failure_code: "hold_given_back" })));
  });

  it("lapses if nobody pays, as read_order and list_orders report", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const { orderId } = await hold(offerId);
    await world.advance(LONGEST_HOLD_SECONDS);
    await expect.poll(() => listOrders(offerId)).toMatchObject([{ state: "lapsed" }]);
    const refused = await call("book_flight", { offerId });
    expect(describeFailure(refused)).toEqual({ status: 500, code: "offer_expired" });
    expect(await world.result("read_order", { orderId })).toMatchObject({
      status: "lapsed",
      history: [{ kind: "held" }, { kind: "lapsed" }],
      next: expect.stringContaining("nothing is owed"),
    });
    const quote = await call("cancel_order_quote", { orderId });
    expect(quote.body).toMatchObject({
      code: "order_not_cancellable",
      detail: expect.stringContaining("hold has lapsed"),
    });
    expect(await preview("cancel_order_quote", { orderId })).toMatchObject({
      problem: { code: "order_not_cancellable" },
    });
    const { orders } = await world.result("list_orders", { status: "lapsed" });
    expect(orders).toMatchObject([{ orderId }]);
    await world.expectSameBooks();
  });

  it("takes no services and no credit, and orders nothing if they are asked for", async () => {
    const { id: offerId, owner } = await world.flexibleOffer();
    const { bags } = Object(await world.result("list_flight_ancillaries", { offerId }));
    const airlineCreditId = await world.giveCredit(owner.iataCode, "1.00");
    for (const more of [{ services: [{ id: bags[0].id }] }, { airlineCreditId }]) {
      const refused = await call("hold_flight", { offerId, ...more });
      expect(describeFailure(refused)).toEqual({ status: 400, code: "invalid_input" });
      expect(await preview("hold_flight", { offerId, ...more })).toMatchObject({
        accepted: false,
        problem: { code: "invalid_input" },
      });
    }
    expect(await listOrders(offerId)).toEqual([]);
  });

  it("is a separate order for other travelers: neither a second hold nor a payment, and the held one is named", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const { orderId } = await hold(offerId);
    for (const tool of ["hold_flight", "book_flight"]) {
      const args = { offerId, additionalCustomerUserIds: [companion] };
      const refused = await call(tool, args);
      expect(describeFailure(refused), tool).toEqual({ status: 500, code: "already_booked" });
      expect(refused.body, tool).toMatchObject({ orderId, differsIn: "travelers", retryable: false });
      expect(await preview(tool, args), tool).toMatchObject({
        accepted: false,
        problem: { code: "already_booked", orderId },
      });
    }
    expect(await listOrders(offerId)).toMatchObject([{ id: orderId, state: "held" }]);
    await giveBack(orderId);
  });

  it("for an offer that was booked without a hold names that order", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const { orderId } = await world.book({ offerId });
    const refused = await call("hold_flight", { offerId });
    expect(describeFailure(refused)).toEqual({ status: 500, code: "already_booked" });
    expect(refused.body).toMatchObject({ orderId });
    expect(await preview("hold_flight", { offerId })).toMatchObject({ problem: { code: "already_booked", orderId } });
  });

  it("is made once and paid once under concurrent calls", async () => {
    const { id: offerId, totalAmount } = await world.flexibleOffer();
    const holds = await Promise.all(
      Array.from({ length: 4 }, () => world.untilEnded(() => call("hold_flight", { offerId }))),
    );
    const orders = new Set(holds.map(({ body }) => Object(body.result).orderId));
    expect([orders.size, orders.has(undefined)]).toEqual([1, false]);
    const before = await world.paidToSupplier();
    const pays = await Promise.all(
      Array.from({ length: 4 }, () => world.untilEnded(() => call("book_flight", { offerId }))),
    );
    for (const { body } of pays) expect(orders.has(Object(body.result).orderId)).toBe(true);
    expect((await world.paidToSupplier()) - before).toBe(micro(totalAmount));
    await world.expectSameBooks();
  });

  it("is paid by one of two concurrent calls, and counted once by limits", async () => {
    const { id: offerId, totalAmount } = await world.flexibleOffer();
    const { orderId } = await hold(offerId);
    const counted = async () => {
      const [row] = await world.service.sql(
        "select coalesce(sum(amount_micro), 0)::text as amount from call_spend_line where tenant_id = $1 and account = 'tenant' and period = $2",
        [world.service.tenantId, Temporal.Now.plainDateISO("UTC").toString()],
      );
      return BigInt(String(row?.amount));
    };
    const before = await counted();
    const pays = await atOnceBehindRow(offerId, ["one", "other"], (key) =>
      call("book_flight", { offerId }, { headers: { "idempotency-key": `${key} ${offerId}` } }),
    );
    expect(pays.map(({ body }) => Object(body.result).orderId)).toEqual([orderId, orderId]);
    expect(pays.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(1);
    await expect.poll(async () => (await counted()) - before).toBe(micro(totalAmount));
    await world.expectSameBooks();
  });

  it("that the supplier has not confirmed is looked up, and never ordered twice", async () => {
    const { id: offerId } = await world.flexibleOffer();
    await world.arm("/air/orders", "reset_after_effect");
    const answer = await world.unanswered(call("hold_flight", { offerId }));
    expect(describeFailure(answer)).toEqual({ status: 500, code: "outcome_unknown" });
    await world.endQuietTime();
    const known = await world.untilKnown(() => call("hold_flight", { offerId }));
    expect(known.body).toMatchObject({ result: { status: "held" } });
    expect(await listOrders(offerId)).toHaveLength(1);
  });

  it("belongs to its tenant: another one neither reads it nor pays for it", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const { orderId } = await hold(offerId);
    const { as } = await newFundedTenant(world.service, "Other");
    expect(describeFailure(await call("read_order", { orderId }, as))).toMatchObject({ code: "order_not_found" });
    expect(describeFailure(await call("cancel_order_quote", { orderId }, as))).toMatchObject({
      code: "order_not_found",
    });
    const paid = await call("book_flight", { offerId }, as);
    expect(Object(paid.body.result).orderId).not.toBe(orderId);
    expect(await listOrders(offerId)).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: orderId, state: "held" })]),
    );
  });
});
