import { isCalendarDate } from "../schemas.ts";

/** The zone where a day ends last: without a known time zone a date is refused only when it is over everywhere. */
const LAST_TIME_ZONE = "-12:00";

export function todayAt(timeZone: string | undefined, clock: { now(): Temporal.Instant }): Temporal.PlainDate {
  return clock
    .now()
    .toZonedDateTimeISO(timeZone ?? LAST_TIME_ZONE)
    .toPlainDate();
}

export function isBefore(date: string, day: Temporal.PlainDate): boolean {
  return Temporal.PlainDate.compare(Temporal.PlainDate.from(date), day) < 0;
}

/** For rules over a whole input, which also run if a date is malformed, as that is reported separately. */
export function isEarlier(left: string, right: string): boolean {
  return isCalendarDate(left) && isCalendarDate(right) && left < right;
}
