import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { openServicing, type Servicing } from "../../../test/support/servicing-service.ts";

/** What takes effect after everybody has given it up: the supplier's event tells of it, and the books follow. */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing();
});
afterAll(() => world.close());

const Found = z.object({
  offers: z.array(z.object({ id: z.string(), paymentRequirements: z.object({ requiresInstantPayment: z.boolean() }) })),
});
/** The supplier's clock is moved there, when everybody has given it up. */
const LATE_MILLISECONDS = 600_000;
const codeOf = ({ body }: { body: Record<string, unknown> }) => body.code;

it("a cancellation is done after all, and given back", async () => {
  const { orderId } = await world.bookFlexible();
  const { cancellationId } = await world.result("cancel_order_quote", { orderId });
  await world.arm(`/air/order_cancellations/${cancellationId}/actions/confirm`, "late_effect", LATE_MILLISECONDS);
  const answer = await world.unanswered(world.service.call("confirm_cancel_order", { cancellationId }));
  expect(codeOf(answer)).toBe("outcome_unknown");
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

it("a hold that nobody waits for any more is cancelled", async () => {
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  const found = await world.result("search_flights", { origin: "LHR", destination: "JFK", departureDate });
  const offer = Found.parse(found).offers.find(({ paymentRequirements: rules }) => !rules.requiresInstantPayment);
  expect(offer).toBeDefined();
  await world.arm("/air/orders", "late_effect", LATE_MILLISECONDS);
  const answer = await world.unanswered(world.service.call("book_flight", { offerId: offer?.id }));
  expect(codeOf(answer)).toBe("outcome_unknown");
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
