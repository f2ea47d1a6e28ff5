import { distanceMeters } from "../../domain/distance.ts";

interface Point {
  latitude: number;
  longitude: number;
}

export interface WayToAirport {
  /** In a straight line. */
  distanceKilometers: number;
  /** With the usual detours of roads and rails. */
  roadKilometers: number;
  minutes: number;
  fewestMinutes: number;
  mostMinutes: number;
}

/** Roads and rails are longer than the straight line. */
const DETOUR = 1.35;
/** The first part of the way is on streets, the rest on faster roads or rails. */
const STREETS_KILOMETERS = 20;
const KILOMETERS_PER_HOUR = {
  driving: { streets: 35, beyond: 75 },
  transit: { streets: 30, beyond: 75 },
  walking: { streets: 4.8, beyond: 4.8 },
  bicycling: { streets: 15, beyond: 15 },
} as const;
/** To leave the building, and to park or change. */
const FIXED_MINUTES = { driving: 10, transit: 15, walking: 0, bicycling: 3 } as const;
/** Streets, traffic and timetables are unknown: the real time is usually within this share of the estimate. */
const BAND = 0.3;
/** The farthest distance for travel by road between an airport and a stay on the same day. */
export const FARTHEST_KILOMETERS = 300;

/**
 * Minutes from landing to leaving the airport. Border, checked bags and queues are unknown, so these are usual values,
 * from a domestic flight with hand luggage to a full long-haul flight with bags.
 */
export const MINUTES_TO_EXIT = { fewest: 20, usual: 50, most: 90 } as const;

export type EstimatedMode = keyof typeof KILOMETERS_PER_HOUR;

/** An estimate by distance alone, as roads and timetables are unknown. Undefined beyond the farthest distance. */
export function estimateWay(from: Point, to: Point, mode: EstimatedMode): WayToAirport | undefined {
  const distanceKilometers = distanceMeters(from, to) / 1_000;
  if (distanceKilometers > FARTHEST_KILOMETERS) return undefined;
  const roadKilometers = distanceKilometers * DETOUR;
  const streets = Math.min(roadKilometers, STREETS_KILOMETERS);
  const speed = KILOMETERS_PER_HOUR[mode];
  const hours = streets / speed.streets + (roadKilometers - streets) / speed.beyond;
  const minutes = hours * 60 + FIXED_MINUTES[mode];
  return { distanceKilometers, ...describe(roadKilometers, minutes) };
}

/** The same over known roads; traffic is unknown, so the band remains. */
export function routedWay(
  { distanceKilometers }: Pick<WayToAirport, "distanceKilometers">,
  { kilometers, minutes }: { kilometers: number; minutes: number },
  mode: EstimatedMode,
): WayToAirport {
  return { distanceKilometers, ...describe(kilometers, minutes + FIXED_MINUTES[mode]) };
}

const describe = (roadKilometers: number, minutes: number) => ({
  roadKilometers: Math.round(roadKilometers * 10) / 10,
  minutes: toFive(minutes),
  fewestMinutes: toFive(minutes * (1 - BAND)),
  mostMinutes: toFive(minutes * (1 + BAND)),
});

const toFive = (minutes: number): number => Math.ceil(minutes / 5) * 5;
