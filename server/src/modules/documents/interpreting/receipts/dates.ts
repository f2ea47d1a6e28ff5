import type { Row, Span } from "./rows.ts";

/** A printed date, with every day that it may mean. */
export interface FoundDate extends Span {
  /** Likeliest first, without other evidence. */
  days: readonly Temporal.PlainDate[];
  /** `either` if day and month are interchangeable as printed. */
  order: "day_first" | "month_first" | "either" | "clear";
  /** Letters were replaced by digits. */
  isMended: boolean;
  /** 1 (Monday) to 7, if the weekday is printed beside it. */
  weekday: number | undefined;
}

const MONTHS: readonly string[] = [
  "january jan januar janner jaenner janvier janv enero ene janeiro gennaio gen januari stycznia",
  "february feb februar fevrier fevr fev febrero fevereiro febbraio februari lutego",
  "march mar marz maerz mrz mars marzo marco maart mrt marca",
  "april apr avril avr abril abr aprile kwietnia",
  "may mai mayo maio maggio mag mei maj maja",
  "june jun juni juin junio junho giugno giu czerwca",
  "july jul juli juillet juil julio julho luglio lug lipca",
  "august aug aout agosto ago augustus augusti sierpnia",
  "september sep sept septembre septiembre setembro set settembre wrzesnia",
  "october oct oktober okt octobre octubre outubro out ottobre ott pazdziernika",
  "november nov novembre noviembre novembro listopada",
  "december dec dezember dez decembre diciembre dic dezembro dicembre grudnia",
];
const monthByName = new Map(
  MONTHS.flatMap((names, index) => names.split(" ").map((name) => [name, index + 1] as const)),
);

const WEEKDAYS: readonly string[] = [
  "monday mon montag mo lundi lun lunes segunda 月",
  "tuesday tue tues dienstag di mardi martes terca 火",
  "wednesday wed mittwoch mi mercredi mer miercoles mie quarta 水",
  "thursday thu thur thurs donnerstag do jeudi jeu jueves jue quinta 木",
  "friday fri freitag fr vendredi ven viernes vie sexta 金",
  "saturday sat samstag sa samedi sam sabado sab 土",
  "sunday sun sonntag so dimanche dim domingo dom 日",
];
const weekdayByName = new Map(
  WEEKDAYS.flatMap((names, index) => names.split(" ").map((name) => [name, index + 1] as const)),
);

const ISO = /(?<![\d.,/-])(\d{4})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{1,2})(?![\d/-])/g;
const COMPACT = /(?<![\d.,/-])(20\d{2})(0[1-9]|1[0-2])([0-2]\d|3[01])(?![\d.,/-])/g;
const NUMERIC = /(?<![\d.,/OoQDlI|-])(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})(?![\d/-]|[.,]\d)/g;
const DAY_NAME =
  /(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|º|°)?[.\s\t-]{0,2}(?:de |of )?([\p{L}]{3,10})[.,\s-]{0,2}(?:de |del )?(\d{4}|\d{2}(?![\d:.]))(?!\d)/gu;
const NAME_DAY =
  /(?<![\p{L}\d])([\p{L}]{3,10})\.?\s?(\d{1,2})(?:st|nd|rd|th)?(?:,\s?|\s)(\d{4}|\d{2}(?![\d:.]))(?!\d)/gu;
const EAST_ASIAN = /(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日/g;
const ERA =
  /(令和|平成|昭和|[RH](?=\d))\s?(元|\d{1,2})\s?(?:年|[./-])\s?(\d{1,2})\s?(?:月|[./-])\s?(\d{1,2})(?:\s?日)?/g;
const ERA_START: Readonly<Record<string, number>> = { 令和: 2018, R: 2018, 平成: 1988, H: 1988, 昭和: 1925 };

const MOST_DATES = 200;
/** An earlier date is no date of a receipt worth reading. */
const MOST_YEARS = 15;
/** Bank account numbers look like dates. */
const BANK =
  /\biban\b|\bbic\b|\bsort code\b|bankverbindung|coordonnees bancaires|coordonnées bancaires|datos bancarios|dados bancários|bank details|account no|振込/iu;

export function findDates(rows: readonly Row[], today: Temporal.PlainDate): FoundDate[] {
  return rows
    .filter(({ text }) => !BANK.test(text))
    .flatMap((row) => findInRow(row, today))
    .filter(({ days }) =>
      days.some((day) => Temporal.PlainDate.compare(day, today.subtract({ years: MOST_YEARS })) > 0),
    )
    .slice(0, MOST_DATES);
}

function findInRow(row: Row, today: Temporal.PlainDate): FoundDate[] {
  const found = readText(row, row.text, false, today);
  if (found.length > 0 || row.source === "text") return found;
  // Corrects letters that text recognition read within a date.
  const mended = row.text.replaceAll(
    /(?<=[\d./-])[OoQDlI|](?=[\d./-])|(?<![\p{L}\d])[OolI|](?=\d[./-])|(?<=[./-]\d)[OolI|]/gu,
    (letter) => (/[OoQD]/.test(letter) ? "0" : "1"),
  );
  return mended === row.text ? [] : readText(row, mended, true, today);
}

function readText(row: Row, text: string, isMended: boolean, today: Temporal.PlainDate): FoundDate[] {
  const found: FoundDate[] = [];
  const add = (
    match: RegExpExecArray,
    days: readonly (Temporal.PlainDate | undefined)[],
    order: FoundDate["order"] = "clear",
  ) => {
    const real = days.filter((day) => day !== undefined);
    const start = match.index;
    const end = start + match[0].length;
    if (real.length === 0 || found.some((other) => other.start < end && start < other.end)) return;
    found.push({ row, start, end, days: real, order, isMended, weekday: weekdayBeside(text, start, end) });
  };
  for (const match of text.matchAll(EAST_ASIAN)) add(match, [parseDay(match[1], match[2], match[3])]);
  for (const match of text.matchAll(ERA)) {
    const year = (ERA_START[match[1] ?? ""] ?? 0) + (match[2] === "元" ? 1 : Number(match[2]));
    add(match, [parseDay(String(year), match[3], match[4])]);
  }
  for (const match of text.matchAll(ISO)) add(match, [parseDay(match[1], match[3], match[4])]);
  for (const match of text.matchAll(DAY_NAME)) add(match, [namedDay(match[3], match[2], match[1], today)]);
  for (const match of text.matchAll(NAME_DAY)) add(match, [namedDay(match[3], match[1], match[2], today)]);
  for (const match of text.matchAll(NUMERIC)) addNumeric(match, today, add);
  for (const match of text.matchAll(COMPACT)) add(match, [parseDay(match[1], match[2], match[3])]);
  return found;
}

function addNumeric(
  match: RegExpExecArray,
  today: Temporal.PlainDate,
  add: (match: RegExpExecArray, days: readonly (Temporal.PlainDate | undefined)[], order: FoundDate["order"]) => void,
): void {
  const [, first, sign, second, yearText = ""] = match;
  const year = fullYear(yearText, today);
  const dayFirst = parseDay(year, second, first);
  const monthFirst = sign === "." ? undefined : parseDay(year, first, second);
  // As in Japan and China: 26/11/25.
  const yearFirst =
    yearText.length === 2 && sign !== "." ? parseDay(fullYear(first ?? "", today), second, yearText) : undefined;
  if (dayFirst !== undefined && monthFirst !== undefined && !dayFirst.equals(monthFirst)) {
    add(match, [dayFirst, monthFirst, yearFirst], "either");
    return;
  }
  const order =
    sign === "." ? "clear" : monthFirst === undefined ? "day_first" : dayFirst === undefined ? "month_first" : "clear";
  add(match, [dayFirst ?? monthFirst, yearFirst], order);
}

function namedDay(year: string | undefined, name = "", day: string | undefined, today: Temporal.PlainDate) {
  const plain = name.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");
  const month = monthByName.get(plain);
  return month === undefined ? undefined : parseDay(fullYear(year ?? "", today), String(month), day);
}

/** Completes a year without a century to the one nearest to today and not far after it. */
function fullYear(text: string, today: Temporal.PlainDate): string {
  if (text.length !== 2) return text;
  const century = Math.floor(today.year / 100) * 100;
  const year = century + Number(text);
  return String(year > today.year + 10 ? year - 100 : year);
}

function parseDay(year = "", month = "", day = ""): Temporal.PlainDate | undefined {
  const numbers = { year: Number(year), month: Number(month), day: Number(day) };
  if (numbers.year < 1950 || numbers.year > 2100) return undefined;
  try {
    return Temporal.PlainDate.from(numbers, { overflow: "reject" });
  } catch {
    return undefined;
  }
}

/** `Thu 26/11/2026`, `26/11/2026 Thu`, `2026年11月26日(木)` */
function weekdayBeside(text: string, start: number, end: number): number | undefined {
  const before = /([\p{L}]{2,10})[.,\s]{0,3}$/u.exec(text.slice(Math.max(0, start - 14), start))?.[1];
  const after = /^[\s(,]{0,2}([\p{L}]{1,10})\b|^\(([月火水木金土日])/u.exec(text.slice(end, end + 14));
  for (const word of [before, after?.[2] ?? after?.[1]]) {
    const plain = word?.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");
    const weekday = plain === undefined ? undefined : weekdayByName.get(plain);
    if (weekday !== undefined) return weekday;
  }
  return undefined;
}
