import type { z } from "zod";
import type { Coordinates } from "../distance.ts";
import type { Micro } from "../money.ts";
import type { CabinClass } from "../schemas.ts";

/** A call's purchase, as far as the service's own records know it. An undefined member is unknown. */
export type Purchase = FlightPurchase | StayPurchase;

/** An offer that could be bought instead. */
export interface Alternative {
  offerId: string;
  bought: Purchase;
}

interface Bought {
  /** The total, in micro-USD. */
  price: Micro | undefined;
  /** If the price is unknown: the price of a part, and so a lower bound. */
  priceAtLeast?: Micro | undefined;
  /** Users of the tenant. Undefined if some travelers are unknown. */
  travelerIds: readonly string[] | undefined;
  /** Whether cancelling in time returns money. */
  refundable: boolean | undefined;
}

export interface FlightPurchase extends Bought {
  kind: "flight";
  /** IATA codes of the airlines that sell or operate a part of it. */
  carriers: readonly string[] | undefined;
  /** Their names by code, for people; left out if unknown. */
  airlines?: Readonly<Record<string, string>>;
  changeable: boolean | undefined;
  /** The amount withheld from a refund, in micro-USD. Undefined if unknown or if nothing is refunded. */
  refundPenalty?: Micro | undefined;
  /** The airline's names for its fares. */
  fareBrands: readonly string[] | undefined;
  emissionsKgPerPassenger: number | undefined;
  /** A round trip has two. */
  legs: readonly FlightLeg[];
  /** All offers of the same search, this one included. */
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
  /** One per leg, local time at the airport. */
  departures: readonly Temporal.PlainDateTime[];
  /** The highest of all segments. */
  cabin: Cabin | undefined;
}

export interface StayPurchase extends Bought {
  kind: "stay";
  /** The hotel's name, in its own words. */
  name: string | undefined;
  /** Ids of the accommodation and its chain, which a policy may name. */
  suppliers: readonly string[] | undefined;
  rooms: number | undefined;
  /** In micro-USD, for one room. Undefined: derived from price, nights and rooms, if these are known. */
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

/** Undefined if one is unknown, or there is none. */
export function highestCabin(all: readonly (Cabin | undefined)[]): Cabin | undefined {
  const known = all.filter((cabin) => cabin !== undefined);
  if (known.length < all.length || known.length === 0) return undefined;
  return known.reduce((one, other) => (isHigherCabin(other, one) ? other : one));
}

export function isHigherCabin(one: Cabin, other: Cabin): boolean {
  return cabins.indexOf(one) > cabins.indexOf(other);
}
