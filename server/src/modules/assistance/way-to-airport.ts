import { distanceMeters } from "../../domain/distance.ts";

interface Point {
  latitude: number;
  longitude: number;
}

export interface WayToAirport {
  distanceKilometers: number;
  minutes: number;
}

/** Roads and rails are longer than the straight line. */
const DETOUR = 1.35;
const KILOMETERS_PER_HOUR = { driving: 40, transit: 25 } as const;
/** To get out of the door, and to park or to change. */
const FIXED_MINUTES = { driving: 10, transit: 20 } as const;
/** Farther away nobody sets out for the airport on the day by road. */
const FARTHEST_METERS = 300_000;

/** An estimate by distance alone, as no roads and timetables are known. Undefined: too far to be one. */
export function estimateWay(from: Point, to: Point, mode: "driving" | "transit"): WayToAirport | undefined {
  const meters = distanceMeters(from, to);
  if (meters > FARTHEST_METERS) return undefined;
  const hours = (meters / 1_000) * (DETOUR / KILOMETERS_PER_HOUR[mode]);
  return { distanceKilometers: meters / 1_000, minutes: Math.ceil((hours * 60 + FIXED_MINUTES[mode]) / 5) * 5 };
}
