import type { WayToAirport } from "./way-to-airport.ts";

/**
 * Minutes from the landing until a traveler stands outside the airport. Whether there is a border, checked bags or a queue is not
 * known: these are what is usual, from a domestic flight with hand luggage to a full long-haul one with bags.
 */
export const MINUTES_TO_EXIT = { fewest: 20, usual: 50, most: 90 } as const;

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
}

export function timesOf(landsAt: Temporal.Instant, way: WayToAirport | undefined, timeZone: string): ArrivalTimes {
  const after = (minutes: number) => landsAt.add({ minutes });
  const { fewest, usual, most } = MINUTES_TO_EXIT;
  const outside = { earliest: after(fewest), likely: after(usual), latest: after(most) };
  const { hour } = outside.likely.toZonedDateTimeISO(timeZone);
  return {
    landsAt,
    outside,
    arrives:
      way === undefined
        ? undefined
        : {
            earliest: after(fewest + way.fewestMinutes),
            likely: after(usual + way.minutes),
            latest: after(most + way.mostMinutes),
          },
    isNight: hour >= NIGHT_FROM || hour < NIGHT_UNTIL,
  };
}
