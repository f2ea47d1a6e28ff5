import { listAtoms, type PrintedLine } from "./printed-text.ts";

/** A printed date. Both readings are kept if day and month are interchangeable. */
export interface PrintedDate {
  line: PrintedLine;
  /** Word positions in the line: the first of the date, and the one after its last. */
  from: number;
  to: number;
  readings: readonly DateReading[];
}

export interface DateReading {
  day: number;
  month: number;
  /** Undefined if the century, or the whole year, is not printed. */
  year: number | undefined;
  /** From 0 to 99; undefined if no year is printed. */
  yearOfCentury: number | undefined;
}

/** Beginnings of the names of months, without accents, in the languages of passports and boarding passes. */
const MONTHS: readonly (readonly string[])[] = [
  ["JAN", "ENE", "GEN", "GENN", "JANV", "OCAK", "STY", "LED", "TAM", "IAN", "SIJ"],
  ["FEB", "FEV", "FEVR", "FEBB", "SUBAT", "LUT", "UNO", "HEL", "VELJ"],
  [
    "MAR",
    "MARS",
    "MRT",
    "MRZ",
    "MARZ",
    "MAER",
    "MAERZ",
    "MARC",
    "MARZO",
    "MARCO",
    "MAART",
    "MART",
    "MAA",
    "BRE",
    "OZU",
  ],
  ["APR", "AVR", "ABR", "NISAN", "KWI", "DUB", "HUH", "TRA"],
  ["MAY", "MAI", "MAJ", "MEI", "MAYO", "MAIO", "MAG", "MAYIS", "MAGG", "KVE", "TOU", "SVI"],
  ["JUN", "JUIN", "GIU", "HAZIRAN", "CZE", "KES", "IUN"],
  ["JUL", "JUIL", "LUG", "TEMMUZ", "CVC", "HEI", "IUL"],
  ["AUG", "AGO", "AOU", "AOUT", "AGUSTOS", "SIE", "SRPEN", "ELO", "KOL"],
  ["SEP", "SET", "SEPT", "EYLUL", "WRZ", "ZAR", "SYY", "RUJ"],
  ["OCT", "OKT", "OUT", "OTT", "EKIM", "PAZ", "RIJ", "LOK"],
  ["NOV", "KASIM", "STU"],
  ["DEC", "DEZ", "DIC", "DES", "ARALIK", "GRU", "PRO", "JOU"],
];
const FULL_NAMES: readonly (readonly string[])[] = [
  ["JANUARY", "JANUAR", "JANVIER", "ENERO", "GENNAIO", "JANEIRO", "JANUARI", "JAENNER", "JANNER"],
  ["FEBRUARY", "FEBRUAR", "FEVRIER", "FEBRERO", "FEBBRAIO", "FEVEREIRO", "FEBRUARI"],
  ["MARCH"],
  ["APRIL", "AVRIL", "ABRIL", "APRILE"],
  ["MAGGIO"],
  ["JUNE", "JUNI", "JUNIO", "GIUGNO", "JUNHO"],
  ["JULY", "JULI", "JUILLET", "JULIO", "LUGLIO", "JULHO"],
  ["AUGUST", "AGOSTO", "AUGUSTUS", "AUGUSTI"],
  ["SEPTEMBER", "SEPTEMBRE", "SEPTIEMBRE", "SETTEMBRE", "SETEMBRO"],
  ["OCTOBER", "OKTOBER", "OCTOBRE", "OCTUBRE", "OTTOBRE", "OUTUBRO"],
  ["NOVEMBER", "NOVEMBRE", "NOVIEMBRE", "NOVEMBRO"],
  ["DECEMBER", "DEZEMBER", "DECEMBRE", "DICIEMBRE", "DICEMBRE", "DEZEMBRO", "DESEMBER"],
];
const monthByName: ReadonlyMap<string, number> = new Map(
  [MONTHS, FULL_NAMES].flatMap((list) =>
    list.flatMap((names, index) => names.map((name) => [name, index + 1] as const)),
  ),
);
/** Words between the parts of a date, as in 12 de agosto de 2020. */
const BETWEEN: ReadonlySet<string> = new Set(["DE", "DEL", "OF", "ST", "ND", "RD", "TH"]);
const MOST_DATES = 60;
/** Months whose O was read as a zero. */
const WITH_ZERO = /\b(?:0(?:CT|KT|UT|TT)|N0V|AG0)\b/gi;

interface Atom {
  text: string;
  word: number;
}

/** The dates in some lines, in order. A date does not cross lines. */
export function findDates(lines: readonly PrintedLine[]): readonly PrintedDate[] {
  return lines.flatMap(findInLine).slice(0, MOST_DATES);
}

function findInLine(line: PrintedLine): readonly PrintedDate[] {
  const words = line.words.map(({ text, ...word }) => ({
    ...word,
    text: text.replaceAll(WITH_ZERO, (month) => month.replace("0", "O")),
  }));
  const atoms = listAtoms(words).filter(({ text }) => !BETWEEN.has(text));
  const found: PrintedDate[] = [];
  for (let at = 0; at < atoms.length; ) {
    const read = readDate(atoms, at, line);
    const [first, last] = [atoms[at], atoms[at + (read?.length ?? 1) - 1]];
    if (read !== undefined && first !== undefined && last !== undefined) {
      found.push({ line, from: first.word, to: last.word + 1, readings: read.readings });
    }
    at += read?.length ?? 1;
  }
  return found;
}

function readDate(atoms: readonly Atom[], at: number, line: PrintedLine) {
  // Dots are used where the day comes first.
  const isDotted = line.words[atoms[at]?.word ?? -1]?.text.includes(".") ?? false;
  return readNamedMonth(atoms, at) ?? readNumbers(atoms, at, isDotted) ?? readTogether(atoms, at);
}

/** 12 AUG 1974, 12 AUG/AOÛT 74, AUG 12 1974, 12 AUG. */
function readNamedMonth(atoms: readonly Atom[], at: number): { readings: DateReading[]; length: number } | undefined {
  const text = (offset: number) => atoms[at + offset]?.text ?? "";
  const startsWithMonth = monthByName.has(text(0));
  const month = monthByName.get(text(startsWithMonth ? 0 : 1));
  const day = readNumber(text(startsWithMonth ? 1 : 0), 1, 31);
  if (month === undefined || day === undefined) return undefined;
  // The month may be printed twice, in two languages.
  const length = !startsWithMonth && monthByName.get(text(2)) === month ? 3 : 2;
  const year = isBegun(atoms, at + length) ? undefined : readYear(text(length));
  if (startsWithMonth && year?.year === undefined) return undefined;
  const parts = { day, month, year: year?.year, yearOfCentury: year?.yearOfCentury };
  return isDay(parts) ? { readings: [parts], length: year === undefined ? length : length + 1 } : undefined;
}

/** Digits followed by letters in the same word, such as the seat 20D, are no year. */
function isBegun(atoms: readonly Atom[], at: number): boolean {
  const next = atoms[at + 1];
  return next !== undefined && next.word === atoms[at]?.word && !/\d/.test(next.text);
}

/** 12.08.1974, 1974-08-12, 08/12/1974, 12 08 74. */
function readNumbers(
  atoms: readonly Atom[],
  at: number,
  isDotted: boolean,
): { readings: DateReading[]; length: number } | undefined {
  const three = atoms.slice(at, at + 3);
  const [one, two, third] = three.map(({ text }) => text);
  if (one === undefined || two === undefined || third === undefined) return undefined;
  if (/^(?:19|20)\d\d$/.test(one) && /^\d\d$/.test(two) && /^\d\d$/.test(third)) {
    return listReadings([{ day: Number(third), month: Number(two), ...readYear(one) }]);
  }
  if (!/^\d{1,2}$/.test(one) || !/^\d{1,2}$/.test(two)) return undefined;
  const year = /^\d{4}$|^\d\d$/.test(third) && !isBegun(atoms, at + 2) ? readYear(third) : undefined;
  // A two-digit year needs all three numbers in one word: adjacent numbers are often something else.
  if (year === undefined || (year.year === undefined && three.some(({ word }) => word !== three[0]?.word)))
    return undefined;
  return listReadings([
    { day: Number(one), month: Number(two), ...year },
    ...(isDotted || one === two ? [] : [{ day: Number(two), month: Number(one), ...year }]),
  ]);
}

/** 12081974, 1208 1974, 12 081974: blanks between numbers are easily lost. */
function readTogether(atoms: readonly Atom[], at: number): { readings: DateReading[]; length: number } | undefined {
  for (const length of [1, 2]) {
    const text = atoms
      .slice(at, at + length)
      .map((atom) => atom.text)
      .join("");
    const [, day, month, year] = /^(\d\d)(\d\d)((?:19|20)\d\d)$/.exec(text) ?? [];
    if (year === undefined) continue;
    const found = listReadings([{ day: Number(day), month: Number(month), ...readYear(year) }]);
    if (found !== undefined) return { ...found, length };
  }
  return undefined;
}

function listReadings(
  readings: readonly Partial<DateReading>[],
): { readings: DateReading[]; length: number } | undefined {
  const possible = readings
    .map(({ day = 0, month = 0, year, yearOfCentury }) => ({ day, month, year, yearOfCentury }))
    .filter(isDay);
  return possible.length === 0 ? undefined : { readings: possible, length: 3 };
}

function readNumber(text: string, least: number, most: number): number | undefined {
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}

function readYear(text: string): Pick<DateReading, "year" | "yearOfCentury"> | undefined {
  if (/^(?:19|20)\d\d$/.test(text)) return { year: Number(text), yearOfCentury: Number(text) % 100 };
  return /^\d\d$/.test(text) ? { year: undefined, yearOfCentury: Number(text) } : undefined;
}

/** Whether the day exists; assumes a leap year if the year is unknown. */
function isDay({ day, month, year }: DateReading): boolean {
  return toPlainDate(year ?? 2000, month, day) !== undefined;
}

export function toPlainDate(year: number, month: number, day: number): Temporal.PlainDate | undefined {
  if (month < 1 || month > 12 || day < 1 || day > new Temporal.PlainYearMonth(year, month).daysInMonth)
    return undefined;
  return new Temporal.PlainDate(year, month, day);
}

/** Whether a printed date can be this one: all its printed parts agree. */
export function printsDate({ readings }: PrintedDate, date: Temporal.PlainDate): boolean {
  return readings.some(
    ({ day, month, year, yearOfCentury }) =>
      day === date.day &&
      month === date.month &&
      (year === undefined || year === date.year) &&
      (yearOfCentury === undefined || yearOfCentury === date.year % 100),
  );
}
