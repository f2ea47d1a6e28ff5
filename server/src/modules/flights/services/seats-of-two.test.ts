import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { inDays } from "../../../../test/support/agent.ts";
import { openServicing, type Servicing } from "../../../../test/support/servicing-service.ts";

/** An order of two travelers. */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing("shared");
});
afterAll(() => world.close());

const Seats = z.array(
  z.object({ id: z.string(), passengerId: z.string(), segmentId: z.string(), designator: z.string() }),
);

it("gives one seat to one passenger only, and is cancelled for both", async () => {
  const person = { bornOn: "1991-02-02", title: "mr", gender: "m", phoneNumber: "+14155550124" };
  const email = `ben.${world.service.tenantId}@example.com`;
  await world.result("save_traveler", { userId: "ben", givenName: "Ben", familyName: "Traveler", ...person, email });
  const route = { origin: "LHR", destination: "JFK", departureDate: inDays(62), passengers: 2 };
  const Found = z.object({ offers: z.tuple([z.object({ id: z.string() })], z.unknown()) });
  const offerId = Found.parse(await world.result("search_flights", route)).offers[0].id;
  const seats = Seats.parse((await world.result("list_flight_ancillaries", { offerId, maxSeats: 48 })).seats);
  const forOther = (seat: (typeof seats)[number] | undefined) =>
    seats.filter((one) => one.segmentId === seat?.segmentId && one.passengerId !== seat.passengerId);
  const first = seats.find((seat) => forOther(seat).some(({ designator }) => designator === seat.designator));
  const same = forOther(first).find(({ designator }) => designator === first?.designator);
  const next = forOther(first).find(({ designator }) => designator !== first?.designator);
  const booking = (seat: typeof first) => ({
    offerId,
    additionalCustomerUserIds: ["ben"],
    services: [first, seat].map((one) => ({ id: one?.id })),
  });
  const preview = (seat: typeof first) => world.result("preview_call", { tool: "book_flight", args: booking(seat) });
  const refused = {
    code: "service_not_available",
    detail: expect.stringContaining(`Seat ${first?.designator} is requested for two passengers`),
    serviceId: same?.id,
  };
  expect(await preview(same)).toMatchObject({ accepted: false, problem: refused });
  expect((await world.service.call("book_flight", booking(same))).body).toMatchObject(refused);
  const { orderId } = await world.result("book_flight", booking(next));
  const { next: said } = await world.result("cancel_order_quote", { orderId });
  expect(said).toContain("for both travelers: one alone cannot be taken off here");
});
