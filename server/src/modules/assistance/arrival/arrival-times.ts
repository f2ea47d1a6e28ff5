import type { WayToAirport } from "../way-to-airport.ts";

/**
 * Minutes from the landing until a traveler stands outside the airport. Whether there is a border, checked bags or a queue is not
 * known: these are what is usual, from a domestic flight with hand luggage to a full long-haul one with bags.
 */
export const MINUTES_TO_EXIT = { fewest: 20, usual: 50, most: 90 } as const;

/**
 * The hour from which trains and buses are assumed to run, until midnight, on the airport's clock. No timetable is known here: some cities have lines
 * all night, and some stop earlier.
 */
export const TRANSIT_FROM = 5;

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
  /** Undefined: no way is known. */
  arrives: Band | undefined;
  /** On the airport's clock, when the traveler probably steps out of it. */
  isNight: boolean;
  /** Whether trains and buses are assumed to run when the traveler has left the airport, and until the door. */
  transit: "runs" | "may_end" | "stopped";
}

export function timesOf(landsAt: Temporal.Instant, way: WayToAirport | undefined, timeZone: string): ArrivalTimes {
  const after = (minutes: number) => landsAt.add({ minutes });
  const { fewest, usual, most } = MINUTES_TO_EXIT;
  const outside = { earliest: after(fewest), likely: after(usual), latest: after(most) };
  const { hour } = outside.likely.toZonedDateTimeISO(timeZone);
  const arrives = way && {
    earliest: after(fewest + way.fewestMinutes),
    likely: after(usual + way.minutes),
    latest: after(most + way.mostMinutes),
  };
  const isWithout = (at: Temporal.Instant) => at.toZonedDateTimeISO(timeZone).hour < TRANSIT_FROM;
  const ends = [outside.latest, arrives?.likely ?? outside.latest];
  return {
    landsAt,
    outside,
    arrives,
    isNight: hour >= NIGHT_FROM || hour < NIGHT_UNTIL,
    transit: isWithout(outside.likely) ? "stopped" : ends.some(isWithout) ? "may_end" : "runs",
  };
}
