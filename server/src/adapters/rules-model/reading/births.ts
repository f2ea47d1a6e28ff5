import { fold } from "./marks.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Birth extends Span {
  /** ISO; undefined: only a year was said, or only a day of a year. */
  readonly date: string | undefined;
}

const DATE = String.raw`\d{4}-\d{2}-\d{2}|\d{1,2}(?:st|nd|rd|th|\.|º)?(?: de| of)? ?\p{L}{3,10}\.?,?(?: de| del| of)? ?\d{4}|\p{L}{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,2}[./] ?\d{1,2}[./] ?\d{4}`;
const MONTH = String.raw`(?:jan|feb|mar|mär|apr|abr|may|mai|jun|jul|aug|ago|sep|oct|okt|nov|dec|dez|dic|ene)\p{L}*`;
/** "14 May" */
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th|\.|º)?(?: de| of)? ?${MONTH}|${MONTH} \d{1,2}(?:st|nd|rd|th)?(?!\d)|\d{1,2}\.\d{1,2}\.`;
const DAY_OF_BIRTH = `birthdays?|geburtstage?s?|cumpleaños`;
const LABEL = String.raw`(?:born|birth ?date|date of birth|dob|geboren|geb\.|geburtsdatum|nacid[oa]s?|naci[oó]|fecha de nacimiento|nacimiento|${DAY_OF_BIRTH})`;
const WHOSE = String.raw`(?: (?:of|de|del|von) (?:\p{L}+ ){0,2}\p{L}+| (?:mein|unser)e[sr] \p{L}+)?`;
const LINK = `:?(?: (?:is|was|are|were|ist|war|sind|es|son|fue|on|the|am|den|der|el|día|in|en))* ?`;
const BORN = new RegExp(
  String.raw`(?<!\p{L})(?:(?:is|was|ist|wurde|es|fue) )?${LABEL}(?!\p{L})${WHOSE}${LINK}(${DATE}|\d{4}(?!\d))(?: geboren)?`,
  "giu",
);
const BORN_AFTER = new RegExp(String.raw`(?:(?:am|on) )?(${DATE}) (?:geboren|born)(?!\p{L})`, "giu");
/** "My son's birthday is on 14 May", "14 May is his birthday"; a flight "for my birthday on 14 May" is on that day. */
const YEARLY = [
  String.raw`(?<!\p{L})(?:${DAY_OF_BIRTH})(?!\p{L})${WHOSE} (?:is|are|ist|sind|es|son)(?!\p{L})${LINK}(${DATE}|${DAY})`,
  String.raw`(?<!\p{L})(?:(?:on|am|el|der|the) )?(${DATE}|${DAY}) (?:is|ist|es) (?:\p{L}+(?:['’]s)? ){0,5}?(?:${DAY_OF_BIRTH})(?!\p{L})`,
].map((source) => new RegExp(source, "giu"));
const PLAIN = new RegExp(String.raw`(?<![\p{L}\d])(?:am |on |el )?(${DATE})(?!\d)`, "giu");
/** A travel day that is this long ago is a slip of the year at most. */
const OLDER_THAN_YEARS = 2;

interface Context {
  readonly today: Temporal.PlainDate;
  readonly isOfPerson: boolean;
  readonly language: string;
}

/**
 * Dates of birth, which are no days of a journey, in the order of the text. Without such words they are days long ago, of
 * somebody who was named or beside another such date.
 */
export function readBirths(text: string, { today, isOfPerson, language }: Context): readonly Birth[] {
  const births: Birth[] = [];
  const isPast = (date: string | undefined): boolean => date === undefined || date <= today.toString();
  const put = (match: RegExpExecArray, isBirth: (date: string | undefined) => boolean): void => {
    const [whole, written = ""] = match;
    const [start, end] = [match.index, match.index + whole.length];
    const date = toIso(written, language);
    if (!isBirth(date) || births.some((one) => start < one.end && end > one.start)) return;
    births.push({ start, end, date: isPast(date) ? date : undefined });
  };
  for (const pattern of YEARLY) for (const match of text.matchAll(pattern)) put(match, () => true);
  for (const pattern of [BORN, BORN_AFTER]) for (const match of text.matchAll(pattern)) put(match, isPast);
  if (isOfPerson || births.length > 0) {
    const isLongAgo = (date = ""): boolean => date !== "" && Number(date.slice(0, 4)) <= today.year - OLDER_THAN_YEARS;
    for (const match of text.matchAll(PLAIN)) put(match, isLongAgo);
  }
  return births.sort((one, other) => one.start - other.start);
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
