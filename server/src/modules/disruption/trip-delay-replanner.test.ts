import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";
import { newFundedTenant } from "../../../test/support/treasury.ts";

let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("shared");
});
afterAll(() => world?.close());

const Marked = z.looseObject({ available: z.boolean(), reason: z.string().nullable() });
const Slices = z.array(
  z.object({
    segments: z.array(
      z.object({
        origin: z.string(),
        destination: z.string(),
        flightNumber: z.string(),
        departingAt: z.string(),
        arrivingAt: z.string(),
      }),
    ),
  }),
);
const Supplied = z.object({
  data: z.object({
    offers: z.array(
      z.object({
        total_amount: z.string(),
        slices: z.tuple([
          z.object({
            segments: z.array(
              z.object({
                departing_at: z.string(),
                arriving_at: z.string(),
                operating_carrier: z.object({ iata_code: z.string() }),
              }),
            ),
          }),
        ]),
      }),
    ),
  }),
});
const Answer = z.object({
  alternatives: Marked.extend({
    offers: z.array(
      z.looseObject({ id: z.string(), totalAmount: z.string(), slices: Slices, booking: z.looseObject({}).nullable() }),
    ),
    searchedDates: z.array(z.string()),
  }),
  change: Marked.extend({
    offers: z.array(z.looseObject({ id: z.string(), changeTotalAmount: z.string(), slices: Slices })),
  }),
  hotel: Marked.extend({
    checkInDate: z.string(),
    accommodations: z.array(z.looseObject({ id: z.string(), name: z.string(), distanceMeters: z.number() })),
    picks: z.looseObject({ best: z.string(), nearest: z.string() }).nullable(),
  }).nullable(),
  transfer: Marked.extend({
    airport: z.string().nullable(),
    minutes: z.looseObject({ likely: z.number() }).nullable(),
    links: z.looseObject({ google: z.string() }).nullable(),
    pickUps: z.record(z.string(), z.string()),
  }).nullable(),
  next: z.string(),
  messages: z.array(
    z.object({
      channel: z.string(),
      text: z.string(),
      recipient: z.string().nullable(),
      sent: z.boolean(),
      reason: z.string(),
    }),
  ),
});

const date = Temporal.Now.plainDateISO("UTC").add({ days: 45 });
const leg = { origin: "LHR", destination: "JFK", flightNumber: "BA117", carrier: "BA" };
const disrupted = {
  originalLeg: { ...leg, scheduledDepartureIso: `${date}T08:00:00Z` },
  disruption: { kind: "cancellation", earliestUsableDepartureIso: `${date}T13:00:00+00:00`, reason: "Crew" },
  rebookSearch: { departureDate: date.toString(), cabinClass: "business" },
};
const replan = async (args: object = {}, options = {}) =>
  Answer.parse(await world.result("trip_delay_replanner", { ...disrupted, ...args }, options));
const departures = (offers: readonly { slices: z.output<typeof Slices> }[]) =>
  offers.map(({ slices }) => slices[0]?.segments[0]?.departingAt ?? "");
/** By London's clock, in any season. */
const earliest = Temporal.Instant.from(`${date}T13:00:00Z`)
  .toZonedDateTimeISO("Europe/London")
  .toPlainDateTime()
  .toString();

describe("a disrupted trip", () => {
  it("gets late enough flights, a hotel for its night, the way back and unsent messages", async () => {
    const { alternatives, change, hotel, transfer, messages } = await replan({
      needsHotelFallback: true,
      stayLocation: "London",
      notifyChannels: ["email", "whatsapp", "slack", "email"],
    });
    expect(alternatives.offers.length).toBeGreaterThan(0);
    expect(departures(alternatives.offers).every((departingAt) => departingAt >= earliest)).toBe(true);
    expect(change).toMatchObject({ available: false, reason: expect.stringContaining("pnr") });
    expect([hotel?.available, hotel?.checkInDate]).toEqual([true, date.toString()]);
    expect(transfer?.minutes?.likely).toBeGreaterThan(20);
    expect(messages.map(({ channel, sent }) => [channel, sent])).toEqual([
      ...[
        ["email", false],
        ["whatsapp", false],
        ["slack", false],
      ],
    ]);
    expect(messages[0]?.recipient).toMatch(/^.…@/);
    expect(messages[1]?.recipient).toMatch(/^…\d\d$/);
    expect(messages[0]?.reason).toMatch(/no mail server/);
    expect(messages[2]).toMatchObject({ recipient: null, reason: expect.stringMatching(/off/) });
    for (const { text } of messages) {
      expect(text).toContain("BA117 LHR–JFK");
      expect(text).toContain(hotel?.accommodations.find(({ id }) => id === hotel.picks?.best)?.name.slice(0, 10));
    }
    // The offers are bookable, as the tenant has seen them.
    const [first] = alternatives.offers;
    expect(first?.booking).toBeNull();
    expect(await world.result("display_offer_conditions", { offerId: first?.id })).toBeDefined();
  });

  it("is never the cancelled flight itself, by its number or by its moment", async () => {
    const { alternatives } = await replan();
    const { departingAt = "", flightNumber = "" } = alternatives.offers[0]?.slices[0]?.segments[0] ?? {};
    const departs = Temporal.PlainDateTime.from(departingAt).toZonedDateTime("Europe/London").toInstant();
    const flights = async (kind: string, named: object) => {
      const originalLeg = { origin: "LHR", destination: "JFK", scheduledDepartureIso: departs.toString(), ...named };
      const found = await replan({ originalLeg, disruption: { ...disrupted.disruption, kind } });
      return found.alternatives.offers.map(({ slices }) => slices[0]?.segments[0]?.flightNumber);
    };
    const named = { carrier: flightNumber.slice(0, 2).toLowerCase(), flightNumber: flightNumber.slice(2) };
    expect(await flights("delay", named)).toContain(flightNumber);
    expect(await flights("cancellation", named)).not.toContain(flightNumber);
    expect(await flights("cancellation", {})).not.toContain(flightNumber);
  });

  it("reports for each alternative the refusal by the caller's travel policy", async () => {
    const other = await newFundedTenant(world.service, "Bound");
    const headers = { authorization: `Bearer ${other.operatorKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ policyId: "default-corp" });
    const bound = await world.service.send("/api/policy-enforcement", { method: "PUT", headers, body });
    expect(bound.status).toBe(200);
    const [business, economy] = await Promise.all(
      ["business", "economy"].map(async (cabinClass) => {
        const rebookSearch = { departureDate: date.toString(), cabinClass };
        const { alternatives } = await replan({ rebookSearch }, other.as);
        return new Set(alternatives.offers.map(({ booking }) => booking?.code ?? null));
      }),
    );
    expect(business).toEqual(new Set(["approval_required"]));
    expect(economy).not.toContain("approval_required");
  });

  it("has the change price of the tenant's own order, and not of others'", async () => {
    const { orderId } = await world.bookFlexible();
    const [row] = await world.service.sql("select pnr from booking where order_id = $1", [orderId]);
    const { pnr } = z.object({ pnr: z.string() }).parse(row);
    const originalLeg = { ...disrupted.originalLeg, pnr: pnr.toLowerCase() };
    const { change, messages } = await replan({ originalLeg });
    expect(change).toMatchObject({ available: true, orderId });
    expect(departures(change.offers).every((departingAt) => departingAt >= earliest)).toBe(true);
    expect(messages[0]?.text).toContain(pnr);
    const [offer] = change.offers;
    const selected = await world.result("select_order_change_offer", { offerId: offer?.id });
    expect(selected).toMatchObject({ changeTotalAmount: offer?.changeTotalAmount });
    // Nothing can be changed before ticketing, which is not a fare rule.
    await world.arm("/air/orders", "ticketing_delayed");
    const fresh = await world.book({ offerId: (await world.flexibleOffer()).id });
    const [waiting] = await world.service.sql("select pnr from booking where order_id = $1", [fresh.orderId]);
    const early = (await replan({ originalLeg: { ...originalLeg, ...waiting } })).change;
    expect(early).toMatchObject({ available: false, reason: expect.stringMatching(/tickets are not issued yet/) });
    const other = await newFundedTenant(world.service, "Other");
    const theirs = await replan({ originalLeg }, other.as);
    expect(theirs.change).toMatchObject({
      available: false,
      reason: expect.stringContaining("no order"),
      orderId: null,
    });
  });

  it("spends the night at the place of the name that is near the airport, and names the others", async () => {
    const { hotel, alternatives } = await replan({ needsHotelFallback: true, stayLocation: "Richmond" });
    const [tonight, tomorrow] = [date.toString(), date.add({ days: 1 }).toString()];
    expect(alternatives.searchedDates).toEqual([tonight, tomorrow]);
    const leaving = departures(alternatives.offers).map((departingAt) => departingAt.slice(0, 10));
    expect(new Set(leaving)).toEqual(new Set([tonight, tomorrow]));
    const distances = hotel?.accommodations.map(({ distanceMeters }) => distanceMeters) ?? [];
    expect(distances).toEqual(distances.toSorted((one, other) => one - other));
    expect(hotel?.picks?.nearest).toBe(hotel?.accommodations[0]?.id);
    expect(hotel).toMatchObject({ takenAs: expect.stringContaining("United Kingdom") });
    expect(hotel?.otherCandidates).toEqual(expect.arrayContaining([expect.stringContaining("VA")]));
  });

  it("waits at the origin if the stay is at the destination, and reports the effect of the new arrival on it", async () => {
    const days = (...all: number[]) => all.map((added) => date.add({ days: added }).toString());
    const stay = async (stayLocation: string, from: number, to: number) => {
      const [stayCheckInDate, stayCheckOutDate] = days(from, to);
      return replan({ needsHotelFallback: true, stayLocation, stayCheckInDate, stayCheckOutDate });
    };
    const there = await stay("New York", 1, 3);
    // The night of waiting is that of the flight, and its hotels are where the traveler waits.
    expect(there.alternatives.searchedDates).toEqual(days(0, 1));
    expect(there.alternatives.reason).toMatch(/near JFK: .* at the destination.* waiting are near LHR/);
    expect(there.hotel).toMatchObject({ takenAs: expect.stringContaining("LHR"), checkInDate: days(0)[0] });
    expect(there.alternatives.reason).toMatch(/The first alternative arrives at .*: no night of that stay is lost/);
    const arrival = there.alternatives.offers[0]?.slices.at(-1)?.segments.at(-1);
    expect(there.transfer?.airport).toBe(arrival?.destination);
    expect(there.transfer?.links?.google).toMatch(/origin=40\.\d+%2C-73/);
    const lands = Temporal.PlainDateTime.from(arrival?.arrivingAt ?? "").toZonedDateTime("America/New_York");
    const at = lands.add({ minutes: 50 }).toString({ timeZoneName: "never" });
    expect(there.transfer?.pickUps).toMatchObject({ [there.alternatives.offers[0]?.id ?? ""]: at });
    const point = await stay("40.7549,-73.9840", 1, 3);
    expect([point.transfer?.airport, point.transfer?.links?.google]).toEqual([
      arrival?.destination,
      expect.stringContaining("40.754900%2C-73.984000"),
    ]);
    expect(there.next).toMatch(/Not sent: whatsapp, slack; each reason/);
    expect(there.messages[0]?.text).toMatch(/Airport JFK to your stay there: about \d+ min/);
    expect((await stay("New York", -1, 2)).alternatives.reason).toMatch(/up to 1 night of that stay/);
    expect((await stay("New York", -2, 0)).alternatives.reason).toMatch(/that stay is lost/);
    // Too long to wait for a flight; and late nights of waiting, each of whose days is searched.
    const long = await stay("London", 0, 5);
    expect([long.alternatives.searchedDates, long.alternatives.reason]).toEqual([
      days(0),
      expect.stringMatching(/not a night spent waiting/),
    ]);
    const waiting = await stay("London", 0, 2);
    expect([waiting.alternatives.searchedDates, waiting.alternatives.reason]).toEqual([
      days(0, 1, 2),
      expect.stringMatching(
        `^Shown are .* leave on ${days(2).join()}, the cheapest and the fastest; [^.]*\\. Only flights from LHR; use origin LON`,
      ),
    ]);
  });

  it("chooses the first to arrive, the first after the night, and the cheapest, of all the supplier's offers", async () => {
    const originalLeg = { ...disrupted.originalLeg, origin: "LON", destination: "LIS" };
    const days = [date, date.add({ days: 1 })].map(String);
    const supplied = await Promise.all(
      days.map(async (departure_date) => {
        const slices = [{ origin: "LON", destination: "LIS", departure_date }];
        const asked = { slices, passengers: [{ type: "adult" }], cabin_class: "economy" };
        return Supplied.parse(await world.post("/air/offer_requests", asked)).data.offers;
      }),
    );
    const flown = supplied.flat().map(({ total_amount, slices: [{ segments }] }) => ({
      price: Number(total_amount),
      departs: segments[0]?.departing_at ?? "",
      arrives: segments.at(-1)?.arriving_at ?? "",
      way: JSON.stringify(segments),
    }));
    const inTime = flown
      .filter(({ departs }) => departs >= earliest)
      .toSorted((left, right) => left.arrives.localeCompare(right.arrives));
    const { alternatives } = await replan({
      originalLeg,
      rebookSearch: { departureDate: date.toString() },
      needsHotelFallback: true,
      stayLocation: "London",
    });
    const arrivals = alternatives.offers.map(({ slices }) => slices.at(-1)?.segments.at(-1)?.arrivingAt ?? "");
    const afterNight = inTime.find(({ departs }) => departs >= (days[1] ?? ""))?.arrives;
    expect([3, 4]).toContain(arrivals.length);
    expect(arrivals[0]).toBe(inTime[0]?.arrives);
    expect(arrivals).toContain(afterNight);
    const cheapest = Math.min(...inTime.map(({ price }) => price));
    const prices = alternatives.offers.map(({ totalAmount }) => Number(totalAmount));
    expect(Math.min(...prices)).toBe(cheapest);
    const third = [...new Map(inTime.map(({ way, arrives }) => [way, arrives])).values()][2] ?? "";
    const others = arrivals.filter((arrives, index) => arrives !== afterNight && prices[index] !== cheapest);
    expect(others.every((arrives) => arrives <= third)).toBe(true);
  });

  it("has the changes of every searched day, and those of one day if another fails", async () => {
    const { orderId } = await world.bookFlexible();
    const [row] = await world.service.sql("select pnr from booking where order_id = $1", [orderId]);
    const { pnr } = z.object({ pnr: z.string() }).parse(row);
    const originalLeg = { ...disrupted.originalLeg, pnr };
    const [today, tomorrow] = [date.toString(), date.add({ days: 1 }).toString()];
    const late = { kind: "delay", earliestUsableDepartureIso: `${date}T23:59:00Z` };
    const next = (await replan({ originalLeg, disruption: late })).change;
    expect(next).toMatchObject({
      available: true,
      reason: expect.stringMatching(/^penaltyAmount is the fare's penalty[^.]*\. Your order is refundable[^.]*\.$/),
    });
    expect(departures(next.offers).every((departingAt) => departingAt.startsWith(tomorrow))).toBe(true);
    const waiting = { originalLeg, needsHotelFallback: true, stayLocation: "London" };
    const { offers } = (await replan(waiting)).change;
    expect(offers.length).toBeLessThanOrEqual(4);
    expect(new Set(departures(offers).map((departingAt) => departingAt.slice(0, 10)))).toEqual(
      new Set([today, tomorrow]),
    );
    const prices = offers.map(({ changeTotalAmount }) => Number(changeTotalAmount));
    expect(prices).toEqual(prices.toSorted((left, right) => left - right));
    // Each failing day is asked for twice: three faults affect one day fully and the other once.
    const fault = { match: { path: "/air/order_change_requests", method: "POST" }, fault: "http_503", delayMs: 0 };
    await world.supplier("/_sandbox/scenarios", { ...fault, times: 3 });
    const one = (await replan(waiting)).change;
    expect(one).toMatchObject({
      available: true,
      reason: expect.stringMatching(/No change could be requested for \S+: provider_/),
    });
    expect(new Set(departures(one.offers).map((departingAt) => departingAt.slice(0, 10))).size).toBe(1);
    await world.armOften("/air/order_change_requests", "http_503");
    const failed = (await replan(waiting)).change;
    await world.disarm();
    const both = `No change could be requested for ${today}, ${tomorrow}: provider_`;
    expect(failed).toMatchObject({ available: false, orderId, reason: expect.stringContaining(both) });
  });

  it("names the flights that arrive first, and the way to the airport of the first after the night", async () => {
    const originalLeg = { ...disrupted.originalLeg, origin: "LON", destination: "LIS" };
    const { alternatives, transfer, messages } = await replan({
      originalLeg,
      rebookSearch: { departureDate: date.toString() },
      needsHotelFallback: true,
      stayLocation: "London",
    });
    const arrivals = alternatives.offers.map(({ slices }) => slices.at(-1)?.segments.at(-1)?.arrivingAt ?? "");
    expect(arrivals).toEqual(arrivals.toSorted());
    const morning = date.add({ days: 1 }).toString();
    const after = alternatives.offers.find(({ slices }) => (slices[0]?.segments[0]?.departingAt ?? "") >= morning);
    const airport = after?.slices[0]?.segments[0]?.origin ?? "";
    expect(transfer?.airport).toBe(airport);
    expect(messages[0]?.text).toContain(`Hotel to airport ${airport}: about`);
  });

  it("knows its order's leg by the flight's airports and by their cities, and names the source of the penalty", async () => {
    const { orderId } = await world.bookFlexible({ origin: "LON", destination: "LIS" });
    const [row] = await world.service.sql("select pnr from booking where order_id = $1", [orderId]);
    const { pnr } = z.object({ pnr: z.string() }).parse(row);
    const change = async (origin: string, destination: string, kind = "cancellation") => {
      const originalLeg = { origin, destination, pnr, scheduledDepartureIso: `${date}T08:00:00Z` };
      return replan({ originalLeg, disruption: { kind }, rebookSearch: { departureDate: date.toString() } });
    };
    const byAirport = await change("LGW", "LIS");
    expect(byAirport.change).toMatchObject({ available: true, orderId });
    expect(byAirport.change.reason).toMatch(
      /fare's penalty.*often waives it\. Under EU 261\/2004 it owes another flight or a refund/,
    );
    expect(byAirport.messages[0]?.text).toMatch(
      /Under EU 261\/2004, the airline owes you another flight or a refund.*Do not cancel/,
    );
    expect((await change("LON", "LIS", "delay")).change.reason).not.toMatch(/waives/);
    expect((await change("LIS", "LGW")).change.reason).toMatch(/not for this leg/);
  });

  it("searches the next day if nothing leaves late enough", async () => {
    const { alternatives } = await replan({
      disruption: { kind: "delay", earliestUsableDepartureIso: `${date}T23:59:00Z` },
    });
    expect(alternatives.searchedDates).toEqual([date.toString(), date.add({ days: 1 }).toString()]);
    expect(alternatives.offers.length).toBeGreaterThan(0);
  });

  it("still has its other parts if one of them fails", async () => {
    await world.armOften("/air/offer_requests", "http_503");
    const { alternatives, hotel, messages } = await replan({ needsHotelFallback: true, stayLocation: "London" });
    await world.disarm();
    expect(alternatives).toMatchObject({ available: false, offers: [] });
    expect(alternatives.reason).toMatch(/^provider_/);
    expect(hotel?.available).toBe(true);
    expect(messages[0]?.text).toMatch(/No flights were found/);
    const unknown = await replan({ needsHotelFallback: true, stayLocation: "Qwxzhaus" });
    expect([unknown.hotel?.available, unknown.transfer?.available, unknown.alternatives.available]).toEqual([
      ...[false, false, true],
    ]);
  });

  it.each([
    [{ needsHotelFallback: true }, "stayLocation"],
    [{ originalLeg: { ...disrupted.originalLeg, destination: "LGW" } }, "originalLeg.destination"],
    [{ rebookSearch: { departureDate: "2020-01-01" } }, "rebookSearch.departureDate"],
    [{ stayCheckInDate: "2035-01-02", stayCheckOutDate: "2035-01-02" }, "stayCheckOutDate"],
    [{ notifyChannels: ["sms"] }, "notifyChannels.0"],
  ])("is refused with %j", async (args, path) => {
    const answer = await world.service.call("trip_delay_replanner", { ...disrupted, ...args });
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
    expect(answer.body.issues).toMatchObject([{ path }]);
  });
});
