import type { MrzLines, Reading, Word } from "../../reading/page.ts";
import type { Box } from "../../scan.ts";
import { findDates, type PrintedDate } from "../printed-dates.ts";
import { distanceFrom, findLabels, type Label, type PrintedLabel } from "../printed-labels.ts";
import { foldText, isWholePage, listAtoms, listLines, type PrintedLine } from "../printed-text.ts";

/** The human-readable print of an identity document, without the machine-readable zone. */
export interface VisualZone {
  lines: readonly PrintedLine[];
  labels: readonly PrintedLabel[];
  dates: readonly PrintedDate[];
}

/** A line repeats one of the zone if it shares a stretch of this length with this many digits. */
const TELLING = 18;
const TELLING_DIGITS = 6;
/** After the first letter: the issuer's code and the beginning of the name, which are adjacent nowhere else. */
const TELLING_START = 8;
const NAME_LINE = /^[PVIAC][A-Z]{8}/;

/** Leaves out repeated readings of the zone, which must not confirm itself. */
export function readVisualZone(reading: Reading): VisualZone {
  const zones = reading.mrz.map(({ lines }) => lines.map((line) => line.replaceAll(/[^A-Z0-9]/g, "")));
  const lines = listLines(reading)
    .filter((line) => !repeatsZone(line, zones))
    .map((line) => ({ ...line, words: line.words.filter((word) => !isInZone(word, line.page, reading.mrz)) }))
    .filter(({ words }) => words.length > 0);
  return { lines, labels: findLabels(lines), dates: findDates(lines) };
}

function repeatsZone({ words }: PrintedLine, zones: readonly (readonly string[])[]): boolean {
  const text = words.map((word) => word.text).join("");
  if (/<<|«|≪|<[A-Z]+</.test(text)) return true;
  const letters = foldText(text).replaceAll(/[^A-Z0-9]/g, "");
  return zones.some((zone) => {
    const [first = ""] = zone;
    const repeatsStart = NAME_LINE.test(first) && letters.includes(first.slice(1, TELLING_START));
    return repeatsStart || zone.some((line) => sharesNumbers(letters, line));
  });
}

function sharesNumbers(letters: string, zone: string): boolean {
  for (let at = 0; at + TELLING <= letters.length; at += 1) {
    const part = letters.slice(at, at + TELLING);
    if (part.replaceAll(/[A-Z]/g, "").length >= TELLING_DIGITS && zone.includes(part)) return true;
  }
  return false;
}

function isInZone({ box }: Word, page: number, zones: readonly MrzLines[]): boolean {
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  return zones.some((zone) => zone.page === page && !isWholePage(zone.box) && holds(zone.box, middle));
}

function holds({ x, y, width, height }: Box, point: { x: number; y: number }): boolean {
  return point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;
}

/** The date that belongs to a label, if any. */
export function findLabelledDate({ labels, dates, lines }: VisualZone, wanted: Label): PrintedDate | undefined {
  return findOwn(
    labels,
    dates.map((date) => ({ ...date, row: lines.indexOf(date.line) })),
    wanted,
  );
}

/** The words that belong to a label, without numbers, in its line or below it, up to the next label. */
export function findLabelledWords(zone: VisualZone, wanted: Label) {
  const values = zone.lines.flatMap((line, row) => {
    const marks = zone.labels.filter((label) => label.row === row);
    return splitAt(line, marks).map(({ from, to }) => ({ line, row, from, to }));
  });
  return findOwn(zone.labels, values, wanted);
}

function splitAt({ words }: PrintedLine, labels: readonly PrintedLabel[]): readonly { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  for (let at = 0; at < words.length; at += 1) {
    if (labels.some(({ from, to }) => at >= from && at < to) || !/\p{L}/u.test(words[at]?.text ?? "")) continue;
    const last = parts.at(-1);
    if (last !== undefined && last.to === at && !isFarApart(words[at - 1], words[at])) last.to = at + 1;
    else parts.push({ from: at, to: at + 1 });
  }
  return parts;
}

function isFarApart(word: Word | undefined, next: Word | undefined): boolean {
  if (word === undefined || next === undefined || isWholePage(word.box)) return false;
  return next.box.x - (word.box.x + word.box.width) > 2 * Math.max(word.box.height, next.box.height);
}

/** A value on a page: `row` is its line among all. */
interface Place {
  line: PrintedLine;
  row: number;
  from: number;
  to: number;
}

/** The closest of the values that have no closer label. */
function findOwn<Value extends Place>(
  labels: readonly PrintedLabel[],
  values: readonly Value[],
  wanted: Label,
): Value | undefined {
  let best: { value: Value; distance: number } | undefined;
  for (const value of values) {
    const own = closestLabel(labels, value);
    if (own?.label !== wanted) continue;
    if (best === undefined || own.distance < best.distance) best = { value, distance: own.distance };
  }
  return best?.value;
}

/** The label closest to a value, beside or above it. */
export function closestLabel(
  labels: readonly PrintedLabel[],
  value: Place,
): { label: Label; distance: number } | undefined {
  let best: { label: Label; distance: number } | undefined;
  for (const label of labels) {
    const distance = distanceFrom(label, value);
    if (distance !== undefined && (best === undefined || distance < best.distance))
      best = { label: label.label, distance };
  }
  return best;
}

/** Letters that text recognition confuses with a digit, where an error would fail the number's check digit. */
const DIGIT_FOR: Readonly<Record<string, string>> = { O: "0", Q: "0", D: "0", I: "1", S: "5", Z: "2", B: "8" };
/** The zone's item; cards have longer numbers in two items. */
const LONGEST_NUMBER = 9;
/** The maximum number of words of a printed document number. */
const MOST_PARTS = 4;

/** A document number of the machine-readable zone, to be compared with the print. */
interface ZoneNumber {
  number: string;
  /** The number as read, if its check digit revealed a wrong character, or with its fillers; undefined if it is unchanged. */
  asRead: string | undefined;
  /** Whether a number has the zone's check digit. */
  fits: (number: string) => boolean;
}

/**
 * Compares the printed document number: absent, equal or nearly equal. One character may differ if the print must be
 * wrong because the check digit does not fit it; after a repair, only if print and zone were read alike and the
 * character is a letter that looks like a digit or the reverse.
 */
export function comparePrintedNumber(
  zone: VisualZone,
  { number, asRead, fits }: ZoneNumber,
): "same" | "other" | "absent" {
  let sawSimilar = false;
  for (const text of listNumbers(zone, number.length)) {
    const differing = [...text].filter((character, index) => character !== number.charAt(index));
    if (differing.length === 0) return "same";
    const isMisread =
      asRead === undefined
        ? !fits(text) && looksLike(text, number) && !UNCHECKED.test(number)
        : isAlike(text, asRead, number);
    if (differing.length === 1 && isMisread) return "same";
    if (differing.length <= 2 && /\d/.test(text)) sawSimilar = true;
  }
  // A mark on the paper read as an additional character; a shorter number may itself lack one.
  const isLonger =
    number.length === LONGEST_NUMBER &&
    asRead === undefined &&
    listNumbers(zone, number.length + 1).some((text) => isWithOneMore(text, number));
  return isLonger ? "same" : sawSimilar ? "other" : "absent";
}

/** They look like another character with the same check digit: both parts may be wrong. */
const UNCHECKED = /[1L6G]/;

function isAlike(text: string, asRead: string, number: string): boolean {
  return text === asRead && unfold(text) === unfold(number);
}

const LOOK_ALIKES = ["0ODQ", "1ILJT7?", "2Z", "38B", "4A", "5S", "6G", "UV", "MN"];

function looksLike(text: string, number: string): boolean {
  return [...text].every((character, index) => {
    const other = number.charAt(index);
    return character === other || LOOK_ALIKES.some((group) => group.includes(character) && group.includes(other));
  });
}

function isWithOneMore(text: string, number: string): boolean {
  return [...text].some((_, index) => text.slice(0, index) + text.slice(index + 1) === number);
}

/** Readings of a letter with few strokes: they stand for an unknown character. */
const STROKES = /[[\]|!{}]/g;

/** The adjacent words with this total length; small letters among capitals are marks on the paper. */
function listNumbers({ lines }: VisualZone, length: number): readonly string[] {
  return lines.flatMap(({ words }) =>
    [/[^A-Z0-9?]/g, /[^A-Z0-9?\p{Ll}]/gu].flatMap((others) => {
      const parts = words.map(({ text }) => {
        const withoutOthers = text.slice(0, 40).replaceAll(STROKES, "?").replaceAll(others, "");
        return foldText(withoutOthers).replaceAll(/[^A-Z0-9?]/g, "");
      });
      return parts.flatMap((_, from) => {
        for (let to = from + 1; to <= Math.min(parts.length, from + MOST_PARTS); to += 1) {
          const text = parts.slice(from, to).join("");
          if (text.length >= length) return text.length === length ? [text] : [];
        }
        return [];
      });
    }),
  );
}

function unfold(text: string): string {
  return text.replaceAll(/[OQDISZB]/g, (letter) => DIGIT_FOR[letter] ?? letter);
}

type Sex = "f" | "m" | "x";
const SEX_WORDS: ReadonlyMap<string, Sex> = new Map([
  ["FEMALE", "f"],
  ["FEMININ", "f"],
  ["WEIBLICH", "f"],
  ["FEMENINO", "f"],
  ["FEMMINILE", "f"],
  ["FEMININO", "f"],
  ["MALE", "m"],
  ["MASCULIN", "m"],
  ["MANNLICH", "m"],
  ["MASCULINO", "m"],
  ["MASCHILE", "m"],
]);

/** The printed sexes: beside the label if there is one, else anywhere. */
export function listPrintedSexes(zone: VisualZone): ReadonlySet<Sex> {
  const words = zone.lines.flatMap((line, row) =>
    line.words.map((_, from) => ({ line, row, from, to: from + 1, sex: readSex(line, from) })),
  );
  const marked = words.filter(({ sex }) => sex !== undefined);
  const labelled = findOwn(zone.labels, marked, "sex")?.sex;
  return new Set(labelled === undefined ? marked.flatMap(({ sex }) => sex ?? []) : [labelled]);
}

/** F, M/M, K/F, FEMALE: letters of one or two languages; undefined if the word names no sex. */
function readSex({ words }: PrintedLine, at: number): Sex | undefined {
  const word = words[at];
  if (word === undefined || word.text.length > 12) return undefined;
  const atoms = listAtoms([word]).map(({ text }) => text);
  const [first = ""] = atoms;
  if (atoms.length === 1 && SEX_WORDS.has(first)) return SEX_WORDS.get(first);
  if (atoms.length === 0 || atoms.length > 2 || atoms.some((text) => text.length > 1)) return undefined;
  const said = (["F", "M", "X"] as const).filter((letter) => atoms.includes(letter));
  if (said.length !== 1) return undefined;
  return said[0] === "F" ? "f" : said[0] === "M" ? "m" : "x";
}

/** Whether the print has this word, such as a country code. */
export function printsWord({ lines }: VisualZone, word: string): boolean {
  return lines.some(({ words }) => listAtoms(words).some(({ text }) => text === word));
}
