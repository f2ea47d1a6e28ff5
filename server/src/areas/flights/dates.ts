import type { Clock } from "../../ports/clock.ts";

/** Where the day ends last: without a known time zone a date is only refused when it is over everywhere on Earth. */
const LAST_TIME_ZONE = "-12:00";

export function todayAt(timeZone: string | undefined, clock: Clock): Temporal.PlainDate {
  return clock
    .now()
    .toZonedDateTimeISO(timeZone ?? LAST_TIME_ZONE)
    .toPlainDate();
}

export function isBefore(date: string, day: Temporal.PlainDate): boolean {
  return Temporal.PlainDate.compare(Temporal.PlainDate.from(date), day) < 0;
}
