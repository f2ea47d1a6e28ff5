import type { Bcbp } from "./bcbp.ts";

/** How many years from today a pass may be issued. */
const OLDEST_YEARS = 3;
const NEWEST_YEARS = 1;
/** A pass is issued at check-in, which no airline opens longer before the flight. */
const EARLIEST_CHECK_IN_DAYS = 60;
/** Without any year the nearest one is certain only for current flights, as older passes are submitted even years later. */
const PLAUSIBLE_DAYS_AGO = 3;
/** A leg may leave a day before the previous one, or before the pass was issued, across the date line. */
const DATE_LINE_DAYS = 1;

interface FlightDates {
  /** One per leg; undefined if no date fits. */
  dates: readonly (Temporal.PlainDate | undefined)[];
  /** Several years are possible. */
  isGuessed: boolean;
}

/**
 * Resolves the dates of a pass, which encodes a day of the year for each leg and at most the last digit of the year of
 * issue.
 *
 * With that digit: the year of issue is the one with that digit nearest to today, from three years ago to one year
 * ahead, and each leg leaves on the first such day from then on. Without it: the first leg leaves on the latest such
 * day up to 60 days from today, and the year counts as guessed unless that is within the last 3 or the next 60 days.
 */
export function resolveFlightDates({ legs, issued }: Bcbp, today: Temporal.PlainDate): FlightDates {
  const first = legs[0]?.dayOfYear ?? 0;
  const issue = issued === undefined ? undefined : resolveIssue(issued, today);
  const start =
    issue === undefined ? findLatest(first, today) : findFrom(first, issue.date.subtract({ days: DATE_LINE_DAYS }));
  const dates: (Temporal.PlainDate | undefined)[] = [start];
  for (const { dayOfYear } of legs.slice(1)) {
    const before = dates.at(-1);
    dates.push(before === undefined ? undefined : findFrom(dayOfYear, before.subtract({ days: DATE_LINE_DAYS })));
  }
  return { dates, isGuessed: issue === undefined ? !isPlausible(start, today) : issue.isGuessed };
}

/** The same if another part of the document gives the year of the first leg's departure. */
export function resolveInYear({ legs }: Bcbp, year: number): readonly (Temporal.PlainDate | undefined)[] {
  const dates = [toDate(year, legs[0]?.dayOfYear ?? 0)];
  for (const { dayOfYear } of legs.slice(1)) {
    const before = dates.at(-1);
    dates.push(before === undefined ? undefined : findFrom(dayOfYear, before.subtract({ days: DATE_LINE_DAYS })));
  }
  return dates;
}

function resolveIssue({ yearDigit, dayOfYear }: NonNullable<Bcbp["issued"]>, today: Temporal.PlainDate) {
  const dates: Temporal.PlainDate[] = [];
  for (let year = today.year - 9; year <= today.year + NEWEST_YEARS + 1; year += 1) {
    const date = year % 10 === yearDigit ? toDate(year, dayOfYear) : undefined;
    if (date !== undefined) dates.push(date);
  }
  const near = pickNearest(
    dates.filter((date) => isNear(date, today)),
    today,
  );
  if (near !== undefined) return { date: near, isGuessed: false };
  const past = pickNearest(
    dates.filter((date) => Temporal.PlainDate.compare(date, today) <= 0),
    today,
  );
  return past === undefined ? undefined : { date: past, isGuessed: true };
}

function findLatest(dayOfYear: number, today: Temporal.PlainDate): Temporal.PlainDate | undefined {
  const latest = today.add({ days: EARLIEST_CHECK_IN_DAYS });
  // Leap years are up to eight years apart.
  for (let year = latest.year; year >= latest.year - 8; year -= 1) {
    const date = toDate(year, dayOfYear);
    if (date !== undefined && Temporal.PlainDate.compare(date, latest) <= 0) return date;
  }
  return undefined;
}

/** The first such day from a date on, within a year. */
function findFrom(dayOfYear: number, from: Temporal.PlainDate): Temporal.PlainDate | undefined {
  for (const year of [from.year, from.year + 1]) {
    const date = toDate(year, dayOfYear);
    if (date !== undefined && Temporal.PlainDate.compare(date, from) >= 0) {
      return Temporal.PlainDate.compare(date, from.add({ years: 1 })) <= 0 ? date : undefined;
    }
  }
  return undefined;
}

/** Undefined if the year has no such day: only leap years have the 366th. */
function toDate(year: number, dayOfYear: number): Temporal.PlainDate | undefined {
  if (dayOfYear < 1) return undefined;
  const date = new Temporal.PlainDate(year, 1, 1).add({ days: dayOfYear - 1 });
  return date.year === year ? date : undefined;
}

function isNear(date: Temporal.PlainDate, today: Temporal.PlainDate): boolean {
  const from = today.subtract({ years: OLDEST_YEARS });
  const to = today.add({ years: NEWEST_YEARS });
  return Temporal.PlainDate.compare(date, from) >= 0 && Temporal.PlainDate.compare(date, to) <= 0;
}

function isPlausible(date: Temporal.PlainDate | undefined, today: Temporal.PlainDate): boolean {
  if (date === undefined) return false;
  const days = today.until(date).days;
  return days >= -PLAUSIBLE_DAYS_AGO && days <= EARLIEST_CHECK_IN_DAYS;
}

/** Among equally distant dates the later one: passes are read more often before their flight than half a year after it. */
function pickNearest(dates: readonly Temporal.PlainDate[], today: Temporal.PlainDate): Temporal.PlainDate | undefined {
  const distance = (date: Temporal.PlainDate) => Math.abs(today.until(date).days);
  return [...dates].sort((one, other) => distance(one) - distance(other) || Temporal.PlainDate.compare(other, one))[0];
}
