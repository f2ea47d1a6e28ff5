import { distanceMeters } from "../../domain/distance.ts";
import type { Position } from "../../ports/maps.ts";
import { FARTHEST_KILOMETERS } from "./way-to-airport.ts";

/** So many places of one name are looked at. */
export const CANDIDATES = 10;
const MOST_OTHERS = 5;
/** Candidates nearer to each other than this are one place to whoever travels there. */
const SAME_PLACE_METERS = 3_000;

/** Of several places of a name the best that can be reached by road from one of the airports, else the best; and what else it could be. */
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
