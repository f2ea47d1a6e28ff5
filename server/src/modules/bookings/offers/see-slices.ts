import { CabinClass } from "../../../domain/schemas.ts";
import { highestCabin } from "../../../domain/travel/purchase.ts";
import type { Slice } from "../../../ports/supplier/flights.ts";
import type { SeenFlight } from "./seen-offers.ts";

/** The airlines that sell or operate a part of it. */
export function seenCarriers(slices: readonly Slice[]): string[] {
  const segments = slices.flatMap(({ segments: some }) => some);
  return [...new Set(segments.flatMap(({ carrier, operatingCarrier }) => [carrier, operatingCarrier]))];
}

/** Uses the airports of its flights: a search for a city names the city. */
export function seenLegs(slices: readonly Slice[]): SeenFlight["legs"] {
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
