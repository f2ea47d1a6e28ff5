import type { Fields, ReviewReason } from "../../scan.ts";
import { type DateReading, type PrintedDate, printsDate, toPlainDate } from "../printed-dates.ts";
import { makeField, makeReason, printedField } from "../printed-text.ts";
import type { MrzRead } from "./mrz.ts";
import { findLabelledDate, type VisualZone } from "./visual-zone.ts";

const OLDEST_PERSON_YEARS = 120;
/** A two-digit year of birth is ambiguous only while a person of the earlier century may be alive. */
const OLD_PERSON_YEARS = 110;
const EXPIRY_YEARS = 20;
/** No document submitted was issued earlier than this. */
const OLDEST_ISSUE_YEARS = 30;
const LONGEST_VALIDITY = { years: 10, days: 10 };
/** Passports are valid for this many years, to the day or the day before. */
const USUAL_VALIDITIES = [5, 10];
const SURE = 0.98;
const ALIKE = 0.9;
const UNSURE = 0.5;
const ITEMS = { bornOn: "born", expiresOn: "expires" } as const;

interface Dates {
  fields: Fields;
  reasons: readonly ReviewReason[];
}

/** The possible birth dates of YYMMDD: in the past, at most 120 years ago; latest first. */
function listBirths(text: string, today: Temporal.PlainDate): readonly Temporal.PlainDate[] {
  return listCenturies(text)
    .filter((date) => {
      const isPast = Temporal.PlainDate.compare(date, today) <= 0;
      return isPast && Temporal.PlainDate.compare(date, today.subtract({ years: OLDEST_PERSON_YEARS })) >= 0;
    })
    .sort((one, other) => Temporal.PlainDate.compare(other, one));
}

/** The expiry of YYMMDD: within 20 years of today, past or future. */
function findExpiry(text: string, today: Temporal.PlainDate): Temporal.PlainDate | undefined {
  return listCenturies(text).find((date) => Math.abs(today.until(date, { largestUnit: "years" }).years) < EXPIRY_YEARS);
}

function listCenturies(text: string): readonly Temporal.PlainDate[] {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return [];
  return [1900, 2000].flatMap((century) => toPlainDate(century + Number(year), Number(month), Number(day)) ?? []);
}

interface Known {
  read: MrzRead;
  zone: VisualZone;
  today: Temporal.PlainDate;
  /** The printed number and names equal the zone's: both parts were read well. */
  isTrusted: boolean;
}

/** The dates of birth and expiry from the machine-readable zone; certain if the print shows them, too. */
export function readZoneDates({ read, zone, today, isTrusted }: Known): Dates {
  const { values, from } = read;
  const births = listBirths(values.born, today);
  const expiry = findExpiry(values.expires, today);
  const fields: Record<string, Fields[string]> = {};
  const reasons: ReviewReason[] = [];
  const add = (field: "bornOn" | "expiresOn", dates: readonly Temporal.PlainDate[]) => {
    const [first] = dates;
    if (first === undefined) {
      reasons.push(makeReason("date_missing", "The machine-readable zone has no plausible date here.", field));
      return;
    }
    const printed = dates.filter((date) => zone.dates.some((shown) => printsDate(shown, date)));
    const date = printed[0] ?? first;
    const labelled = findLabelledDate(zone, field);
    const isShown = printed.length > 0 && !read.failed.includes(ITEMS[field]);
    const isSure = printed.length > 0 || (isTrusted && labelled === undefined && !read.isRepaired && !read.isRefitted);
    fields[field] = makeField(date.toString(), isShown ? SURE : isSure && printed.length === 0 ? ALIKE : UNSURE, {
      ...from,
      source: "mrz",
    });
    const isCenturyOpen = field === "bornOn" && isCenturyUnclear(dates, printed, today);
    if (!isSure) reasons.push(makeDoubt(field, labelled !== undefined));
    else if (isCenturyOpen) {
      reasons.push(makeReason("date_ambiguous", "The document shows only two digits of the year of birth.", field));
    }
  };
  add("bornOn", births);
  add("expiresOn", expiry === undefined ? [] : [expiry]);
  if (expiry !== undefined && Temporal.PlainDate.compare(expiry, today) < 0) {
    reasons.push(makeReason("expired", "The document has expired.", "expiresOn"));
  }
  return { fields, reasons };
}

function makeDoubt(field: string, isShownOtherwise: boolean): ReviewReason {
  return isShownOtherwise
    ? makeReason("parts_disagree", "The printed date differs from the machine-readable zone.", field)
    : makeReason("low_confidence", "The printed part does not show this date of the machine-readable zone.", field);
}

function isCenturyUnclear(
  dates: readonly Temporal.PlainDate[],
  printed: readonly Temporal.PlainDate[],
  today: Temporal.PlainDate,
): boolean {
  const [, elder] = dates;
  const mayLive =
    elder !== undefined && Temporal.PlainDate.compare(elder, today.subtract({ years: OLD_PERSON_YEARS })) >= 0;
  return mayLive && printed.length !== 1;
}

/**
 * The date of issue, which only the print has: in the past, and at most ten years and a few days before the expiry.
 * Certain only if it is five or ten years before the expiry, to the day or the day after, as nothing else reveals a
 * wrong digit. Without a label it must be the only such date.
 */
export function readIssue({ read, zone, today }: Known, zoneDates: Dates): Dates {
  // A wrong expiry must not confirm anything.
  const isExpirySure =
    !read.failed.includes("expires") &&
    !zoneDates.reasons.some(({ code, field }) => field === "expiresOn" && code !== "expired");
  const expiry = findExpiry(read.values.expires, today);
  const births = listBirths(read.values.born, today);
  const others = [...births, ...(expiry === undefined ? [] : [expiry])];
  const labelled = findLabelledDate(zone, "issuedOn");
  const candidates = labelled === undefined ? zone.dates : [labelled];
  const shown = candidates
    .filter((date) => !others.some((other) => printsDate(date, other)))
    .map((printed) => {
      const dates = listShown(printed, zone, others).filter((date) => isPossibleIssue(date, expiry, births, today));
      return { printed, dates, usual: dates.filter((date) => isExpirySure && isUsualIssue(date, expiry)) };
    });
  const usual = shown.filter((one) => one.usual.length === 1);
  const days = new Set(usual.flatMap((one) => one.usual.map((date) => date.toString())));
  const [found] = usual;
  if (found !== undefined && days.size === 1) return issueField(found.usual, found.printed, true);
  const [only] = shown;
  if (labelled !== undefined && only !== undefined && only.dates.length > 0) {
    return issueField(only.dates, only.printed, false);
  }
  if (!zone.labels.some(({ label }) => label === "issuedOn")) return { fields: {}, reasons: [] };
  return { fields: {}, reasons: [makeReason("date_missing", "The date of issue could not be read.", "issuedOn")] };
}

function issueField(dates: readonly Temporal.PlainDate[], { line, from, to }: PrintedDate, isKnown: boolean): Dates {
  const [date] = dates;
  if (date === undefined) return { fields: {}, reasons: [] };
  const isSure = isKnown && dates.length === 1;
  const code = dates.length > 1 ? "date_ambiguous" : "low_confidence";
  return {
    fields: { issuedOn: printedField(date.toString(), line, line.words.slice(from, to), isSure ? SURE : UNSURE) },
    reasons: isSure ? [] : [makeReason(code, "Nothing confirms how the date of issue was read.", "issuedOn")],
  };
}

/** The possible meanings of a printed date. All dates of a document use one order of day and month, which known dates reveal. */
function listShown(
  { readings }: PrintedDate,
  zone: VisualZone,
  known: readonly Temporal.PlainDate[],
): readonly Temporal.PlainDate[] {
  const order = findDateOrder(zone, known);
  const inOrder =
    order === undefined || readings.length < 2 ? readings : readings.filter((_, index) => index === order);
  return inOrder.flatMap((reading) =>
    listYears(reading).flatMap((year) => toPlainDate(year, reading.month, reading.day) ?? []),
  );
}

function listYears({ year, yearOfCentury }: DateReading): readonly number[] {
  if (year !== undefined) return [year];
  return yearOfCentury === undefined ? [] : [1900 + yearOfCentury, 2000 + yearOfCentury];
}

/** Whether known dates are printed with the day first (0) or the month first (1). */
function findDateOrder(zone: VisualZone, known: readonly Temporal.PlainDate[]): number | undefined {
  for (const { readings } of zone.dates) {
    if (readings.length < 2) continue;
    const index = readings.findIndex((reading) =>
      known.some(({ day, month }) => reading.day === day && reading.month === month),
    );
    if (index >= 0) return index;
  }
  return undefined;
}

function isPossibleIssue(
  date: Temporal.PlainDate,
  expiry: Temporal.PlainDate | undefined,
  births: readonly Temporal.PlainDate[],
  today: Temporal.PlainDate,
): boolean {
  const { compare } = Temporal.PlainDate;
  if (compare(date, today) > 0 || compare(date, today.subtract({ years: OLDEST_ISSUE_YEARS })) < 0) return false;
  if (births.length > 0 && births.every((birth) => compare(date, birth) < 0)) return false;
  if (expiry === undefined) return true;
  return compare(date, expiry) < 0 && compare(date.add(LONGEST_VALIDITY), expiry) >= 0;
}

function isUsualIssue(date: Temporal.PlainDate, expiry: Temporal.PlainDate | undefined): boolean {
  return USUAL_VALIDITIES.some((years) => {
    const days = expiry === undefined ? undefined : date.add({ years }).until(expiry).days;
    return days === -1 || days === 0;
  });
}
