import { fold } from "./marks.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Birth extends Span {
  /** ISO; undefined: only a year was said. */
  readonly date: string | undefined;
}

const DATE = String.raw`\d{4}-\d{2}-\d{2}|\d{1,2}(?:st|nd|rd|th|\.|º)?(?: de| of)? ?\p{L}{3,10}\.?,?(?: de| del| of)? ?\d{4}|\p{L}{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,2}[./] ?\d{1,2}[./] ?\d{4}`;
const LABEL = String.raw`(?:born|birth ?date|date of birth|birthday|dob|geboren|geb\.|geburtsdatum|geburtstag|nacid[oa]|naci[oó]|fecha de nacimiento|nacimiento)`;
const BORN = new RegExp(
  String.raw`(?<!\p{L})(?:(?:is|was|ist|wurde|es|fue) )?${LABEL}(?!\p{L}):?(?: (?:is|was|ist|war|es|on|the|am|den|el|día|in|en))* ?(${DATE}|\d{4}(?!\d))(?: geboren)?`,
  "iu",
);
const BORN_AFTER = new RegExp(String.raw`(?:(?:am|on) )?(${DATE}) (?:geboren|born)(?!\p{L})`, "iu");
const PLAIN = new RegExp(String.raw`(?<![\p{L}\d])(?:am |on |el )?(${DATE})(?!\d)`, "giu");
/** A travel day that is this long ago is a slip of the year at most. */
const OLDER_THAN_YEARS = 2;

/** A date of birth, which is no day of a journey. Without such words it is a day long ago of somebody who was named. */
export function readBirth(
  text: string,
  { today, isOfPerson, language }: { today: Temporal.PlainDate; isOfPerson: boolean; language: string },
): Birth | undefined {
  const said = BORN.exec(text) ?? BORN_AFTER.exec(text);
  if (said !== null) {
    const [whole, written = ""] = said;
    return { start: said.index, end: said.index + whole.length, date: toIso(written, language) };
  }
  if (!isOfPerson) return undefined;
  for (const match of text.matchAll(PLAIN)) {
    const [whole, written = ""] = match;
    const date = toIso(written, language);
    if (date === undefined || Number(date.slice(0, 4)) > today.year - OLDER_THAN_YEARS) continue;
    return { start: match.index, end: match.index + whole.length, date };
  }
  return undefined;
}

const MONTHS = [
  "jan|ene",
  "feb",
  "mar|mae",
  "apr|abr",
  "may|mai",
  "jun",
  "jul",
  "aug|ago",
  "sep",
  "oct|okt",
  "nov",
  "dec|dez|dic",
];

function toIso(written: string, language: string): string | undefined {
  const numbers = written.match(/\d+/g)?.map(Number) ?? [];
  const year = numbers.find((number) => number >= 1000);
  const others = numbers.filter((number) => number !== year);
  const name = /\p{L}{3,}/u.exec(fold(written).replaceAll(/\d(?:st|nd|rd|th)/g, ""))?.[0];
  const named = MONTHS.findIndex((starts) => name !== undefined && new RegExp(`^(?:${starts})`).test(name)) + 1;
  const [one = 0, two = 0] = others;
  const isIso = /^\d{4}-/.test(written);
  // Americans write the month first, as other days are read.
  const isMonthFirst = isIso || (language === "en" && written.includes("/") && one <= 12);
  const [month, day] = name !== undefined ? [named, one] : isMonthFirst ? [one, two] : [two, one];
  if (year === undefined || month < 1) return undefined;
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: "reject" }).toString();
  } catch {
    return undefined;
  }
}
