import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openServicing, type Servicing } from "../../../test/support/servicing-service.ts";

/**
 * Events at the supplier's sandbox. The quiet time is too long to learn anything by waiting: news in time comes from an event.
 */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing("own");
});
afterAll(() => world?.close());

const Order = z.looseObject({
  status: z.string(),
  ticketing: z.string().nullable(),
  documents: z.array(z.object({ type: z.string(), number: z.string() })),
  scheduleChanges: z.array(z.object({ id: z.string() })),
  slices: z.array(z.object({ id: z.string() })),
  changes: z.array(z.object({ details: z.record(z.string(), z.unknown()) })),
  events: z.array(z.object({ kind: z.string(), source: z.string(), details: z.record(z.string(), z.unknown()) })),
});

async function read(orderId: string) {
  const { service } = world;
  const answer = await service.send(`/api/orders/${orderId}`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  });
  if (answer.status !== 200) throw new Error(`the order answered ${answer.status}: ${answer.text}`);
  return Order.parse(answer.body);
}
const listKinds = async (orderId: string) =>
  (await read(orderId)).events.map(({ kind, source }) => `${kind} by ${source}`);

async function book() {
  const [offer] = await world.search();
  if (offer === undefined) throw new Error("nothing to book");
  return world.book({ offerId: offer.id });
}
const tick = (advanceSeconds: number) => world.advance(advanceSeconds);
/** The supplier's clock is moved in the sandbox. */
const LATE_MILLISECONDS = 600_000;
const disturb = (kind: string, extra: object) => world.supplier("/_sandbox/webhook-disturbances", { kind, ...extra });
const outcomes = (orderId: string, type: string) =>
  world.service.sql("select outcome from webhook_event where order_id = $1 and type = $2", [orderId, type]);

test("an event announces tickets, and the order's documents are read", async () => {
  // In real time, a ticket comes a second after the payment.
  await world.arm("/air/payments", "ticketing_delayed", LATE_MILLISECONDS);
  const { orderId } = await book();
  expect(await read(orderId)).toMatchObject({ status: "confirmed", ticketing: "pending", documents: [] });
  await tick(LATE_MILLISECONDS / 1_000);
  await expect.poll(async () => (await read(orderId)).ticketing).toBe("ticketed");
  const { documents, events } = await read(orderId);
  expect(documents).toEqual([
    expect.objectContaining({ type: "electronic_ticket", number: expect.stringMatching(/^000/) }),
  ]);
  expect(events).toEqual([
    expect.objectContaining({ kind: "booked", source: "call" }),
    expect.objectContaining({
      kind: "ticketed",
      source: "webhook",
      details: { documents: documents.map(({ number }) => number) },
    }),
  ]);
});

test("a repeated event counts once, and a late one changes nothing", async () => {
  await disturb("duplicate", { type: "air.payment.succeeded", copies: 5 });
  const { orderId } = await book();
  await tick(2);
  await expect.poll(() => listKinds(orderId)).toEqual(["booked by call", "ticketed by webhook"]);
  await expect.poll(() => outcomes(orderId, "air.payment.succeeded")).toEqual([{ outcome: "order read" }]);
  expect(await listKinds(orderId)).toEqual(["booked by call", "ticketed by webhook"]);
});

test("events in the wrong order end in the same record", async () => {
  await disturb("reorder", { times: 3 });
  const order = await book();
  await tick(2);
  await world.supplier("/_sandbox/schedule_changes", { order_id: order.orderId, slice: 0, shift_minutes: 95 });
  await expect
    .poll(async () => (await listKinds(order.orderId)).toSorted())
    .toEqual(["booked by call", "schedule_changed by webhook", "ticketed by webhook"]);
  const { scheduleChanges, ticketing } = await read(order.orderId);
  expect([ticketing, scheduleChanges]).toEqual(["ticketed", [{ id: expect.stringMatching(/^aic_/) }]]);
});

test("a missing event is made up for by reading the order", async () => {
  // All events, until the order is read: another order's late event may not use up what this one needs.
  await disturb("drop", { times: 10_000 });
  const { orderId } = await book();
  await tick(2);
  // A minute later.
  await world.service.sql("update booking set order_check_at = now() - interval '1 second' where order_id = $1", [
    orderId,
  ]);
  await expect.poll(() => listKinds(orderId)).toEqual(["booked by call", "ticketed by reconciliation"]);
  await fetch(`${world.service.supplierUrl}/_sandbox/webhook-disturbances`, { method: "DELETE" });
});

test("a call's change updates the order's slices, and is recorded once", async () => {
  const order = await world.bookFlexible();
  const before = await read(order.orderId);
  const change = await world.selectChange(order);
  const payment = { type: "balance", ...change.due };
  await world.result("confirm_order_change", { changeId: change.changeId, payment });
  await expect
    .poll(async () => (await read(order.orderId)).slices.map(({ id }) => id))
    .not.toEqual(before.slices.map(({ id }) => id));
  await expect.poll(() => outcomes(order.orderId, "air.order.changed")).toEqual([{ outcome: "order read" }]);
  const { changes, totalAmount } = await read(order.orderId);
  expect(changes).toHaveLength(1);
  expect(totalAmount).not.toBe(order.totalAmount);
});

describe("a commit that is accepted and not answered", () => {
  test("is booked as soon as the supplier says so", async () => {
    const [offer] = await world.search();
    await world.arm("/air/orders", "accepted_then_done", LATE_MILLISECONDS);
    await world.arm("/air/payments", "accepted_then_done", LATE_MILLISECONDS);
    const call = () => world.service.call("book_flight", { offerId: offer?.id });
    const first = await call();
    expect(first.body).toMatchObject({ retryable: true });
    const standing = () => world.service.sql("select state, worker_id from booking where offer_id = $1", [offer?.id]);
    await expect.poll(standing).toEqual([{ state: "ordering", worker_id: null }]);
    await tick(LATE_MILLISECONDS / 1_000);
    await expect.poll(standing).toEqual([{ state: "paying", worker_id: null }]);
    await tick(LATE_MILLISECONDS / 1_000);
    await expect
      .poll(async () => {
        const { status, body } = await call();
        return status === 200 ? body.result : undefined;
      })
      .toMatchObject({ offerId: offer?.id, pnr: expect.stringMatching(/^ZZ/) });
    await world.expectSameBooks();
  });

  test("fails as soon as the supplier says so, and the money is available again", async () => {
    const [offer] = await world.search();
    await world.arm("/air/orders", "accepted_then_failed", LATE_MILLISECONDS);
    const call = () => world.service.call("book_flight", { offerId: offer?.id });
    expect((await call()).body).toMatchObject({ retryable: true });
    await tick(LATE_MILLISECONDS / 1_000);
    const rows = () => world.service.sql("select state, failure_code from booking where offer_id = $1", [offer?.id]);
    await expect.poll(rows).toEqual([{ state: "failed", failure_code: "provider_timeout" }]);
    await world.expectSameBooks();
  });

  test("is cancelled as soon as the supplier says so, once", async () => {
    const { orderId } = await world.bookFlexible();
    await expect.poll(() => listKinds(orderId)).toContain("ticketed by webhook");
    const quote = await world.result("cancel_order_quote", { orderId });
    const { cancellationId, refundAmount } = quote;
    await world.arm("/air/order_cancellations/{id}/actions/confirm", "accepted_then_done", LATE_MILLISECONDS);
    const confirm = () => world.service.call("confirm_cancel_order", { cancellationId });
    expect((await confirm()).body).toMatchObject({ retryable: true });
    await tick(LATE_MILLISECONDS / 1_000);
    await expect
      .poll(async () => (await confirm()).body.result)
      .toMatchObject({ status: "cancelled", refundedUsdc: refundAmount });
    expect((await read(orderId)).events.map(({ kind }) => kind)).toEqual([
      "booked",
      "ticketed",
      "cancelled",
      "refunded",
    ]);
    await world.expectSameBooks();
  });
});

// Runs last: the supplier's refund here is the operator's, which would unbalance the ledgers of the tests above.
test("an order that the operator cancels at the supplier shows as cancelled", async () => {
  const { orderId } = await world.bookFlexible();
  const Quote = z.object({ data: z.object({ id: z.string() }) });
  const { data } = Quote.parse(await world.post("/air/order_cancellations", { order_id: orderId }));
  await world.post(`/air/order_cancellations/${data.id}/actions/confirm`, {});
  await expect.poll(async () => (await read(orderId)).status).toBe("cancelled");
  expect((await listKinds(orderId)).filter((kind) => kind.startsWith("cancelled"))).toEqual(["cancelled by webhook"]);
});
