// The price of a seat. Factors are permille; amounts are whole micro-dollars.
import { chance } from "../hash.ts";
import { applyPermille, toCents, wholeUnits } from "../money.ts";
import type { CabinClass } from "../reference/data.ts";
import type { Itinerary } from "./itineraries.ts";
import type { Flight } from "./schedule.ts";

export type FareBrand = {
  readonly name: "Basic" | "Standard" | "Flex";
  readonly pricePermille: number;
  readonly checkedBags: number;
  readonly changeAllowed: boolean;
  readonly refundAllowed: boolean;
  /** Share of the fare kept when it is changed or refunded. */
  readonly penaltyPermille: number;
};

const BASIC: FareBrand = {
  name: "Basic",
  pricePermille: 1000,
  checkedBags: 0,
  changeAllowed: false,
  refundAllowed: false,
  penaltyPermille: 0,
};
const STANDARD: FareBrand = {
  name: "Standard",
  pricePermille: 1160,
  checkedBags: 1,
  changeAllowed: true,
  refundAllowed: true,
  penaltyPermille: 350,
};
const FLEX: FareBrand = {
  name: "Flex",
  pricePermille: 1520,
  checkedBags: 2,
  changeAllowed: true,
  refundAllowed: true,
  penaltyPermille: 0,
};

/** Fares are dearer per kilometre the shorter the flight. */
const BASE_MICRO = 38_000_000n;
const DISTANCE_BANDS = [
  { untilKm: 1200, microPerKm: 80_000n },
  { untilKm: 4000, microPerKm: 55_000n },
  { untilKm: 40_000, microPerKm: 40_000n },
] as const;
const ADVANCE_PURCHASE = [
  { underDays: 3, permille: 1900 },
  { underDays: 7, permille: 1550 },
  { underDays: 14, permille: 1280 },
  { underDays: 21, permille: 1100 },
  { underDays: 120, permille: 1000 },
  { underDays: 10_000, permille: 960 },
] as const;
const WEEKDAYS = [1020, 940, 940, 1000, 1090, 1000, 1090] as const;
const MONTHS_NORTH = [910, 890, 960, 1000, 1000, 1090, 1210, 1190, 1000, 970, 930, 1160] as const;
const MONTHS_SOUTH = [1180, 1080, 1010, 980, 930, 940, 970, 950, 980, 1000, 1040, 1200] as const;
const CABINS: Record<CabinClass, number> = { economy: 1000, premium_economy: 1750, business: 3600, first: 5900 };
const KINDS = { network: 1000, regional: 1050, low_cost: 740 } as const;
const CONNECTION_DISCOUNT = [1000, 880, 830, 800] as const;

const FARE_TYPES: Readonly<Record<string, number>> = {
  accompanying_adult: 1000,
  contract_bulk: 850,
  contract_bulk_child: 640,
  contract_bulk_infant_with_seat: 640,
  contract_bulk_infant_without_seat: 85,
  frequent_flyer: 970,
  group_inclusive_tour: 900,
  group_inclusive_tour_child: 675,
  humanitarian: 820,
  individual_inclusive_tour_child: 690,
  marine: 800,
  seat_only: 950,
  student: 880,
  teacher: 920,
  tour_operator_inclusive: 890,
  tour_operator_inclusive_infant: 90,
  unaccompanied_child: 1100,
  visiting_friends_and_family: 930,
};

export function isKnownFareType(fareType: string): boolean {
  return Object.hasOwn(FARE_TYPES, fareType);
}

/** Share of the adult fare: infants without a seat 10 %, children 75 %, leisure fares as their type says. */
export function passengerPermille(passenger: { type: string; age: number | null; fareType: string | null }): number {
  if (passenger.fareType !== null) return FARE_TYPES[passenger.fareType] ?? 1000;
  if (passenger.type === "infant_without_seat") return 100;
  return passenger.type === "child" && (passenger.age ?? 11) < 12 ? 750 : 1000;
}

export function brandsFor(itinerary: Itinerary, cabin: CabinClass): readonly FareBrand[] {
  if (cabin === "business" || cabin === "first") return [STANDARD, FLEX];
  const lowCost = itinerary.flights[0].airline.kind === "low_cost";
  return lowCost ? [BASIC, { ...STANDARD, refundAllowed: false }, FLEX] : [BASIC, STANDARD, FLEX];
}

function hasCabin(flight: Flight, cabin: CabinClass): boolean {
  if (flight.airline.kind === "low_cost" && flight.aircraft.body !== "wide") return cabin === "economy";
  return flight.aircraft.cabins.includes(cabin);
}

/** The cabin flown on one flight: the one asked for, or the best below it where the aircraft has none. */
export function cabinOn(flight: Flight, asked: CabinClass): CabinClass {
  const order: readonly CabinClass[] = ["first", "business", "premium_economy", "economy"];
  return order.slice(order.indexOf(asked)).find((cabin) => hasCabin(flight, cabin)) ?? "economy";
}

/** An itinerary sells a cabin when its longest flight has it. */
export function sellsCabin(itinerary: Itinerary, asked: CabinClass): boolean {
  const longest = [...itinerary.flights].sort((a, b) => b.distanceKm - a.distanceKm)[0];
  return longest !== undefined && hasCabin(longest, asked);
}

function distanceFare(km: number): bigint {
  let micro = BASE_MICRO;
  let from = 0;
  for (const band of DISTANCE_BANDS) {
    const covered = Math.max(0, Math.min(km, band.untilKm) - from);
    micro += BigInt(Math.round(covered)) * band.microPerKm;
    from = band.untilKm;
  }
  return micro;
}

function seasonPermille(itinerary: Itinerary): number {
  const destination = itinerary.flights.at(-1)?.to;
  const month = itinerary.flights[0].departsLocal.month - 1;
  const months = destination !== undefined && destination.lat < -10 ? MONTHS_SOUTH : MONTHS_NORTH;
  return months[month] ?? 1000;
}

/** One adult's fare with taxes, for one way. */
export function adultFare(
  seed: string,
  itinerary: Itinerary,
  cabin: CabinClass,
  brand: FareBrand,
  searchedAtMs: number,
): bigint {
  const first = itinerary.flights[0];
  const days = (first.departsMs - searchedAtMs) / 86_400_000;
  const key = itinerary.flights
    .map((flight) => `${flight.airline.iata}${flight.number}${flight.departsLocal.toString()}`)
    .join("+");
  const factors = [
    ADVANCE_PURCHASE.find((step) => days < step.underDays)?.permille ?? 1000,
    WEEKDAYS[first.departsLocal.dayOfWeek - 1] ?? 1000,
    seasonPermille(itinerary),
    CABINS[cabin],
    KINDS[first.airline.kind],
    CONNECTION_DISCOUNT[itinerary.flights.length - 1] ?? 800,
    first.departsLocal.hour < 7 || first.departsLocal.hour >= 21 ? 940 : 1000,
    950 + Math.floor(chance(seed, "fare", key) * 210),
    brand.pricePermille,
  ];
  return toCents(factors.reduce(applyPermille, distanceFare(itinerary.directKm)));
}

/** Airport charges and taxes contained in a fare; never more than 35 % of it. */
export function taxWithin(fare: bigint, itinerary: Itinerary): bigint {
  let charges = 0n;
  for (const flight of itinerary.flights) {
    const domestic = flight.from.country === flight.to.country;
    charges += wholeUnits(domestic ? 11 : flight.distanceKm > 4500 ? 64 : 26);
  }
  const most = applyPermille(fare, 350);
  return toCents(charges < most ? charges : most);
}
