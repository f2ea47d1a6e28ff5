import { CabinClass } from "../schemas.ts";
import { highestCabin } from "./purchase.ts";

/** A slice of an offer; times are local at the airports. */
interface SoldSlice {
  origin: string;
  destination: string;
  durationMinutes: number;
  segments: readonly {
    carrier: string;
    operatingCarrier: string;
    flightNumber: string;
    origin: string;
    destination: string;
    departingAt: string;
    arrivingAt: string;
    cabinClass: string;
  }[];
}

/** The airlines that sell or operate a part of it. */
export function seenCarriers(slices: readonly SoldSlice[]): string[] {
  const segments = slices.flatMap(({ segments: some }) => some);
  return [...new Set(segments.flatMap(({ carrier, operatingCarrier }) => [carrier, operatingCarrier]))];
}

/** Uses the airports of its flights: a search for a city names the city. */
export function seenLegs(slices: readonly SoldSlice[]) {
  return slices.map(({ origin, destination, durationMinutes, segments }) => ({
    origin: segments[0]?.origin ?? origin,
    destination: segments.at(-1)?.destination ?? destination,
    durationMinutes,
    stops: Math.max(0, segments.length - 1),
    flights: segments.map(({ flightNumber }) => flightNumber),
    departingAt: segments[0]?.departingAt ?? null,
    arrivingAt: segments.at(-1)?.arrivingAt ?? null,
    cabin: highestCabin(segments.map(({ cabinClass }) => CabinClass.safeParse(cabinClass).data)) ?? null,
  }));
}
