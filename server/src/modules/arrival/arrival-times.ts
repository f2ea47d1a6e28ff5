import type { WayToAirport } from "../maps/index.ts";
import { MINUTES_TO_EXIT } from "../maps/index.ts";

/**
 * The hour, by the airport's clock, from which trains and buses are assumed to run until midnight. No timetable is
 * known: some cities have lines all night, and some stop earlier.
 */
const TRANSIT_FROM = 5;

export const ASSUMED_TRANSIT = `No timetable is known here: trains and buses are assumed to run from ${TRANSIT_FROM}:00 to midnight, airport local time.`;
export const BY_CAR_INSTEAD = `You asked for transit, and the plan is for a car. ${ASSUMED_TRANSIT}`;

export const isWithoutTransit = (at: Temporal.Instant, timeZone: string): boolean =>
  at.toZonedDateTimeISO(timeZone).hour < TRANSIT_FROM;

const NIGHT_FROM = 22;
const NIGHT_UNTIL = 5;

interface Band {
  earliest: Temporal.Instant;
  likely: Temporal.Instant;
  latest: Temporal.Instant;
}

export interface ArrivalTimes {
  landsAt: Temporal.Instant;
  outside: Band;
  /** Undefined if no way is known. */
  arrives: Band | undefined;
  /** By the airport's clock, when the traveler probably leaves it. */
  isNight: boolean;
  /** Whether trains and buses are assumed to run from when the traveler leaves the airport until the destination. */
  transit: "runs" | "may_end" | "stopped";
}

export function computeTimes(landsAt: Temporal.Instant, way: WayToAirport | undefined, timeZone: string): ArrivalTimes {
  const after = (minutes: number) => landsAt.add({ minutes });
  const { fewest, usual, most } = MINUTES_TO_EXIT;
  const outside = { earliest: after(fewest), likely: after(usual), latest: after(most) };
  const { hour } = outside.likely.toZonedDateTimeISO(timeZone);
  const arrives = way && {
    earliest: after(fewest + way.fewestMinutes),
    likely: after(usual + way.minutes),
    latest: after(most + way.mostMinutes),
  };
  const isWithout = (at: Temporal.Instant) => isWithoutTransit(at, timeZone);
  const ends = [outside.latest, arrives?.likely ?? outside.latest];
  return {
    landsAt,
    outside,
    arrives,
    isNight: hour >= NIGHT_FROM || hour < NIGHT_UNTIL,
    transit: isWithout(outside.likely) ? "stopped" : ends.some(isWithout) ? "may_end" : "runs",
  };
}
