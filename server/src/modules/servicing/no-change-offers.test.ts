import { afterAll, beforeAll, expect, it } from "vitest";
import { openServicing, type Servicing } from "../../../test/support/servicing-service.ts";

/** A change request without offers says why, as far as the order tells. */

let world: Servicing;
beforeAll(async () => {
  world = await openServicing("own");
});
afterAll(() => world.close());

async function requestOffers(order: Awaited<ReturnType<Servicing["bookFlexible"]>>, destination?: string) {
  const [slice] = order.slices;
  const departure_date = Temporal.Now.plainDateISO("UTC").add({ days: 30 }).toString();
  const add = [{ origin: slice?.origin, destination: destination ?? slice?.destination, departure_date }];
  const slices = { add, remove: [{ slice_id: slice?.id }] };
  return await world.result("request_order_change", { orderId: order.orderId, slices });
}

it("says that the tickets are not issued yet, and offers changes once they are", async () => {
  const order = await world.book({ offerId: (await world.flexibleOffer()).id });
  const before = await requestOffers(order);
  expect(before).toMatchObject({ offers: [], emptyBecause: expect.stringContaining("issued the tickets") });
  await world.issueTickets(order.orderId);
  expect(await requestOffers(order)).toMatchObject({ emptyBecause: null });
});

it("says that the fare does not allow it", async () => {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const departureDate = Temporal.Now.plainDateISO("UTC")
      .add({ days: 70 + attempt })
      .toString();
    const { offers } = Object(
      await world.result("search_flights", { origin: "LHR", destination: "JFK", departureDate }),
    );
    const offer = offers.find(
      ({ conditions }: { conditions: { changeBeforeDeparture: { allowed: boolean } | null } }) =>
        conditions.changeBeforeDeparture?.allowed === false,
    );
    if (offer === undefined) continue;
    const order = await world.book({ offerId: offer.id });
    await world.issueTickets(order.orderId);
    expect(await requestOffers(order)).toMatchObject({
      offers: [],
      emptyBecause: expect.stringContaining("The fare does not allow changes"),
    });
    return;
  }
  throw new Error("every offer can be changed");
});
