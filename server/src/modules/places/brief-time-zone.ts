import { z } from "zod";

/** A change of the clock, such as the beginning of daylight saving time. */
export const ClockChange = z.object({
  at: z.string().describe("UTC"),
  localTimeBefore: z.string(),
  localTimeAfter: z.string(),
  utcOffsetMinutesBefore: z.number(),
  utcOffsetMinutesAfter: z.number(),
});
type ClockChange = z.infer<typeof ClockChange>;

export interface TimeZoneBrief {
  timeZone: string;
  utcOffsetMinutes: number;
  isDst: boolean;
  /** Local, with offset and zone: 2026-07-01T09:00:00+01:00. */
  localTime: string;
  nextTransition: ClockChange | null;
  /** The next changes; `nextTransition` is the first. */
  changesAhead: readonly ClockChange[];
}

const NANOSECONDS_IN_A_MINUTE = 60_000_000_000;
/** Daylight saving time begins and ends within this period. */
const LONGEST_DST = Temporal.Duration.from({ days: 330 });

/** The local time of a zone at a moment, and its next clock changes. */
export function briefTimeZone(timeZone: string, instant: Temporal.Instant, mostChanges = 4): TimeZoneBrief {
  const now = instant.toZonedDateTimeISO(timeZone);
  const changesAhead: ClockChange[] = [];
  for (let at = nextChange(now); at !== null && changesAhead.length < mostChanges; at = nextChange(at)) {
    changesAhead.push(describeChange(at));
  }
  return {
    timeZone,
    utcOffsetMinutes: offsetMinutes(now),
    isDst: isDaylightSaving(now),
    localTime: now.toString({ timeZoneName: "never", smallestUnit: "second" }),
    nextTransition: changesAhead[0] ?? null,
    changesAhead,
  };
}

/** Not every transition of a zone changes its offset. */
function nextChange(from: Temporal.ZonedDateTime): Temporal.ZonedDateTime | null {
  for (let at = from.getTimeZoneTransition("next"); at !== null; at = at.getTimeZoneTransition("next")) {
    if (at.offsetNanoseconds !== justBefore(at).offsetNanoseconds) return at;
  }
  return null;
}

/** Clocks were put forward and return to the previous offset within a year. */
function isDaylightSaving(now: Temporal.ZonedDateTime): boolean {
  const next = nextChange(now);
  const began = next === null ? null : justBefore(next).getTimeZoneTransition("previous");
  if (next === null || began === null) return false;
  const before = justBefore(began).offsetNanoseconds;
  const isSummer = now.offsetNanoseconds > before && next.offsetNanoseconds === before;
  return isSummer && Temporal.ZonedDateTime.compare(next, began.add(LONGEST_DST)) <= 0;
}

function describeChange(at: Temporal.ZonedDateTime): ClockChange {
  const before = justBefore(at);
  // Historical offsets have seconds, which an offset zone cannot have.
  const utc = at.withTimeZone("UTC").toPlainDateTime();
  const wall = ({ offsetNanoseconds }: Temporal.ZonedDateTime) =>
    utc.add({ nanoseconds: offsetNanoseconds }).toString({ smallestUnit: "second" });
  return {
    at: at.toInstant().toString(),
    localTimeBefore: wall(before),
    localTimeAfter: wall(at),
    utcOffsetMinutesBefore: offsetMinutes(before),
    utcOffsetMinutesAfter: offsetMinutes(at),
  };
}

const justBefore = (at: Temporal.ZonedDateTime): Temporal.ZonedDateTime => at.subtract({ nanoseconds: 1 });
const offsetMinutes = (at: Temporal.ZonedDateTime): number =>
  Math.round(at.offsetNanoseconds / NANOSECONDS_IN_A_MINUTE);
