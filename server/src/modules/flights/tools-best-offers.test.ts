import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { offer, segment, slice } from "../../../test/support/offers.ts";
import { parseDecimal } from "../../domain/money.ts";
import type { FlightOffer } from "../../ports/flights.ts";
import { bestOffers, isDirect, itineraryKey } from "./best-offers.ts";

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
  test("are as many different itineraries as there are, up to three, or four where the cheapest direct one is the fourth", () => {
    fc.assert(
      fc.property(anyOffers, (offers) => {
        const best = bestOffers(offers, 3);
        const keys = best.map(itineraryKey);
        expect(new Set(keys).size).toBe(keys.length);
        const direct = offers.filter(isDirect);
        const isFourth = best.length === 4 && best.some((one) => isDirect(one) && isCheapest(one, direct));
        if (!isFourth) expect(best).toHaveLength(Math.min(3, new Set(offers.map(itineraryKey)).size));
        if (direct.length > 0) expect(best.some((one) => isDirect(one) && isCheapest(one, direct))).toBe(true);
        for (const one of best) expect(offers).toContain(one);
      }),
    );
  });

  test("are the cheapest of their itinerary", () => {
    fc.assert(
      fc.property(anyOffers, (offers) => {
        for (const one of bestOffers(offers, 3)) {
          const same = offers.filter((other) => itineraryKey(other) === itineraryKey(one));
          expect(price(one)).toBe(same.map(price).reduce((least, next) => (next < least ? next : least)));
        }
      }),
    );
  });

  test("leave out nothing that is better in every respect, and come best first", () => {
    fc.assert(
      fc.property(anyOffers, (offers) => {
        const best = bestOffers(offers, 3);
        const left = offers.filter((one) => !best.some((kept) => itineraryKey(kept) === itineraryKey(one)));
        // The cheapest, the fastest and the cheapest direct one of all are always among them, whatever else speaks against them.
        const direct = offers.filter(isDirect);
        const isNamed = (one: FlightOffer) =>
          isCheapest(one, offers) || isFastest(one, offers) || (isDirect(one) && isCheapest(one, direct));
        const chosen = best.filter((one) => !isNamed(one));
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
          expect(bestOffers(shuffled, 3)).toEqual(bestOffers(offers, 3));
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
    const order = (...offers: FlightOffer[]) => bestOffers(offers, 3).map(({ id }) => id);
    const cheap = at("cheap", "100.00", 400, [1, 2]);
    expect(order(cheap, at("direct", "114.00", 400, [3]))).toEqual(["direct", "cheap"]);
    expect(order(cheap, at("direct", "116.00", 400, [3]))).toEqual(["cheap", "direct"]);
    const slow = at("slow", "100.00", 800, [4]);
    expect(order(slow, at("fast", "149.00", 400, [5]))).toEqual(["fast", "slow"]);
    expect(order(slow, at("fast", "151.00", 400, [5]))).toEqual(["slow", "fast"]);
  });
});
