import type { FlightOffer } from "../../ports/supplier/flights.ts";

type Slices = readonly {
  durationMinutes: number | null;
  segments: readonly Pick<FlightOffer["slices"][number]["segments"][number], "flightNumber" | "departingAt">[];
}[];

const PROPOSED = 3;

/** The ways in `always`, filled up with the next of the list; in the order of the list. */
export function proposeWays<Way>(always: readonly (Way | undefined)[], ways: readonly Way[]): readonly Way[] {
  const wanted = new Set(always.filter((way) => way !== undefined));
  const chosen = new Set([...new Set([...wanted, ...ways])].slice(0, Math.max(PROPOSED, wanted.size)));
  return ways.filter((way) => chosen.has(way));
}

/** The shortest journey; among equals the one with fewer flights, then the first of the list. */
export function findQuickest<Way>(ways: readonly Way[], getSlices: (way: Way) => Slices): Way | undefined {
  const minutes = (way: Way) =>
    getSlices(way).reduce((sum, { durationMinutes }) => sum + (durationMinutes ?? Number.POSITIVE_INFINITY), 0);
  const flights = (way: Way) => getSlices(way).flatMap(({ segments }) => segments).length;
  return ways.toSorted((left, right) => {
    const [first, second] = [minutes(left), minutes(right)];
    return first === second ? flights(left) - flights(right) : first - second;
  })[0];
}
