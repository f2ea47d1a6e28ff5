import { CabinClass } from "../../../domain/schemas.ts";
import { highestCabin } from "../../../domain/travel/purchase.ts";
import { seenCarriers, seenLegs } from "../../../domain/travel/seen-slices.ts";
import type { FlightOffer } from "../../../ports/supplier/flights.ts";
import type { SeenComparable, SeenFlight } from "../../bookings/index.ts";

/** The maximum stored per search. */
const MOST_SEEN = 200;

/** An offer as it is remembered, without its rate and its search. */
export interface SeenOne {
  id: string;
  offer: Omit<SeenFlight, "rate" | "searchId">;
}

export interface SeenSearch {
  offers: SeenOne[];
  comparables: SeenComparable[];
}

export function toSeenSearch(offers: readonly FlightOffer[]): SeenSearch {
  const seen = offers.slice(0, MOST_SEEN).map(toSeen);
  const comparables = seen.flatMap(({ id, offer: { totalAmount, totalCurrency, legs } }) => {
    const departures = legs.flatMap(({ departingAt }) => departingAt ?? []);
    const cabin = highestCabin(legs.map((leg) => CabinClass.safeParse(leg.cabin).data)) ?? null;
    return totalCurrency === offers[0]?.totalCurrency && departures.length === legs.length
      ? [{ id, totalAmount, departures, cabin }]
      : [];
  });
  return { offers: seen, comparables };
}

export function toSeen(offer: FlightOffer): SeenOne {
  const { id, totalAmount, totalCurrency, slices, conditions, passengers, totalEmissionsKg } = offer;
  const brands = slices.flatMap(({ fareBrandName }) => fareBrandName ?? []);
  const emissions = Number(totalEmissionsKg ?? Number.NaN) / passengers.length;
  const refund = conditions.refundBeforeDeparture;
  const seen = {
    ...(refund?.allowed === true && refund.penaltyAmount !== null && refund.penaltyCurrency === totalCurrency
      ? { refundPenaltyAmount: refund.penaltyAmount }
      : {}),
    kind: "flight" as const,
    totalAmount,
    totalCurrency,
    passengers: passengers.length,
    expected: passengers.map(({ id: _, ...expected }) => expected),
    carriers: seenCarriers(slices),
    airlines: nameAirlines(slices),
    refundable: conditions.refundBeforeDeparture?.allowed ?? null,
    changeable: conditions.changeBeforeDeparture?.allowed ?? null,
    fareBrands: brands.length === slices.length ? [...new Set(brands)] : null,
    emissionsKgPerPassenger: Number.isFinite(emissions) ? emissions : null,
    legs: seenLegs(slices),
  };
  return { id, offer: seen };
}

function nameAirlines(slices: FlightOffer["slices"]): Record<string, string> {
  const segments = slices.flatMap(({ segments: some }) => some);
  return Object.fromEntries(segments.map(({ carrier, carrierName }) => [carrier, carrierName]));
}
