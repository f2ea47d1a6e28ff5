import { ICalAlarmType, ICalCalendar, ICalCalendarMethod } from "ical-generator";
import { hashUid, sequenceAt } from "../../domain/travel/calendar-event.ts";

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

const toDate = ({ epochMilliseconds }: Temporal.Instant): Date => new Date(epochMilliseconds);
