import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { offer, segment, slice } from "../../../../test/support/offers.ts";
import { parseDecimal } from "../../../domain/money.ts";
import type { FlightOffer } from "../../../ports/supplier/flights.ts";
import { chooseOffers, isDirect, itineraryKey } from "./best-offers.ts";
import { compareOffers } from "./fares.ts";

/** Few prices, durations and departures, so that ties, fare brands and code-shares of one itinerary are common. */
const anyOffer = fc
  .record({
    cents: fc.integer({ min: 1, max: 6 }),
    minutes: fc.constantFrom(400, 480, 900),
    departures: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 3 }),
    marketing: fc.constantFrom("BA", "AA"),
    brand: fc.constantFrom("Basic", "Flex"),
  })
  .map(({ cents, minutes, departures, marketing, brand }) => {
    const segments = departures.map((hour, index) =>
      segment({
        carrier: marketing,
        flightNumber: `${marketing}${hour}`,
        departingAt: `2027-01-20T0${hour}:0${index}:00`,
        arrivingAt: `2027-01-20T1${hour}:0${index}:00`,
      }),
    );
    return {
      totalAmount: `${cents * 100}.00`,
      slices: [slice(segments, { durationMinutes: minutes, fareBrandName: brand })],
    };
  });
const anyOffers = fc
  .array(anyOffer, { maxLength: 30, size: "max" })
  .map((drafts) => drafts.map((draft, index) => offer({ ...draft, id: `off_${index}` })));

const best = (offers: readonly FlightOffer[]) => chooseOffers(offers, 3)?.shown ?? [];
const price = (one: FlightOffer) => parseDecimal(one.totalAmount) ?? 0n;
const minutes = (one: FlightOffer) => one.slices.reduce((sum, { durationMinutes }) => sum + durationMinutes, 0);
const stops = (one: FlightOffer) => one.slices.reduce((sum, { segments }) => sum + segments.length - 1, 0);

const isCheapest = (one: FlightOffer, all: readonly FlightOffer[]) => all.every((other) => price(other) >= price(one));
const isFastest = (one: FlightOffer, all: readonly FlightOffer[]) =>
  all.every((other) => minutes(other) >= minutes(one));

/** At least as good in every respect, and better in one. */
function dominates(left: FlightOffer, right: FlightOffer): boolean {
  const atLeast = price(left) <= price(right) && minutes(left) <= minutes(right) && stops(left) <= stops(right);
  return atLeast && (price(left) < price(right) || minutes(left) < minutes(right) || stops(left) < stops(right));
}

describe("the best offers", () => {
  test("are up to three different itineraries, and the cheapest direct one is always named", () => {
    fc.assert(
      fc.property(anyOffers, (offers) => {
        const shown = best(offers);
        const keys = shown.map(itineraryKey);
        expect(new Set(keys).size).toBe(keys.length);
        expect(shown).toHaveLength(Math.min(3, new Set(offers.map(itineraryKey)).size));
        const direct = offers.filter(isDirect);
        const named = chooseOffers(offers, 3)?.cheapestDirect;
        expect(named !== undefined && isCheapest(named, direct)).toBe(direct.length > 0);
        for (const one of shown) expect(offers).toContain(one);
      }),
    );
  });

  test("are the cheapest of their itinerary", () => {
    fc.assert(
      fc.property(anyOffers, (offers) => {
        for (const one of best(offers)) {
          const same = offers.filter((other) => itineraryKey(other) === itineraryKey(one));
          expect(price(one)).toBe(same.map(price).reduce((least, next) => (next < least ? next : least)));
        }
      }),
    );
  });

  test("omit nothing that is better in every respect, and come best first", () => {
    fc.assert(
      fc.property(anyOffers, (offers) => {
        const shown = best(offers);
        const left = offers.filter((one) => !shown.some((kept) => itineraryKey(kept) === itineraryKey(one)));
        // The cheapest, the fastest and the cheapest direct one are always included, whatever their score.
        const direct = offers.filter(isDirect);
        const isNamed = (one: FlightOffer) =>
          isCheapest(one, offers) || isFastest(one, offers) || (isDirect(one) && isCheapest(one, direct));
        const chosen = shown.filter((one) => !isNamed(one));
        for (const kept of chosen) for (const one of left) expect(dominates(one, kept)).toBe(false);
        for (const [index, one] of chosen.entries()) {
          for (const later of chosen.slice(index + 1)) expect(dominates(later, one)).toBe(false);
        }
      }),
    );
  });

  test("do not depend on the supplier's order", () => {
    fc.assert(
      fc.property(
        anyOffers.chain((offers) =>
          fc.tuple(fc.constant(offers), fc.shuffledSubarray(offers, { minLength: offers.length })),
        ),
        ([offers, shuffled]) => {
          expect(best(shuffled)).toEqual(best(offers));
        },
      ),
    );
  });

  test("follow the stated rule: a stop costs 15 % of the cheapest price, a doubled duration half of it", () => {
    const at = (id: string, totalAmount: string, durationMinutes: number, hours: readonly number[]) =>
      offer({
        id,
        totalAmount,
        slices: [
          slice(
            hours.map((hour) => segment({ departingAt: `2027-01-20T0${hour}:00:00` })),
            { durationMinutes },
          ),
        ],
      });
    const order = (...offers: FlightOffer[]) => best(offers).map(({ id }) => id);
    const cheap = at("cheap", "100.00", 400, [1, 2]);
    expect(order(cheap, at("direct", "114.00", 400, [3]))).toEqual(["direct", "cheap"]);
    expect(order(cheap, at("direct", "116.00", 400, [3]))).toEqual(["cheap", "direct"]);
    const slow = at("slow", "100.00", 800, [4]);
    expect(order(slow, at("fast", "149.00", 400, [5]))).toEqual(["fast", "slow"]);
    expect(order(slow, at("fast", "151.00", 400, [5]))).toEqual(["slow", "fast"]);
  });

  test("count flights in the requested cabin by their share of the flight time", () => {
    const at = (id: string, totalAmount: string, flown: readonly (readonly [string, number])[]) =>
      offer({
        id,
        totalAmount,
        slices: [
          slice(
            flown.map(([cabinClass, durationMinutes]) =>
              segment({ id, cabinClass, durationMinutes, flightNumber: id }),
            ),
            { durationMinutes: 660 },
          ),
        ].map((one) => ({ ...one, segments: one.segments.map((each) => ({ ...each, departingAt: `${id} time` })) })),
      });
    const choose = (...offers: FlightOffer[]) => chooseOffers(offers, 3, "business");
    const half = at("half", "1000.00", [
      ["economy", 300],
      ["business", 300],
    ] as const);
    const whole = (price: string) =>
      at("whole", price, [
        ["business", 300],
        ["first", 300],
      ] as const);
    const feeder = at("feeder", "1000.00", [
      ["economy", 60],
      ["business", 540],
    ] as const);
    expect(choose(half, whole("3900.00"))).toMatchObject({ best: { id: "whole" }, cheapest: { id: "whole" } });
    expect(choose(half, whole("4100.00"))).toMatchObject({ best: { id: "half" }, cheapest: { id: "whole" } });
    expect(choose(feeder, whole("1200.00"))).toMatchObject({ best: { id: "whole" } });
    expect(choose(feeder, whole("1300.00"))).toMatchObject({ best: { id: "feeder" }, fastest: { id: "whole" } });
    expect(choose(half, feeder)).toMatchObject({ best: { id: "feeder" }, cheapest: { id: "feeder" } });
    expect(chooseOffers([half, whole("1100.00")], 3, "economy")).toMatchObject({ best: { id: "half" } });
  });

  test("name the cheapest, the fastest and the cheapest direct one, even if three others are better in everything", () => {
    const at = (id: string, totalAmount: string, durationMinutes: number, hour: number) =>
      offer({
        id,
        totalAmount,
        slices: [slice([segment({ departingAt: `2027-01-20T0${hour}:00:00` })], { durationMinutes })],
      });
    const stopping = (id: string, totalAmount: string, minutes: number, hour: number) => {
      const one = at(id, totalAmount, minutes, hour);
      return { ...one, slices: one.slices.map((each) => ({ ...each, segments: [...each.segments, segment()] })) };
    };
    const middling = [1, 2, 3, 4].map((hour) => at(`middling_${hour}`, "120.00", 420, hour));
    const offers = [...middling, at("cheap", "100.00", 900, 5), at("fast", "300.00", 400, 6)];
    const choose = (from: typeof offers) => {
      const chosen = chooseOffers(from, 3);
      if (chosen === undefined) throw new Error("there are no offers");
      return { ids: chosen.shown.map(({ id }) => id), picks: compareOffers(chosen, from).picks };
    };
    expect(choose(offers).ids).toEqual(["middling_1", "cheap", "fast"]);
    const picks = { best: "middling_1", cheapest: "cheap", fastest: "fast", cheapestDirect: "cheap" };
    expect(choose(offers).picks).toMatchObject({ ...picks, notShown: [] });
    // The cheapest direct one is a pick if it is none of these: at most three offers.
    const changing = [1, 2, 3].map((hour) => stopping(`changing_${hour}`, "100.00", 430, hour));
    const all = [
      ...changing,
      stopping("cheap", "60.00", 900, 4),
      at("fast", "400.00", 300, 5),
      at("direct", "350.00", 400, 6),
    ];
    const three = choose(all);
    expect(three.ids.toSorted()).toEqual(["changing_1", "cheap", "fast"]);
    expect(three.picks).toMatchObject({
      cheapestDirect: "direct",
      fastest: "fast",
      notShown: [{ id: "direct", totalAmount: "350.00", flights: "BA117 LHR 2027-01-20T06:00 → JFK 11:20, direct" }],
    });
    expect(choose(changing).picks).toMatchObject({ cheapestDirect: null, notShown: [] });
  });
});
