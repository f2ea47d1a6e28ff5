import { afterAll, beforeAll, expect, it } from "vitest";
import { openServicing, type Servicing } from "../../../test/support/servicing-service.ts";

/** Checks that the next step of read_order agrees with the order it shows. */

let world: Servicing;
beforeAll(async () => {
  world = await openServicing("shared");
});
afterAll(() => world.close());

const read = async (orderId: string) => Object(await world.result("read_order", { orderId }));

async function bookUnchangeable() {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const departureDate = Temporal.Now.plainDateISO("UTC")
      .add({ days: 70 + attempt })
      .toString();
    const search = { origin: "LHR", destination: "JFK", departureDate };
    const { offers } = Object(await world.result("search_flights", search));
    const offer = offers.find(
      ({ conditions }: { conditions: { changeBeforeDeparture: { allowed: boolean } | null } }) =>
        conditions.changeBeforeDeparture?.allowed === false,
    );
    if (offer === undefined) continue;
    const booked = await world.book({ offerId: offer.id });
    await world.issueTickets(booked.orderId);
    return booked;
  }
  throw new Error("every offer can be changed");
}

it("offers the change that the airline accepts after its own, and says that tickets of a cancelled order are void", async () => {
  const { orderId, totalAmount } = await bookUnchangeable();
  await expect.poll(async () => (await read(orderId)).ticketing).toBe("ticketed");
  const before = await read(orderId);
  expect(before.flight.availableActions).not.toContain("change");
  expect(before.next).toContain("Its flights cannot be changed.");

  await world.supplier("/_sandbox/schedule_changes", { order_id: orderId, slice: 0, shift_minutes: 300 });
  const after = await read(orderId);
  expect(after).toMatchObject({ flight: { changeableUntil: null }, scheduleChanges: [{}] });
  expect(after.flight.availableActions).toContain("change");
  expect(after.next).not.toContain("cannot be changed");
  expect(after.next).toContain("the airline accepts a change now");
  expect(after.next).toContain("The airline has changed its flights");

  const quote = await world.result("cancel_order_quote", { orderId });
  expect(quote).toMatchObject({ refundAmount: totalAmount });
  await world.result("confirm_cancel_order", { cancellationId: quote.cancellationId });
  const cancelled = await read(orderId);
  expect(cancelled).toMatchObject({ status: "cancelled", next: expect.stringContaining("its tickets are void") });
});

it("offers the change that the fare allows, and none for a cancelled order", async () => {
  const { orderId } = await world.bookFlexible();
  const { flight, next } = await read(orderId);
  expect(flight.availableActions).toContain("change");
  expect(next).toContain(`Flights can be replaced with request_order_change until ${flight.changeableUntil}.`);
  const { cancellationId } = await world.result("cancel_order_quote", { orderId });
  await world.result("confirm_cancel_order", { cancellationId });
  expect((await read(orderId)).flight).toMatchObject({ availableActions: [], changeableUntil: null });
});
