import { parseDecimal } from "../../domain/money.ts";
import type { FlightOffer } from "../../ports/flights.ts";

/**
 * The rule: a lower score is better, and
 *
 *   score = price ÷ cheapest price + 0.5 × duration ÷ shortest duration + 0.15 × stops
 *
 * over all offers of the search, with the duration and stops of all slices together. Twice the cheapest price costs as much
 * as three times the shortest duration; a stop costs as much as 15 % of the cheapest price. Shares instead of amounts keep
 * the rule the same for a short hop and for a long journey in first class. Ties fall to the cheaper, then the shorter, then
 * the earlier, then the id, so that equal searches give equal answers.
 *
 * The best, the cheapest, the fastest and the cheapest direct itinerary of all are among those that are given, in the place that
 * their score has: where these are more than were asked for, they are all given.
 *
 * An itinerary is the same aircraft at the same times: fare brands and code-shares of it count once, by their cheapest offer.
 * A supplier prices one search in one currency; numbers are only compared here, never computed on as money.
 */
const DURATION_WEIGHT = 0.5;
const STOP_WEIGHT = 0.15;

export function bestOffers(offers: readonly FlightOffer[], limit: number): readonly FlightOffer[] {
  const rated = offers.map(rate);
  const cheapest = Math.max(1, Math.min(...rated.map(({ price }) => price)));
  const shortest = Math.max(1, Math.min(...rated.map(({ minutes }) => minutes)));
  const score = (offer: Rated): number =>
    offer.price / cheapest + (DURATION_WEIGHT * offer.minutes) / shortest + STOP_WEIGHT * offer.stops;

  const ranked = cheapestOfEachItinerary(rated).sort(
    (left, right) => score(left) - score(right) || compare(left, right),
  );
  const cheapestFirst = ranked.toSorted(compare);
  const fastestFirst = ranked.toSorted((left, right) => left.minutes - right.minutes || compare(left, right));
  const directFirst = cheapestFirst.filter(({ offer }) => isDirect(offer));
  const named = [ranked, cheapestFirst, fastestFirst, directFirst];
  const wanted = new Set(named.flatMap(([first]) => (first === undefined ? [] : [first])));
  const shown = new Set([...new Set([...wanted, ...ranked])].slice(0, Math.max(limit, wanted.size)));
  return ranked.filter((one) => shown.has(one)).map(({ offer }) => offer);
}

interface Rated {
  offer: FlightOffer;
  price: number;
  minutes: number;
  stops: number;
  departingAt: string;
}

function rate(offer: FlightOffer): Rated {
  const minutes = journeyMinutes(offer);
  const stops = offer.slices.reduce((sum, { segments }) => sum + Math.max(0, segments.length - 1), 0);
  const price = Number(parseDecimal(offer.totalAmount) ?? Number.MAX_SAFE_INTEGER);
  return { offer, price, minutes, stops, departingAt: offer.slices[0]?.segments[0]?.departingAt ?? "" };
}

/** Nobody changes planes. */
export function isDirect({ slices }: FlightOffer): boolean {
  return slices.every(({ segments }) => segments.length === 1);
}

/** Of all slices together, without the days between them. */
export function journeyMinutes({ slices }: FlightOffer): number {
  return slices.reduce((sum, { durationMinutes }) => sum + durationMinutes, 0);
}

function compare(left: Rated, right: Rated): number {
  return (
    left.price - right.price ||
    left.minutes - right.minutes ||
    left.stops - right.stops ||
    compareText(left.departingAt, right.departingAt) ||
    compareText(left.offer.id, right.offer.id)
  );
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function cheapestOfEachItinerary(rated: readonly Rated[]): Rated[] {
  const byItinerary = new Map<string, Rated>();
  for (const offer of rated) {
    const key = itineraryKey(offer.offer);
    const known = byItinerary.get(key);
    if (known === undefined || compare(offer, known) < 0) byItinerary.set(key, offer);
  }
  return [...byItinerary.values()];
}

/** Equal for offers that put the traveler on the same aircraft at the same times. */
export function itineraryKey(offer: FlightOffer): string {
  const slices = offer.slices.map((slice) =>
    slice.segments.map((segment) =>
      [segment.operatingCarrier, segment.origin, segment.departingAt, segment.destination, segment.arrivingAt].join(
        " ",
      ),
    ),
  );
  return JSON.stringify(slices);
}
