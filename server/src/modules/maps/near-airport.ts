import { distanceMeters } from "../../domain/distance.ts";
import type { Position } from "../../ports/maps.ts";
import { FARTHEST_KILOMETERS } from "./estimate-way.ts";

/** The maximum number of places of one name to consider. */
export const CANDIDATES = 10;
const MOST_OTHERS = 5;
/** Closer candidates count as one place for a traveler. */
const SAME_PLACE_METERS = 3_000;

/** Takes the best place of that name within reach by road of one of the airports, else the best; and names the others. */
export function takeNearAirport<Known extends Position & { label: string }>(
  candidates: readonly Known[],
  airports: readonly Position[],
): { taken: Known | undefined; isNear: boolean; others: string[] } {
  const isNear = (place: Position) =>
    airports.some((airport) => distanceMeters(place, airport) <= FARTHEST_KILOMETERS * 1_000);
  const taken = candidates.find(isNear) ?? candidates[0];
  if (taken === undefined) return { taken, isNear: false, others: [] };
  const others = candidates.filter((one) => distanceMeters(one, taken) > SAME_PLACE_METERS);
  return { taken, isNear: isNear(taken), others: [...new Set(others.map(({ label }) => label))].slice(0, MOST_OTHERS) };
}
