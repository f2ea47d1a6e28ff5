import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { micro } from "../../../../test/support/servicing-service.ts";
import { openStays, type StaysWorld } from "../../../../test/support/stays-service.ts";
import { sayDearer, sayUnfitStays } from "./after-change.ts";

let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("shared");
}, 60_000);
afterAll(() => world?.close());

const inDays = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

const Penalty = z.object({ allowed: z.boolean(), penaltyAmount: z.string().nullish() }).nullable();
const Conditions = z.object({ refundBeforeDeparture: Penalty, changeBeforeDeparture: Penalty });
const Segments = z.array(z.object({ departingAt: z.string(), arrivingAt: z.string() }));
const Found = z.object({
  offers: z.array(
    z.object({ id: z.string(), conditions: Conditions, slices: z.array(z.object({ segments: Segments })) }),
  ),
});
const Booked = z.object({
  orderId: z.string(),
  travelers: z.array(z.object({ givenName: z.string(), familyName: z.string() })),
  slices: z.array(z.object({ id: z.string(), segments: Segments })),
});
const Offered = z.object({
  offers: z.array(
    z.object({
      id: z.string(),
      changeTotalAmount: z.string(),
      laterTerms: z.string().optional(),
      staysAffected: z.string().optional(),
      slices: z.object({ add: z.array(z.object({ segments: Segments })) }),
    }),
  ),
});
const Selected = z.object({
  changeId: z.string(),
  due: z.object({ amount: z.string(), currency: z.string() }),
  laterTerms: z.string().optional(),
  staysAffected: z.string().optional(),
});
const Changed = z.object({
  conditions: Conditions,
  next: z.string(),
  staysAffected: z.string().optional(),
});

/** A flight there and back with the hotel for all its nights. */
async function bookTrip(leavesIn: number) {
  const journey = { origin: "LHR", destination: "LIS", departureDate: inDays(leavesIn), cabinClass: "business" };
  const { offers } = Found.parse(
    await world.result("search_flights", { ...journey, returnDate: inDays(leavesIn + 4) }),
  );
  const offer = offers.find(
    ({ conditions: { changeBeforeDeparture, refundBeforeDeparture } }) =>
      changeBeforeDeparture?.allowed === true && refundBeforeDeparture?.allowed === true,
  );
  const { orderId, slices, travelers } = Booked.parse(await world.result("book_flight", { offerId: offer?.id }));
  await world.issueTickets(orderId);
  const [checkInDate = "", checkOutDate = ""] = [
    slices[0]?.segments.at(-1)?.arrivingAt.slice(0, 10),
    slices[1]?.segments[0]?.departingAt.slice(0, 10),
  ];
  const guests = travelers.map(({ givenName, familyName }) => ({ givenName, familyName }));
  const { first } = await world.searchHotels({}, { checkInDate, checkOutDate });
  const { result } = (await world.bookStay((await world.quoted(first.cheapestRate.id)).id, { guests })).body;
  const stay = z.object({ orderId: z.string() }).parse(result);
  return { orderId, slices, stayId: stay.orderId, checkOutDate };
}

const changeReturn = async (trip: Awaited<ReturnType<typeof bookTrip>>, departure_date: string) =>
  Offered.parse(
    await world.result("request_order_change", {
      orderId: trip.orderId,
      slices: {
        add: [{ origin: "LIS", destination: "LHR", departure_date, cabin_class: "business" }],
        remove: [{ slice_id: trip.slices[1]?.id }],
      },
    }),
  ).offers;

test("each step of a change names the stay that no longer fits, and what later changes then cost", async () => {
  const trip = await bookTrip(70);
  const checkOut = Temporal.PlainDate.from(trip.checkOutDate);
  const later = await changeReturn(trip, checkOut.add({ days: 2 }).toString());
  const nights = `No bed for the nights of ${checkOut} to ${checkOut.add({ days: 1 })}: the stay (${trip.stayId}, `;
  expect(later.length).toBeGreaterThan(0);
  for (const { staysAffected } of later) expect(staysAffected).toContain(nights);
  const earlier = await changeReturn(trip, checkOut.subtract({ days: 1 }).toString());
  const unused = `is paid for the night of ${checkOut.subtract({ days: 1 })} and not used`;
  for (const { staysAffected } of earlier) expect(staysAffected).toContain(unused);
  // On the same day the stay fits.
  for (const { staysAffected } of await changeReturn(trip, checkOut.toString())) expect(staysAffected).toBeUndefined();

  const dearest = later.at(-1);
  const selected = Selected.parse(await world.result("select_order_change_offer", { offerId: dearest?.id }));
  expect(selected.staysAffected).toEqual(dearest?.staysAffected);
  expect(selected.laterTerms).toBe(dearest?.laterTerms);
  const { changeId, due } = selected;
  const read = async () =>
    z
      .object({ flight: z.object({ conditions: Conditions }) })
      .parse(await world.result("read_order", { orderId: trip.orderId })).flight.conditions;
  const before = await read();
  const changed = Changed.parse(
    await world.result("confirm_order_change", { changeId, payment: { type: "balance", ...due } }),
  );
  expect(changed.staysAffected).toEqual(dearest?.staysAffected);
  const [cost, costNow] = [before, changed.conditions].map(({ changeBeforeDeparture }) =>
    micro(changeBeforeDeparture?.penaltyAmount ?? "0"),
  );
  const isDearer = Number(costNow) > Number(cost);
  expect(dearest?.laterTerms !== undefined, JSON.stringify([before, changed.conditions])).toBe(isDearer);
  expect(changed.next.startsWith("Cancelling it costs ")).toBe(
    micro(changed.conditions.refundBeforeDeparture?.penaltyAmount ?? "0") >
      micro(before.refundBeforeDeparture?.penaltyAmount ?? "0"),
  );
  // A repeated answer names the same.
  const again = Changed.parse(
    await world.result("confirm_order_change", { changeId, payment: { type: "balance", ...due } }),
  );
  expect(again.staysAffected).toEqual(changed.staysAffected);
}, 60_000);

const flown = (departingAt: string, arrivingAt: string) => ({ segments: [{ departingAt, arrivingAt }] });
const STAY = { orderId: "bok_1", accommodationName: "Inn", userId: undefined };

test("an arrival in the small hours belongs to the night before", () => {
  const stays = [{ ...STAY, checkInDate: "2030-01-10", checkOutDate: "2030-01-14" }];
  const removed = [flown("2030-01-10T20:00:00", "2030-01-11T01:30:00")];
  const moved = (departingAt: string, arrivingAt: string) =>
    sayUnfitStays(stays, { removed, added: [flown(departingAt, arrivingAt)] }).staysAffected;
  expect(moved("2030-01-10T17:00:00", "2030-01-10T22:30:00")).toBeUndefined();
  expect(moved("2030-01-09T20:00:00", "2030-01-10T01:30:00")).toMatch(/^No bed for the night of 2030-01-09/);
  expect(moved("2030-01-12T10:00:00", "2030-01-12T15:00:00")).toMatch(
    /is paid for the nights of 2030-01-10 to 2030-01-11 and not used/,
  );
});

test("dearer is said, and cheaper, equal and unknown terms are not", () => {
  const costs = (penaltyAmount: string, allowed = true) => ({ allowed, penaltyAmount, penaltyCurrency: "EUR" });
  expect(sayDearer("It", costs("409.56"), costs("1565.64"))).toBe("It costs 1565.64 EUR (before: 409.56 EUR).");
  expect(sayDearer("It", costs("9.00"), costs("9.00", false))).toBe("It is not possible any more (before: 9.00 EUR).");
  for (const after of [costs("409.56"), costs("0.00"), null]) {
    expect(sayDearer("It", costs("409.56"), after)).toBeUndefined();
  }
  expect(sayDearer("It", null, costs("1.00"))).toBeUndefined();
});
