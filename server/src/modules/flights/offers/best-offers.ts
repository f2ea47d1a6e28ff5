import { parseDecimal } from "../../../domain/money.ts";
import type { FlightOffer, FlightSearch } from "../../../ports/supplier/flights.ts";
import { isWhollyIn, shareIn } from "./cabins.ts";

/**
 * The rule: a lower score is better, and score = price ÷ cheapest price + 0.5 × duration ÷ shortest duration + 0.15 ×
 * stops over all offers of the search, with the duration and stops of all slices together. Twice the cheapest price
 * weighs as much as three times the shortest duration; a stop weighs as much as 15 % of the cheapest price. Ratios
 * instead of amounts apply equally to a short hop and a long journey in first class. Ties fall to the cheaper, then the
 * shorter, then the earlier, then the id, so that equal searches give equal answers.
 *
 * Suppliers sell a cabin even if some flights of the journey lack it. The price of such an offer is divided by the
 * square of the share of the flight time in the requested cabin or a higher one: an hour in economy before ten in
 * business hardly counts, and half a journey in economy counts like four times the price.
 *
 * The best, the cheapest, the fastest and the cheapest direct itinerary are named, and come first among the offers
 * shown. All but the best are chosen among the offers in the requested cabin all the way, if there are any.
 *
 * An itinerary is the same aircraft at the same times: its fare brands and code-shares count once, by their cheapest
 * offer in the requested cabin all the way, else by the lowest price counted as above.
 *
 * A supplier prices one search in one currency; numbers are only compared here, never used as money.
 */
const DURATION_WEIGHT = 0.5;
const STOP_WEIGHT = 0.15;
/** A share of zero would make every price infinite, and all of them equal. */
const LEAST_SHARE = 0.1;

type Cabin = FlightSearch["cabinClass"];

interface Chosen {
  /** Best first. */
  shown: readonly FlightOffer[];
  best: FlightOffer;
  cheapest: FlightOffer;
  fastest: FlightOffer;
  cheapestDirect: FlightOffer | undefined;
}

/** All itineraries, best first. */
export function bestOffers(offers: readonly FlightOffer[], cabin: Cabin = "economy"): readonly FlightOffer[] {
  return rank(offers, cabin).map(({ offer }) => offer);
}

/** Undefined without offers. */
export function chooseOffers(
  offers: readonly FlightOffer[],
  most: number,
  cabin: Cabin = "economy",
): Chosen | undefined {
  const ranked = rank(offers, cabin);
  const wholly = ranked.filter(({ isWhole }) => isWhole);
  const cheapestFirst = (wholly.length === 0 ? ranked : wholly).toSorted(compare);
  const fastestFirst = cheapestFirst.toSorted((left, right) => left.minutes - right.minutes || compare(left, right));
  const direct = cheapestFirst.find(({ offer }) => isDirect(offer));
  const [best, cheapest, fastest] = [ranked[0], cheapestFirst[0], fastestFirst[0]];
  if (best === undefined || cheapest === undefined || fastest === undefined) return undefined;
  const named = [best, cheapest, fastest, ...(direct === undefined ? [] : [direct])];
  const shown = new Set([...new Set([...named, ...ranked])].slice(0, most));
  return {
    shown: ranked.filter((one) => shown.has(one)).map(({ offer }) => offer),
    best: best.offer,
    cheapest: cheapest.offer,
    fastest: fastest.offer,
    cheapestDirect: direct?.offer,
  };
}

function rank(offers: readonly FlightOffer[], cabin: Cabin): Rated[] {
  const rated = offers.map((offer) => rate(offer, cabin));
  const cheapest = Math.max(1, Math.min(...rated.map(({ worth }) => worth)));
  const shortest = Math.max(1, Math.min(...rated.map(({ minutes }) => minutes)));
  const score = (offer: Rated): number =>
    offer.worth / cheapest + (DURATION_WEIGHT * offer.minutes) / shortest + STOP_WEIGHT * offer.stops;
  return oneOfEachItinerary(rated).sort((left, right) => score(left) - score(right) || compare(left, right));
}

interface Rated {
  offer: FlightOffer;
  price: number;
  /** The price, adjusted for flights in a lower cabin. */
  worth: number;
  isWhole: boolean;
  minutes: number;
  stops: number;
  departingAt: string;
}

function rate(offer: FlightOffer, cabin: Cabin): Rated {
  const minutes = journeyMinutes(offer);
  const stops = offer.slices.reduce((sum, { segments }) => sum + Math.max(0, segments.length - 1), 0);
  const price = Number(parseDecimal(offer.totalAmount) ?? Number.MAX_SAFE_INTEGER);
  const isWhole = isWhollyIn(offer, cabin);
  const worth = isWhole ? price : price / Math.max(LEAST_SHARE, shareIn(offer, cabin)) ** 2;
  return { offer, price, worth, isWhole, minutes, stops, departingAt: offer.slices[0]?.segments[0]?.departingAt ?? "" };
}

/** There is no change of planes. */
export function isDirect({ slices }: FlightOffer): boolean {
  return slices.every(({ segments }) => segments.length === 1);
}

/** The duration of all slices together, without the days between them. */
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

function oneOfEachItinerary(rated: readonly Rated[]): Rated[] {
  const byItinerary = new Map<string, Rated>();
  for (const offer of rated) {
    const key = itineraryKey(offer.offer);
    const known = byItinerary.get(key);
    if (known === undefined || compareFares(offer, known) < 0) byItinerary.set(key, offer);
  }
  return [...byItinerary.values()];
}

const compareFares = (left: Rated, right: Rated): number =>
  Number(right.isWhole) - Number(left.isWhole) || left.worth - right.worth || compare(left, right);

/** Equal for offers on the same aircraft at the same times. */
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
