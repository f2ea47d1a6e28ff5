import { isCalendarDate } from "../../domain/schemas.ts";
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

/** For the rules of a whole input, which are checked even where a date in it is none and is reported itself. */
export function isEarlier(left: string, right: string): boolean {
  return isCalendarDate(left) && isCalendarDate(right) && left < right;
}
