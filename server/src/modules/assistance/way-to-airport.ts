import { distanceMeters } from "../../domain/distance.ts";

interface Point {
  latitude: number;
  longitude: number;
}

export interface WayToAirport {
  /** In a straight line. */
  distanceKilometers: number;
  /** The same longer by what roads and rails usually add. */
  roadKilometers: number;
  minutes: number;
  fewestMinutes: number;
  mostMinutes: number;
}

/** Roads and rails are longer than the straight line. */
const DETOUR = 1.35;
/** The first part of the way goes through streets, the rest by faster roads or rails. */
const STREETS_KILOMETERS = 20;
const KILOMETERS_PER_HOUR = {
  driving: { streets: 35, beyond: 75 },
  transit: { streets: 30, beyond: 75 },
  walking: { streets: 4.8, beyond: 4.8 },
  bicycling: { streets: 15, beyond: 15 },
} as const;
/** To get out of the door, and to park or to change. */
const FIXED_MINUTES = { driving: 10, transit: 15, walking: 0, bicycling: 3 } as const;
/** Streets, traffic and timetables are not known: the real time is within so much of the estimate most of the time. */
const BAND = 0.3;
/** Farther away nobody goes between an airport and a place of stay by road on the day. */
export const FARTHEST_KILOMETERS = 300;

export type EstimatedMode = keyof typeof KILOMETERS_PER_HOUR;

/** An estimate by distance alone, as no roads and timetables are known. Undefined: too far to be one. */
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

/** The same over roads that are known; traffic is not, so that the band stays. */
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
