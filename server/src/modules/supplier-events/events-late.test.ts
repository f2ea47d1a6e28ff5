import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openServicing, type Servicing } from "../../../test/support/servicing-service.ts";

/** Paid orders that end without tickets: the supplier refunds the payment, and so do we. */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing("own");
});
afterAll(() => world?.close());

/**
 * The supplier's clock is moved after every wait has timed out; in real time, a ticket is refused a second after the payment.
 */
const LATE_MILLISECONDS = 600_000;
const refuseTickets = () => world.advance(LATE_MILLISECONDS / 1_000);
const Order = z.object({
  status: z.string(),
  events: z.array(z.object({ kind: z.string(), source: z.string(), details: z.record(z.string(), z.unknown()) })),
});
const Bags = z.object({ bags: z.array(z.object({ id: z.string() })) });

async function read(orderId: string) {
  const { service } = world;
  const headers = { authorization: `Bearer ${service.apiKey}` };
  return Order.parse((await service.send(`/api/orders/${orderId}`, { headers })).body);
}

/** A bag can only be booked with an order that is paid at once. */
async function withBag(offerId: string) {
  const { bags } = Bags.parse(await world.result("list_flight_ancillaries", { offerId }));
  return bags.slice(0, 1).map(({ id }) => ({ offerId, services: [{ id, quantity: 1 }] }));
}

async function bookWithoutTickets(instant: boolean) {
  const offers = await world.search();
  for (const { id: offerId } of offers) {
    const [order] = instant ? await withBag(offerId) : [{ offerId }];
    if (order === undefined) continue;
    await world.arm(instant ? "/air/orders" : "/air/payments", "ticketing_failed", LATE_MILLISECONDS);
    return world.book(order);
  }
  throw new Error("nothing to book");
}

const disturb = (kind: string, extra: object) => world.supplier("/_sandbox/webhook-disturbances", { kind, ...extra });
test.each([
  ["a hold that was paid", false],
  ["an order that was paid at once", true],
])("%s is given back once, however often the supplier tells", async (_, instant) => {
  await disturb("duplicate", { type: "air.payment.failed", copies: 4 });
  const { orderId, totalAmount } = await bookWithoutTickets(instant);
  await refuseTickets();
  await expect.poll(async () => (await read(orderId)).status).toBe("cancelled");
  const done = () =>
    world.service.sql("select distinct type, outcome from webhook_event where order_id = $1 and type = $2", [
      orderId,
      "air.payment.failed",
    ]);
  await expect.poll(done).toEqual([{ type: "air.payment.failed", outcome: "order read" }]);
  const { events } = await read(orderId);
  expect(events.map(({ kind, source }) => `${kind} by ${source}`)).toEqual([
    "booked by call",
    "cancelled by webhook",
    "refunded by webhook",
  ]);
  expect(events.at(-1)?.details).toMatchObject({ reason: "ticketing_failed", refundedUsdc: totalAmount });
  await world.expectSameBooks();
});

test("missing events are made up for by reading the order", async () => {
  // For the order's creation, its payment and its end.
  await disturb("drop", { times: 3 });
  const { orderId } = await bookWithoutTickets(true);
  await refuseTickets();
  // A minute later.
  await world.service.sql("update booking set order_check_at = now() - interval '1 second' where order_id = $1", [
    orderId,
  ]);
  await expect
    .poll(async () => (await read(orderId)).events.map(({ kind, source }) => `${kind} by ${source}`))
    .toEqual(["booked by call", "cancelled by reconciliation", "refunded by reconciliation"]);
  await world.expectSameBooks();
});

test("a refund reported late, when the order is already cancelled, is still passed on", async () => {
  const { orderId } = await bookWithoutTickets(false);
  await world.service.sql("update booking set order_status = 'cancelled' where order_id = $1", [orderId]);
  await refuseTickets();
  await expect.poll(async () => (await read(orderId)).events.map(({ kind }) => kind)).toContain("refunded");
  await world.expectSameBooks();
});

/** Effects that happen after everything has timed out: the supplier's event reports them, and the ledger follows. */
const Found = z.object({
  offers: z.array(z.object({ id: z.string(), paymentRequirements: z.object({ requiresInstantPayment: z.boolean() }) })),
});
const answerCode = ({ body }: { body: Record<string, unknown> }) => body.code;

test("a cancellation that takes effect after all is refunded", async () => {
  const { orderId } = await world.bookFlexible();
  const { cancellationId } = await world.result("cancel_order_quote", { orderId });
  await world.arm(`/air/order_cancellations/${cancellationId}/actions/confirm`, "late_effect", LATE_MILLISECONDS);
  const answer = await world.unanswered(world.service.call("confirm_cancel_order", { cancellationId }));
  expect(answerCode(answer)).toBe("outcome_unknown");
  await world.endQuietTime();
  const states = async () =>
    (await world.service.sql("select state from servicing_action where order_id = $1", [orderId])).map(
      ({ state }) => state,
    );
  await expect.poll(states).toEqual(["failed"]);
  expect(await world.confirmedCancellations(orderId)).toEqual([]);
  await world.advance(LATE_MILLISECONDS / 1_000);
  await expect.poll(states).toEqual(["done"]);
  expect(await world.confirmedCancellations(orderId)).toHaveLength(1);
  await world.expectSameBooks();
});

test("an abandoned hold is cancelled", async () => {
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  const found = await world.result("search_flights", { origin: "LHR", destination: "JFK", departureDate });
  const offer = Found.parse(found).offers.find(({ paymentRequirements: rules }) => !rules.requiresInstantPayment);
  expect(offer).toBeDefined();
  await world.arm("/air/orders", "late_effect", LATE_MILLISECONDS);
  const answer = await world.unanswered(world.service.call("book_flight", { offerId: offer?.id }));
  expect(answerCode(answer)).toBe("outcome_unknown");
  await world.endQuietTime();
  const rows = () => world.service.sql("select state from booking where offer_id = $1", [offer?.id]);
  await expect.poll(rows).toEqual([{ state: "failed" }]);
  const orders = async () =>
    (await world.ledger()).orders.filter(({ offer_id }) => offer_id === offer?.id).map(({ state }) => state);
  expect(await orders()).toEqual([]);
  await world.advance(LATE_MILLISECONDS / 1_000);
  await expect.poll(orders).toEqual(["cancelled"]);
  await world.expectSameBooks();
});
