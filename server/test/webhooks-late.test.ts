import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { openServicing, type Servicing } from "./support/servicing-service.ts";

/** What takes effect after everybody has given it up: the supplier's event tells of it, and the books follow. */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing();
});
afterAll(() => world.close());

const Found = z.object({
  offers: z.array(z.object({ id: z.string(), paymentRequirements: z.object({ requiresInstantPayment: z.boolean() }) })),
});
/** Later than the quiet time and the look after it. */
const LATE_MS = 8_000;
const LONG = 60_000;
const SOON = { timeout: 30_000 };

it(
  "a cancellation is done after all, and given back",
  async () => {
    const { orderId } = await world.bookFlexible();
    const { cancellationId } = await world.result("cancel_order_quote", { orderId });
    await world.arm(`/air/order_cancellations/${cancellationId}/actions/confirm`, "late_effect", LATE_MS);
    await world.service.call("confirm_cancel_order", { cancellationId });
    const states = async () =>
      (await world.service.sql("select state from servicing_action where order_id = $1", [orderId])).map(
        ({ state }) => state,
      );
    await expect.poll(states, SOON).toEqual(["failed"]);
    expect(await world.confirmedCancellations(orderId)).toEqual([]);
    await expect.poll(states, SOON).toEqual(["done"]);
    expect(await world.confirmedCancellations(orderId)).toHaveLength(1);
    await world.expectSameBooks();
  },
  LONG,
);

it(
  "a hold that nobody waits for any more is cancelled",
  async () => {
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
    const found = await world.result("search_flights", { origin: "LHR", destination: "JFK", departureDate });
    const offer = Found.parse(found).offers.find(({ paymentRequirements: rules }) => !rules.requiresInstantPayment);
    expect(offer).toBeDefined();
    await world.arm("/air/orders", "late_effect", LATE_MS);
    await world.service.call("book_flight", { offerId: offer?.id });
    const rows = () => world.service.sql("select state from booking where offer_id = $1", [offer?.id]);
    await expect.poll(rows, SOON).toEqual([{ state: "failed" }]);
    const orders = async () =>
      (await world.ledger()).orders.filter(({ offer_id }) => offer_id === offer?.id).map(({ state }) => state);
    expect(await orders()).toEqual([]);
    await expect.poll(orders, SOON).toEqual(["cancelled"]);
    await world.expectSameBooks();
  },
  LONG,
);
