import { type Coordinates, distanceMeters } from "../../domain/distance.ts";
import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import {
  type Cabin,
  type ComparableOffer,
  type FlightLeg,
  type FlightPurchase,
  highestCabin,
  type Purchase,
  type StayPurchase,
} from "../../domain/travel/purchase.ts";
import type { Airport } from "../../ports/maps.ts";

/** The subject of a verdict: a purchase, or a payment that names no offer. */
export type Subject = { bought: Purchase } | { payment: { amount: Micro | undefined; recipient: Hex | undefined } };

/** The caller. Undefined: not known yet, such as while a plan is only discussed. */
export interface Booker {
  userId: string;
  /** The user whose trips count as the booker's own. */
  travelerId: string;
}

export interface Circumstances {
  now: Temporal.Instant;
  booker: Booker | undefined;
  airport(iataCode: string): Pick<Airport, "countryCode" | "timeZone" | "latitude" | "longitude"> | undefined;
}

export type Kind = "flight" | "hotel" | "payment";

/** The facts that rules evaluate, independent of tools and suppliers. Undefined: unknown. */
export interface Facts {
  kind: Kind;
  price: Micro | undefined;
  booker: Booker | undefined;
  travelerIds: readonly string[] | undefined;
  /** ISO 3166-1 alpha-2. */
  countries: readonly string[] | undefined;
  refundable: boolean | undefined;
  /** The local date of the departure or the check-in. */
  startsOn: Temporal.PlainDate | undefined;
  endsOn: Temporal.PlainDate | undefined;
  /** Days from today to the start, on the calendar of the place where it starts. */
  daysAhead: number | undefined;
  flight: FlightFacts | undefined;
  hotel: HotelFacts | undefined;
  recipient: Hex | undefined;
}

export interface FlightFacts {
  legs: readonly LegFacts[];
  carriers: readonly string[] | undefined;
  changeable: boolean | undefined;
  fareBrands: readonly string[] | undefined;
  emissionsKgPerPassenger: number | undefined;
  isDomestic: boolean | undefined;
  comparables: readonly ComparableOffer[] | undefined;
  departures: readonly Temporal.PlainDateTime[] | undefined;
  /** The highest, longest or most over all legs. */
  cabin: Cabin | undefined;
  durationHours: number | undefined;
  stops: number | undefined;
}

export interface LegFacts {
  durationHours: number | undefined;
  stops: number | undefined;
  cabin: Cabin | undefined;
  isOvernight: boolean | undefined;
}

export interface HotelFacts {
  pricePerNight: Micro | undefined;
  suppliers: readonly string[] | undefined;
  /** Those of the given cities that it lies in, nearest first. */
  citiesAmong(codes: Iterable<string>): readonly string[] | undefined;
  stars: number | undefined;
}

const NOTHING_KNOWN = {
  travelerIds: undefined,
  countries: undefined,
  refundable: undefined,
  startsOn: undefined,
  endsOn: undefined,
  daysAhead: undefined,
  flight: undefined,
  hotel: undefined,
  recipient: undefined,
} as const;

export function collectFacts(subject: Subject, circumstances: Circumstances): Facts {
  const { booker } = circumstances;
  if ("payment" in subject) {
    const { amount, recipient } = subject.payment;
    return { ...NOTHING_KNOWN, kind: "payment", price: amount, booker, recipient };
  }
  const { bought } = subject;
  const { price, travelerIds, refundable } = bought;
  const common = { ...NOTHING_KNOWN, price, booker, travelerIds, refundable };
  return bought.kind === "flight"
    ? { ...common, kind: "flight", ...flightFacts(bought, circumstances) }
    : { ...common, kind: "hotel", ...hotelFacts(bought, circumstances) };
}

function flightFacts(bought: FlightPurchase, { now, airport }: Circumstances) {
  const { legs, carriers, changeable, fareBrands, emissionsKgPerPassenger, comparables } = bought;
  const places = legs.map(({ origin, destination }) => ({
    from: origin === undefined ? undefined : airport(origin),
    to: destination === undefined ? undefined : airport(destination),
  }));
  const visited = allKnown(places.map(({ to }) => to?.countryCode));
  const left = allKnown(places.map(({ from }) => from?.countryCode));
  const home = left?.[0];
  const startsOn = legs[0]?.departsAt?.toPlainDate();
  return {
    // A round trip does not count its origin as a destination.
    countries:
      visited === undefined || legs.length === 1 || visited.at(-1) !== home ? visited : unique(visited.slice(0, -1)),
    startsOn,
    endsOn: legs.at(-1)?.arrivesAt?.toPlainDate(),
    daysAhead: daysUntil(startsOn, places[0]?.from?.timeZone, now),
    flight: {
      legs: legs.map(legFacts),
      carriers,
      changeable,
      fareBrands,
      emissionsKgPerPassenger,
      comparables,
      isDomestic:
        visited === undefined || left === undefined ? undefined : [...visited, ...left].every((one) => one === home),
      departures: allKnown(legs.map(({ departsAt }) => departsAt)),
      cabin: highestCabin(legs.map(({ cabin }) => cabin)),
      durationHours: greatestKnown(
        legs.map(({ durationMinutes: minutes }) => (minutes === undefined ? minutes : minutes / 60)),
      ),
      stops: greatestKnown(legs.map(({ stops }) => stops)),
    },
  };
}

function legFacts({ durationMinutes, stops, cabin, departsAt, arrivesAt }: FlightLeg): LegFacts {
  return {
    durationHours: durationMinutes === undefined ? undefined : durationMinutes / 60,
    stops,
    cabin,
    isOvernight:
      departsAt === undefined || arrivesAt === undefined
        ? undefined
        : Temporal.PlainDate.compare(arrivesAt.toPlainDate(), departsAt.toPlainDate()) > 0,
  };
}

function hotelFacts(bought: StayPurchase, { now, airport }: Circumstances) {
  const { checkInDate, checkOutDate, country, timeZone = LAST_DATE_FIRST, suppliers, place, stars } = bought;
  return {
    countries: country === undefined ? undefined : [country],
    startsOn: checkInDate,
    endsOn: checkOutDate,
    daysAhead: daysUntil(checkInDate, timeZone, now),
    hotel: {
      pricePerNight: bought.pricePerNight ?? nightlyPrice(bought),
      suppliers,
      stars,
      citiesAmong: (codes: Iterable<string>) => (place === undefined ? undefined : citiesNear(place, codes, airport)),
    },
  };
}

/** Where a day begins first. If its time zone is unknown, a stay counts as booked as late as possible. */
const LAST_DATE_FIRST = "+14:00";
/** Measured from the city's main airport. */
const CITY_RADIUS_METERS = 60_000;

function citiesNear(place: Coordinates, codes: Iterable<string>, airport: Circumstances["airport"]): readonly string[] {
  const near: { code: string; meters: number }[] = [];
  for (const code of codes) {
    const main = airport(code);
    const meters = main === undefined ? Number.POSITIVE_INFINITY : distanceMeters(place, main);
    if (meters <= CITY_RADIUS_METERS) near.push({ code, meters });
  }
  return near.toSorted((one, other) => one.meters - other.meters).map(({ code }) => code);
}

/** Rounded up, so that an excess below a micro-unit still counts. */
function nightlyPrice({ price, rooms, checkInDate, checkOutDate }: StayPurchase): Micro | undefined {
  if (price === undefined || rooms === undefined || checkInDate === undefined || checkOutDate === undefined) {
    return undefined;
  }
  const shares = BigInt(checkInDate.until(checkOutDate, { largestUnit: "days" }).days) * BigInt(rooms);
  return shares > 0n ? (price + shares - 1n) / shares : undefined;
}

function daysUntil(
  date: Temporal.PlainDate | undefined,
  timeZone: string | undefined,
  now: Temporal.Instant,
): number | undefined {
  if (date === undefined || timeZone === undefined) return undefined;
  return now.toZonedDateTimeISO(timeZone).toPlainDate().until(date, { largestUnit: "days" }).days;
}

function greatestKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = allKnown(values);
  return known === undefined ? undefined : Math.max(...known);
}

/** Undefined if one is unknown, or there is none. */
function allKnown<Value>(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length && known.length > 0 ? known : undefined;
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
