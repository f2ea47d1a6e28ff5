// The offers of an offer request: worked out from the request and the seed, the same every time.
import { chance } from "../hash.ts";
import { derivedId } from "../ids.ts";
import { adultFare, brandsFor, type FareBrand, passengerPermille, sellsCabin, taxWithin } from "../inventory/fares.ts";
import { findItineraries, type Itinerary } from "../inventory/itineraries.ts";
import type { Network } from "../inventory/network.ts";
import { findTestRoute, type TestRoute } from "../inventory/test-routes.ts";
import { applyPermille, toCents } from "../money.ts";
import type { AirlineRecord } from "../reference/data.ts";
import type { OfferRequest } from "./request.ts";

export type Offer = {
  readonly id: string;
  readonly place: number;
  readonly owner: AirlineRecord;
  readonly brand: FareBrand;
  readonly slices: readonly Itinerary[];
  readonly totalMicro: bigint;
  readonly taxMicro: bigint;
  /** The share of each slice in the total, at the price first offered. */
  readonly sliceFares: readonly { readonly totalMicro: bigint; readonly taxMicro: bigint }[];
  readonly expiresAtMs: number;
  readonly requiresInstantPayment: boolean;
  readonly paymentRequiredByMs: number | null;
  readonly priceGuaranteeExpiresAtMs: number | null;
  readonly testRoute: TestRoute | undefined;
};

const OFFER_LIFE_MS = 30 * 60_000;
const HOUR_MS = 3_600_000;
const LONGEST_HOLD_MS = 72 * HOUR_MS;
const PRICE_GUARANTEE_MS = 48 * HOUR_MS;
const TICKETED_BEFORE_DEPARTURE_MS = 24 * HOUR_MS;
const MOST_ITINERARIES = 13;
const MORE_FOR_EACH_AIRPORT = 2;
const MOST_PER_OWNER = 5;
const COMBINATIONS_PER_OWNER = 4;

type Choice = { readonly owner: AirlineRecord; readonly slices: readonly Itinerary[]; readonly fromMicro: bigint };

function minuteOfDay(time: Temporal.PlainDateTime): number {
  return time.hour * 60 + time.minute;
}

function isWithin(
  time: Temporal.PlainDateTime,
  window: { from?: string | undefined; to?: string | undefined } | null,
): boolean {
  if (window === null) return true;
  const toMinutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  if (window.from !== undefined && minuteOfDay(time) < toMinutes(window.from)) return false;
  return window.to === undefined || minuteOfDay(time) <= toMinutes(window.to);
}

function durationMs(itinerary: Itinerary): number {
  return (itinerary.flights.at(-1)?.arrivesMs ?? 0) - itinerary.flights[0].departsMs;
}

/** Where a choice leaves from and arrives at first: a metropolitan area has several airports. */
const describeEnds = ({ slices: [first] }: Choice): readonly string[] =>
  first === undefined ? [] : [`from ${first.flights[0].from.iata}`, `to ${first.flights.at(-1)?.to.iata}`];

/**
 * Cheap and quick ones first, and no airline more than a few times before the others had their turn. The cheapest and the
 * quickest of each airport are always there, so that a metropolitan area has nothing worse than its airports have.
 */
function pickVaried(choices: readonly Choice[]): readonly Choice[] {
  const duration = (choice: Choice) => choice.slices.reduce((sum, slice) => sum + durationMs(slice), 0);
  const cheapest = Math.min(...choices.map((choice) => Number(choice.fromMicro)));
  const quickest = Math.min(...choices.map(duration));
  const score = (choice: Choice) => Number(choice.fromMicro) / cheapest + (1.3 * duration(choice)) / quickest;
  const ranked = [...choices].sort((a, b) => score(a) - score(b));
  const perOwner = new Map<string, number>();
  const first: Choice[] = [];
  const rest: Choice[] = [];
  for (const choice of ranked) {
    const count = perOwner.get(choice.owner.iata) ?? 0;
    perOwner.set(choice.owner.iata, count + 1);
    (count < MOST_PER_OWNER ? first : rest).push(choice);
  }
  const ends = new Set(ranked.flatMap(describeEnds));
  const bests = [...ends].flatMap((end) => {
    const there = ranked.filter((choice) => describeEnds(choice).includes(end));
    const cheapestFirst = there.toSorted((a, b) => Number(a.fromMicro - b.fromMicro));
    const quickestFirst = there.toSorted((a, b) => duration(a) - duration(b));
    return [...cheapestFirst.slice(0, 1), ...quickestFirst.slice(0, 1)];
  });
  const most = MOST_ITINERARIES + MORE_FOR_EACH_AIRPORT * Math.max(0, ends.size - 2);
  const picked = new Set([...new Set([...bests, ...first, ...rest])].slice(0, most));
  return [...first, ...rest].filter((choice) => picked.has(choice));
}

/** One itinerary for each slice, of one airline all the way where it has them, of its partners where it has not. */
function combine(
  options: readonly (readonly Itinerary[])[],
  computeFare: (itinerary: Itinerary) => bigint,
): readonly Choice[] {
  const byFare = options.map((slice) => [...slice].sort((a, b) => Number(computeFare(a) - computeFare(b))));
  const [first, ...others] = byFare;
  if (first === undefined) return [];
  const sum = (slices: readonly Itinerary[]) => slices.reduce((total, slice) => total + computeFare(slice), 0n);
  if (others.length === 0) {
    return first.map((slice) => ({ owner: slice.flights[0].airline, slices: [slice], fromMicro: computeFare(slice) }));
  }
  const owners = [...new Set(first.map((slice) => slice.flights[0].airline))];
  const choices: Choice[] = [];
  for (const owner of owners) {
    const pools = byFare.map((slice) => {
      const own = slice.filter((itinerary) => itinerary.flights[0].airline === owner);
      if (own.length > 0) return own;
      return slice.filter(
        (itinerary) => owner.alliance !== null && itinerary.flights[0].airline.alliance === owner.alliance,
      );
    });
    if (pools.some((pool) => pool.length === 0)) continue;
    for (let index = 0; index < COMBINATIONS_PER_OWNER; index += 1) {
      const slices = pools.map((pool) => pool[index % pool.length]).filter((slice) => slice !== undefined);
      if (index > 0 && pools.every((pool) => index >= pool.length)) break;
      choices.push({ owner, slices, fromMicro: sum(slices) });
    }
  }
  return choices;
}

/** A corporate or tour code takes 5 to 12 % off the airline's public fare. */
function privateFarePermille(seed: string, request: OfferRequest, owner: AirlineRecord): number {
  const codes = request.privateFares[owner.iata];
  if (codes === undefined) return 1000;
  return 950 - Math.floor(chance(seed, "private", owner.iata, codes.corporate_code ?? "", codes.tour_code ?? "") * 70);
}

function holdTerms(request: OfferRequest, choice: Choice, brand: FareBrand, testRoute: TestRoute | undefined) {
  const departsMs = choice.slices[0]?.flights[0].departsMs ?? request.createdAtMs;
  const latestMs = departsMs - TICKETED_BEFORE_DEPARTURE_MS;
  const instantOnly = choice.owner.kind === "low_cost" && brand.name === "Basic";
  const requiresInstantPayment = testRoute !== "all_holdable" && (instantOnly || latestMs <= request.createdAtMs);
  if (requiresInstantPayment)
    return { requiresInstantPayment, paymentRequiredByMs: null, priceGuaranteeExpiresAtMs: null };
  const paymentRequiredByMs =
    testRoute === "all_holdable"
      ? request.createdAtMs + LONGEST_HOLD_MS
      : Math.min(request.createdAtMs + LONGEST_HOLD_MS, latestMs);
  const priceGuaranteeExpiresAtMs = Math.min(request.createdAtMs + PRICE_GUARANTEE_MS, paymentRequiredByMs);
  return { requiresInstantPayment, paymentRequiredByMs, priceGuaranteeExpiresAtMs };
}

/** `onlyOwner` leaves out what other airlines sell, as when an order is changed. */
export function buildOffers(
  seed: string,
  network: Network,
  request: OfferRequest,
  onlyOwner?: string,
): readonly Offer[] {
  const options = request.slices.map((slice) =>
    findItineraries(seed, network, {
      origin: slice.origin,
      destination: slice.destination,
      date: Temporal.PlainDate.from(slice.departureDate),
      maxConnections: request.maxConnections,
      nowMs: request.createdAtMs,
    }).filter((itinerary) => {
      const arrives = itinerary.flights.at(-1)?.arrivesLocal ?? itinerary.flights[0].arrivesLocal;
      return (
        sellsCabin(itinerary, request.cabinClass) &&
        isWithin(itinerary.flights[0].departsLocal, slice.departureTime) &&
        isWithin(arrives, slice.arrivalTime)
      );
    }),
  );
  const priceItinerary = (itinerary: Itinerary, brand: FareBrand) =>
    adultFare(seed, itinerary, request.cabinClass, brand, request.createdAtMs);
  const cheapestBrand = (itinerary: Itinerary) => brandsFor(itinerary, request.cabinClass)[0];
  const fromFares = new Map<Itinerary, bigint>();
  for (const itinerary of options.flat()) {
    const brand = cheapestBrand(itinerary);
    if (brand !== undefined) fromFares.set(itinerary, priceItinerary(itinerary, brand));
  }
  const choices = combine(options, (itinerary) => fromFares.get(itinerary) ?? 0n).filter(
    (choice) => onlyOwner === undefined || choice.owner.iata === onlyOwner,
  );
  const [firstSlice] = request.slices;
  const testRoute = firstSlice === undefined ? undefined : findTestRoute(firstSlice.origin, firstSlice.destination);
  const shares = request.passengers.map(passengerPermille);
  const offers: Offer[] = [];
  for (const choice of pickVaried(choices)) {
    const [leading] = choice.slices;
    if (leading === undefined) continue;
    const reduction = privateFarePermille(seed, request, choice.owner);
    for (const brand of brandsFor(leading, request.cabinClass)) {
      const sliceFares = choice.slices.map((slice) => {
        const adult = priceItinerary(slice, brand);
        const fares = shares.map((share) => toCents(applyPermille(applyPermille(adult, share), reduction)));
        return {
          totalMicro: fares.reduce((sum, fare) => sum + fare, 0n),
          taxMicro: fares.reduce((sum, fare) => sum + taxWithin(fare, slice), 0n),
        };
      });
      const place = offers.length;
      offers.push({
        id: derivedId("off", request.core, place),
        place,
        owner: choice.owner,
        brand,
        slices: choice.slices,
        totalMicro: sliceFares.reduce((sum, fare) => sum + fare.totalMicro, 0n),
        taxMicro: sliceFares.reduce((sum, fare) => sum + fare.taxMicro, 0n),
        sliceFares,
        expiresAtMs: request.createdAtMs + OFFER_LIFE_MS,
        ...holdTerms(request, choice, brand, testRoute),
        testRoute,
      });
    }
  }
  return offers;
}
