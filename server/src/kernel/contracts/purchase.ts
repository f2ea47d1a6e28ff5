import type { z } from "zod";
import type { Coordinates } from "../../domain/distance.ts";
import type { Micro } from "../../domain/money.ts";
import type { CabinClass } from "../../domain/schemas.ts";

/** What a call would buy, as far as the service's own records say it. A member that is undefined is not known. */
export type Purchase = FlightPurchase | StayPurchase;

interface Bought {
  /** Of all of it, in micro-USD. */
  price: Micro | undefined;
  /** Where the price is not known: what a part of it costs, so that all of it costs no less. */
  priceAtLeast?: Micro | undefined;
  /** Users of the tenant. Undefined: not everybody who travels is known. */
  travelerIds: readonly string[] | undefined;
  /** Whether money comes back when it is cancelled in time. */
  refundable: boolean | undefined;
}

export interface FlightPurchase extends Bought {
  kind: "flight";
  /** IATA codes of the airlines that sell or operate a part of it. */
  carriers: readonly string[] | undefined;
  changeable: boolean | undefined;
  /** What is kept of a refund, in micro-USD. Undefined: not known, or nothing is refunded. */
  refundPenalty?: Micro | undefined;
  /** What the airline calls its fares. */
  fareBrands: readonly string[] | undefined;
  emissionsKgPerPassenger: number | undefined;
  /** There and back are two. */
  legs: readonly FlightLeg[];
  /** The other offers of the same search, this one among them. */
  comparables: readonly ComparableOffer[] | undefined;
}

export interface FlightLeg {
  /** IATA codes. */
  origin: string | undefined;
  destination: string | undefined;
  /** Local times at the airports. */
  departsAt: Temporal.PlainDateTime | undefined;
  arrivesAt: Temporal.PlainDateTime | undefined;
  durationMinutes: number | undefined;
  stops: number | undefined;
  /** As the airline sells them, such as BA117. */
  flights: readonly string[] | undefined;
  /** The highest of its segments. */
  cabin: Cabin | undefined;
}

export type Cabin = z.infer<typeof CabinClass>;

export interface ComparableOffer {
  price: Micro;
  /** Of each leg, local time at the airport. */
  departures: readonly Temporal.PlainDateTime[];
  /** The highest of all segments. */
  cabin: Cabin | undefined;
}

export interface StayPurchase extends Bought {
  kind: "stay";
  /** Of the hotel, in its own words. */
  name: string | undefined;
  /** Ids that a policy may name: of the accommodation and of its chain. */
  suppliers: readonly string[] | undefined;
  rooms: number | undefined;
  /** In micro-USD, of one room. Undefined: it follows from price, nights and rooms, where these are known. */
  pricePerNight?: Micro | undefined;
  checkInDate: Temporal.PlainDate | undefined;
  checkOutDate: Temporal.PlainDate | undefined;
  place: Coordinates | undefined;
  /** ISO 3166-1 alpha-2. */
  country: string | undefined;
  timeZone: string | undefined;
  stars: number | undefined;
}

/** From the lowest to the highest. */
const cabins = ["economy", "premium_economy", "business", "first"] as const;

/** Undefined when one is missing, or there is none. */
export function highestCabin(all: readonly (Cabin | undefined)[]): Cabin | undefined {
  const known = all.filter((cabin) => cabin !== undefined);
  if (known.length < all.length || known.length === 0) return undefined;
  return known.reduce((one, other) => (isHigherCabin(other, one) ? other : one));
}

export function isHigherCabin(one: Cabin, other: Cabin): boolean {
  return cabins.indexOf(one) > cabins.indexOf(other);
}
