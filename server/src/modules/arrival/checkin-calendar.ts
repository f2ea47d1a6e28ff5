import { createHash } from "node:crypto";
import { ICalAlarmType, ICalCalendar, ICalCalendarMethod } from "ical-generator";

export interface Reminder {
  kind: "check_in" | "leave" | "departure";
  title: string;
  description: string;
  location: string;
  startsAt: Temporal.Instant;
  /** Duration of the event. */
  minutes: number;
  /** Minutes before the start. */
  alarms: readonly number[];
}

interface CalendarParts {
  name: string;
  reminders: readonly Reminder[];
  /** The same for the same trip, whenever its reminders are made. */
  tripKey: string;
  madeAt: Temporal.Instant;
}

const SEQUENCE_EPOCH = Temporal.Instant.from("2026-01-01T00:00:00Z");

/**
 * A calendar file (RFC 5545). All times are in UTC, which calendars show in their own zone, so no time zone rule can be
 * wrong. Event ids derive from the trip, so that a new file replaces the events of an earlier one.
 */
export function writeCalendar({ name, reminders, tripKey, madeAt }: CalendarParts): string {
  const calendar = new ICalCalendar({
    name,
    method: ICalCalendarMethod.PUBLISH,
    prodId: { company: "Wayfare", product: "Trip reminders", language: "EN" },
  });
  for (const reminder of reminders) {
    const { title, description, location, startsAt, minutes, alarms } = reminder;
    const event = calendar.createEvent({
      id: hashUid(tripKey, reminder.kind),
      sequence: sequenceAt(madeAt),
      stamp: toDate(madeAt),
      start: toDate(startsAt),
      end: toDate(startsAt.add({ minutes })),
      summary: title,
      description,
      location,
    });
    for (const minutesBefore of alarms) {
      event.createAlarm({ type: ICalAlarmType.display, trigger: minutesBefore * 60, description: title });
    }
  }
  return calendar.toString();
}

export function hashUid(tripKey: string, kind: Reminder["kind"]): string {
  return `${createHash("sha256").update(`${tripKey}\n${kind}`).digest("hex").slice(0, 40)}@wayfare`;
}

/** Rises with time without stored state: in seconds, which fit for the next decades. */
export function sequenceAt(madeAt: Temporal.Instant): number {
  return Math.max(0, Math.floor(madeAt.since(SEQUENCE_EPOCH).total("seconds")));
}

const toDate = ({ epochMilliseconds }: Temporal.Instant): Date => new Date(epochMilliseconds);
