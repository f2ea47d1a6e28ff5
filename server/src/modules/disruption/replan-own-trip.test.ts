import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { inDays, openAgent } from "../../../test/support/agent.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { findQuickest, proposeWays } from "./choose-ways.ts";

/** The experience of an agent with a trip booked here that calls the replanner by its description alone. */
let service: TestService;
let agent: Awaited<ReturnType<typeof openAgent>>;
beforeAll(async () => {
  service = await openSharedService();
  agent = await openAgent(service);
});
afterAll(async () => {
  await agent?.close();
  await service?.[Symbol.asyncDispose]();
});

const Next = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) });
const Segments = z.array(
  z.object({
    origin: z.string(),
    destination: z.string(),
    flightNumber: z.string(),
    departingAt: z.string(),
    arrivingAt: z.string(),
  }),
);
const Slices = z.array(z.object({ durationMinutes: z.number().nullish(), segments: Segments }));
const Replanned = z.object({
  alternatives: z.object({
    reason: z.string(),
    offers: z.array(
      z.looseObject({
        totalAmount: z.string(),
        differenceAmount: z.string().nullable(),
        next: Next,
        slices: Slices,
        passengers: z.array(z.unknown()),
        booking: z.null(),
      }),
    ),
  }),
  change: z.object({
    available: z.boolean(),
    reason: z.string().nullable(),
    order: z.looseObject({ travelers: z.number(), returnedAmount: z.string().nullable(), next: Next }),
    offers: z.array(z.looseObject({ changeTotalAmount: z.string(), next: Next, slices: Slices })),
  }),
  hotel: z.looseObject({ takenAs: z.string(), next: Next }).nullable(),
  stays: z.array(z.looseObject({ orderId: z.string(), effect: z.string(), returnedAmount: z.string(), next: Next })),
  transfer: z
    .looseObject({
      airport: z.string(),
      direction: z.string(),
      minutes: z.object({ likely: z.number() }),
      others: z.array(z.looseObject({ airport: z.string(), direction: z.string() })),
    })
    .nullable(),
  duties: z.array(z.object({ rule: z.string(), owes: z.string() })),
  messages: z.array(z.object({ text: z.string() })),
  next: z.string(),
});
const Found = z.object({
  offers: z.array(z.object({ fares: z.array(z.object({ id: z.string() })), slices: Slices })),
});
const OrderedSlices = z.array(z.looseObject({ id: z.string(), segments: Segments }));
const Flown = {
  slices: z.tuple([
    z.looseObject({ origin: z.string(), segments: Segments, changeBeforeDeparture: z.unknown().optional() }),
  ]),
  timeZones: z.record(z.string(), z.string()),
};
const Read = z.object({
  flight: z.object({
    ...Flown,
    conditions: z.object({ changeBeforeDeparture: z.looseObject({}), refundBeforeDeparture: z.unknown() }),
    refundableUntil: z.string().nullable(),
    changeableUntil: z.string().nullable(),
  }),
});
const Changed = z.looseObject({ ...Flown, next: z.string() });
const Selected = z.object({ changeId: z.string(), due: z.object({ amount: z.string(), currency: z.string() }) });
const Changes = z.object({
  offers: z.array(z.object({ changeTotalAmount: z.string(), slices: z.object({ add: Slices }) })),
});
const Order = z.object({
  orderId: z.string(),
  pnr: z.string(),
  totalAmount: z.string(),
  slices: OrderedSlices,
  timeZones: z.record(z.string(), z.string()),
});

/** The most expensive fare, which is changeable and refundable; with its tickets, without which nothing can be changed. */
async function book(route: object, extra: object = {}, choose = (_: z.output<typeof Slices>): boolean => true) {
  const { offers } = await agent.ask(Found, "search_flights", { ...route });
  const offerId = offers.find(({ slices }) => choose(slices))?.fares.at(-1)?.id;
  const order = await agent.ask(Order, "book_flight", { offerId, ...extra });
  const read = async () => (await agent.call("read_order", { orderId: order.orderId })).said.ticketing;
  await expect.poll(read, { timeout: 20_000 }).toBe("ticketed");
  return { ...order, segments: order.slices.flatMap(({ segments }) => segments) };
}

const replan = (args: object) => agent.ask(Replanned, "trip_delay_replanner", { notifyChannels: [], ...args });
const take = async ({ tool, args }: z.output<typeof Next>) => {
  const { said, isError, text } = await agent.call(tool, args);
  expect(isError, text).toBe(false);
  return said;
};

test("two travelers and their hotel: every proposal is for both, with its price and the call that accepts it", async () => {
  const [day, morning, out] = [inDays(70), inDays(71), inDays(73)];
  await agent.call("save_traveler", {
    userId: "second",
    givenName: "Ben",
    familyName: "Traveler",
    bornOn: "1991-02-02",
    title: "mr",
    gender: "m",
    email: "ben@example.com",
    phoneNumber: "+14155550124",
  });
  const { said: customer } = await agent.call("ensure_flight_customer", { clerkUserId: "second" });
  const others = { additionalCustomerUserIds: [customer.customerUserId] };
  const order = await book({ origin: "LON", destination: "LIS", departureDate: day, passengers: 2 }, others);
  const hotels = z.object({ accommodations: z.array(z.object({ rates: z.array(z.looseObject({ id: z.string() })) })) });
  const stay = { location: "Lisbon", checkInDate: day, checkOutDate: out, guests: 2 };
  const { accommodations } = await agent.ask(hotels, "search_hotels", stay);
  const { said: quote } = await agent.call("quote_stay", { rateId: accommodations[0]?.rates[0]?.id });
  const guests = [{ givenName: "Tess", familyName: "Traveler" }];
  const { said: booked } = await agent.call("book_stay", { quoteId: quote.id, email: "tess@example.com", guests });

  // Off by two hours, like a local time written for another zone, and without the number of travelers.
  const [first] = order.segments;
  const originalLeg = {
    origin: "LON",
    destination: "LIS",
    pnr: order.pnr,
    scheduledDepartureIso: `${first?.departingAt}-02:00`,
  };
  const rebookSearch = { departureDate: day };
  const disruption = { kind: "cancellation" };
  const waits = { needsHotelFallback: true, stayLocation: "LGW" };
  const found = await replan({ originalLeg, disruption, rebookSearch, ...waits });
  expect(found.alternatives.reason).toMatch(/leaves \w+ at .* not at scheduledDepartureIso.* for 2 travelers/);
  expect(found.next).toMatch(/^Ask the airline first.*select_order_change_offer.*book_flight.*cancel_order_quote/);

  const [offer] = found.alternatives.offers;
  expect(offer?.passengers).toHaveLength(2);
  expect(offer?.next).toMatchObject({ tool: "book_flight", args: others });
  expect(Number(offer?.differenceAmount)).toBeCloseTo(
    Number(offer?.totalAmount) - Number(found.change.order.returnedAmount),
  );
  // The order has the fare with two bags.
  const bagless = found.alternatives.offers.filter(({ checkedBags }) => checkedBags === 0);
  expect(bagless).not.toEqual([]);
  for (const { fewerBags } of bagless)
    expect(fewerBags).toMatch(/no checked bag for each passenger, .* include 2 checked bags/);
  const flights = found.alternatives.offers.map(({ slices }) => slices[0]?.segments[0]);
  expect(flights).not.toContainEqual(expect.objectContaining({ ...first }));
  expect(found.change.order).toMatchObject({ travelers: 2, totalAmount: order.totalAmount });
  expect(await take(found.change.order.next)).toMatchObject({ refundAmount: found.change.order.returnedAmount });
  const [change] = found.change.offers;
  expect(await take(change?.next ?? found.change.order.next)).toMatchObject({
    changeTotalAmount: change?.changeTotalAmount,
  });
  expect(await take(found.hotel?.next ?? found.change.order.next)).toHaveProperty("accommodation");

  // The stay at the destination by each day of arrival, and the ways at both ends.
  const [own] = found.stays;
  expect(own).toMatchObject({ orderId: booked.orderId, accommodationName: booked.accommodationName });
  expect(own?.effect).toMatch(new RegExp(`^Arriving on ${day}: no night is lost.*on ${morning}: up to 1 of 3 nights`));
  expect(await take(own?.next ?? found.change.order.next)).toMatchObject({ refundAmount: own?.returnedAmount });
  const ways = [found.transfer, ...(found.transfer?.others ?? [])];
  const leaving = [...found.alternatives.offers, ...found.change.offers].map(
    ({ slices }) => slices[0]?.segments[0]?.origin,
  );
  expect(new Set(ways.filter((way) => way?.direction === "to_airport").map((way) => way?.airport))).toEqual(
    new Set(leaving),
  );
  expect(ways.at(-1)).toMatchObject({ direction: "from_airport", airport: "LIS" });
  // By the stay's name alone, which no map knows: the way to the stay, not to the city centre.
  const Transfer = z.object({
    destination: z.object({ label: z.string(), precision: z.string(), unknownPart: z.null() }),
    way: z.object({ roadKilometers: z.number() }),
  });
  const name = String(booked.accommodationName);
  const toStay = { airport: "LIS", destinationAddress: `${name}, Lisbon`, arrivalTimeIso: `${day}T21:00:00Z` };
  const transfer = await agent.ask(Transfer, "airport_transfer_coordinator", toStay);
  expect(transfer).toMatchObject({
    destination: { label: name },
    way: { roadKilometers: ways.at(-1)?.roadKilometers },
  });
  expect((await agent.call("airport_arrival_playbook", toStay)).said).toMatchObject(transfer);
  // Without a named place the way leads to the stay.
  const bare = await replan({ originalLeg, disruption, rebookSearch });
  expect(bare.transfer).toMatchObject({ direction: "from_airport", airport: "LIS", others: [] });

  // A traveler who flies two days later waits two nights.
  const later = await replan({ originalLeg, disruption, rebookSearch: { departureDate: inDays(72) }, ...waits });
  expect(later.hotel).toMatchObject({ checkInDate: day, checkOutDate: inDays(72) });

  // A longer wait is not assumed, and the answer says so; a stay far from the leg's end belongs to another journey.
  const far = { ...originalLeg, destination: "OPO", pnr: "" };
  const { said } = await agent.call("trip_delay_replanner", {
    originalLeg: far,
    disruption,
    rebookSearch: { departureDate: inDays(75) },
    ...waits,
    notifyChannels: [],
  });
  expect(said).toMatchObject({
    stays: [],
    alternatives: { reason: expect.not.stringContaining(morning), searchedDates: [inDays(75)] },
    hotel: { checkInDate: day, checkOutDate: morning, reason: expect.stringContaining("end before departureDate") },
  });

  // The call books both tickets unchanged.
  const again = await take(offer?.next ?? found.change.order.next);
  expect(again).toMatchObject({ travelers: [{ givenName: "Tess" }, { givenName: "Ben" }] });
});

test("a delay is judged by the connection of its order, and a missed connection leaves what came before it behind", async () => {
  const day = inDays(9);
  const connects = (slices: z.output<typeof Slices>) => slices[0]?.segments.length === 2;
  const order = await book({ origin: "EDI", destination: "CUZ", departureDate: day }, {}, connects);
  const [first, second] = order.segments;
  if (first === undefined || second === undefined) throw new Error("no connection was booked");
  const departs = Temporal.PlainDateTime.from(first.departingAt).toZonedDateTime("Europe/London");
  const leg = async (from: Pick<typeof first, "origin" | "destination">, kind: string, earliest?: string) =>
    await replan({
      originalLeg: {
        origin: from.origin,
        destination: from.destination,
        flightNumber: first.flightNumber,
        pnr: order.pnr,
        scheduledDepartureIso: departs.toInstant().toString(),
      },
      disruption: { kind, ...(earliest === undefined ? {} : { earliestUsableDepartureIso: earliest }) },
      rebookSearch: { departureDate: day },
      notifyChannels: ["slack"],
    });
  const whole = { origin: "EDI", destination: "CUZ" };
  const after = (minutes: number) => departs.add({ minutes }).toInstant().toString();
  const ends = (slices: z.output<typeof Slices>) => slices.at(-1)?.segments.at(-1)?.destination;
  const late = await leg(first, "delay", after(0));
  expect(late.alternatives.reason).toContain(`continues from ${first.destination} to CUZ`);
  expect(late.alternatives.offers.map(({ slices }) => ends(slices))).toEqual(
    late.alternatives.offers.map(() => second.destination),
  );
  // A delay that is caught up at the connection, one that loses it, and one of unknown length.
  expect(late.next).toMatch(/^Keep the flight: it is still operating/);
  for (const part of [first, whole]) {
    const lost = await leg(part, "delay", after(6 * 60));
    const said = `${second.flightNumber} to CUZ leaves there at ${clock(second.departingAt)}: the connection is lost`;
    expect(lost.next).toMatch(/^Do not simply keep the flight/);
    expect(lost.next).toContain(said);
    expect(lost.messages[0]?.text).toMatch(/^1\. .* would reach .* you would miss it/m);
    expect(lost.messages[0]?.text).toContain("Do not cancel your booking yourself");
    expect(lost.messages[0]?.text).not.toContain("Keep your flight");
    expect(lost.messages[0]?.text).toContain(`EDI–${first.destination}`);
    expect(lost.duties.map(({ owes }) => owes)).toEqual(expect.arrayContaining(["hotel", "compensation"]));
  }
  expect((await leg(first, "delay")).next).toMatch(/^Keep the flight only if it still reaches/);

  // Whether the leg is the missed flight or the whole journey: it is over, and so is what came before it.
  for (const [part, earliest] of [[second], [whole], [second, `${second.departingAt}Z`]] as const) {
    const missed = await leg(part, "missed_connection", earliest);
    const offered = missed.alternatives.offers.flatMap(({ slices }) => slices[0]?.segments[0] ?? []);
    expect(new Set(offered.map(({ origin }) => origin))).toEqual(new Set([second.origin]));
    expect(offered).not.toContainEqual(
      expect.objectContaining({ flightNumber: second.flightNumber, departingAt: second.departingAt }),
    );
    expect(missed.change).toMatchObject({ available: false, offers: [], reason: expect.stringContaining("has begun") });
    expect(missed.duties.map(({ owes }) => owes)).toEqual(expect.arrayContaining(["care", "hotel", "compensation"]));
    expect(missed.next).not.toContain("No law");
  }
});

test("an order with a return says that cancelling gives the return up, and what keeps it", async () => {
  const [day, back] = [inDays(82), inDays(86)];
  const order = await book({ origin: "MUC", destination: "BCN", departureDate: day, returnDate: back });
  const [out, home] = order.slices.map(({ segments: [first] }) => first);
  const originalLeg = (way: typeof out) => ({
    origin: way?.origin ?? "",
    destination: way === out ? "BCN" : "MUC",
    pnr: order.pnr,
    scheduledDepartureIso: Temporal.PlainDateTime.from(way?.departingAt ?? "")
      .toZonedDateTime(way === out ? "Europe/Berlin" : "Europe/Madrid")
      .toInstant()
      .toString(),
  });
  const disruption = { kind: "cancellation" };
  const found = await replan({ originalLeg: originalLeg(out), disruption, rebookSearch: { departureDate: day } });
  expect(found.next).toContain(
    `The order also has BCN to MUC (${home?.flightNumber}, ${clock(home?.departingAt ?? "")}). Cancelling the order cancels it too`,
  );
  const keeps = "A change with select_order_change_offer keeps it as booked.";
  expect(found.next.includes(keeps)).toBe(found.change.available);
  expect(found.next).toMatch(/new tickets here do not replace it: compare .* airlines often cancel the rest/);
  // Neither journey has begun.
  const other = await replan({ originalLeg: originalLeg(home), disruption, rebookSearch: { departureDate: back } });
  expect(other.next).toContain(`The order also has MUC to BCN (${out?.flightNumber}`);
});

test("no proposal repeats the held flights; the first to arrive, the quickest and the cheapest are proposed", async () => {
  const day = inDays(74);
  const order = await book({ origin: "LON", destination: "LIS", departureDate: day });
  expect(order.slices[0]).toMatchObject(findEnds(order.segments));
  expect(order.timeZones).toEqual({ [order.segments[0]?.origin ?? ""]: "Europe/London", LIS: "Europe/Lisbon" });
  const held = order.segments[0]?.departingAt ?? "";
  const slices = {
    add: [{ origin: "LON", destination: "LIS", departure_date: day, cabin_class: "economy" }],
    remove: [{ slice_id: order.slices[0]?.id }],
  };
  const { offers } = await agent.ask(Changes, "request_order_change", { orderId: order.orderId, slices });
  const described = (some: readonly { changeTotalAmount: string; slices: z.output<typeof Slices> }[]) =>
    some.flatMap(({ changeTotalAmount, slices: [way] }) => {
      const departs = way?.segments[0]?.departingAt ?? "";
      const arrives = way?.segments.at(-1)?.arrivingAt ?? "";
      return [{ price: Number(changeTotalAmount), minutes: way?.durationMinutes ?? 0, departs, arrives }];
    });
  const all = described(offers.map((offer) => ({ ...offer, slices: offer.slices.add })));
  // A change does not offer the flights already held, either.
  const others = all.filter(({ departs }) => departs !== held);
  expect([others.length, all.length > 0]).toEqual([all.length, true]);
  const { alternatives, change, messages } = await replan({
    originalLeg: { origin: "LON", destination: "LIS", pnr: order.pnr, scheduledDepartureIso: `${held}Z` },
    disruption: { kind: "delay", earliestUsableDepartureIso: `${day}T00:00:00Z` },
    rebookSearch: { departureDate: day },
    notifyChannels: ["slack"],
  });
  const proposed = described(change.offers);
  const departures = [...proposed.map(({ departs }) => departs), ...alternatives.offers.map(leavingAt)];
  expect(departures).not.toContain(held);
  expect(messages[0]?.text).not.toContain(held.slice(0, 16).replace("T", " "));
  const least = (of: typeof all, measure: "price" | "minutes") => Math.min(...of.map((one) => one[measure]));
  expect(least(proposed, "price")).toBe(least(others, "price"));
  expect(least(proposed, "minutes")).toBeLessThanOrEqual(least(others, "minutes"));
  const first = (of: typeof all) => of.map(({ arrives }) => arrives).toSorted()[0] ?? "";
  expect(first(proposed) <= first(others)).toBe(true);

  // Once selected, it names the payee, the time zones, and the penalty for the next change.
  const { changeId, due } = await agent.ask(Selected, "select_order_change_offer", change.offers[0]?.next.args ?? {});
  const args = { changeId, payment: { type: "balance", ...due } };
  const { said: preview } = await agent.call("preview_call", { tool: "confirm_order_change", args });
  const keeps = expect.stringMatching(/go to the airline, whom the operator's account \(collection\) pays/);
  if (due.amount !== "0") expect(preview.irreversible).toMatchObject([{ what: keeps }]);
  const changed = await agent.ask(Changed, "confirm_order_change", args);
  expect(changed.next).toMatch(/went to the airline/);
  const { flight } = await agent.ask(Read, "read_order", { orderId: order.orderId });
  expect(flight.slices[0].changeBeforeDeparture).toEqual(flight.conditions.changeBeforeDeparture);
  // Later cancellations and changes may cost more than before.
  const { conditions, refundableUntil, changeableUntil } = flight;
  expect(changed).toMatchObject({ conditions, refundableUntil, changeableUntil });
  for (const { slices: flown, timeZones } of [changed, flight]) {
    expect(flown[0]).toMatchObject(findEnds(flown[0].segments));
    expect(timeZones).toEqual({ [flown[0].origin]: "Europe/London", LIS: "Europe/Lisbon" });
  }
});

test("the quickest is proposed if others arrive first and cost less; among equals the one with fewer flights", () => {
  const way = (id: string, durationMinutes: number | null, flights: number) => ({
    id,
    durationMinutes,
    segments: Array.from({ length: flights }, () => ({ flightNumber: id, departingAt: "" })),
  });
  const ways = [
    way("a", 300, 2),
    way("b", 280, 2),
    way("c", 290, 2),
    way("d", 150, 2),
    way("e", 150, 1),
    way("f", null, 1),
  ];
  const quickest = findQuickest(ways, (one) => [one]);
  expect(quickest?.id).toBe("e");
  const proposed = proposeWays([ways[0], ways[1], undefined, quickest], ways);
  expect(proposed.map(({ id }) => id)).toEqual(["a", "b", "e"]);
  expect(proposeWays(ways.slice(1, 5), ways)).toEqual(ways.slice(1, 5));
});

const clock = (local: string) => local.slice(0, 16).replace("T", " ");
const findEnds = (segments: z.output<typeof Segments>) => ({
  origin: segments[0]?.origin,
  destination: segments.at(-1)?.destination,
});
const leavingAt = ({ slices }: { slices: z.output<typeof Slices> }) => slices[0]?.segments[0]?.departingAt ?? "";
