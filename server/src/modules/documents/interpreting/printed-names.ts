import type { Word } from "../reading/page.ts";
import { isCutOff, isWrittenAs, mayBegin } from "./name-matching.ts";
import { isLabelWord } from "./printed-labels.ts";
import { isWholePage, type PrintedLine } from "./printed-text.ts";

/** A printed name. */
export interface PrintedName {
  value: string;
  /** The same name in the machine-readable zone's form. */
  zone: string;
  line: PrintedLine;
  row: number;
  /** Word positions in its line: the first, and the one after its last. */
  from: number;
  to: number;
  words: readonly Word[];
  /** The word of the next line before which a continued name ends; 0 if it is not continued. */
  toNext: number;
}

const MOST_NAME_WORDS = 10;
const LONGEST_NAME = 80;
/** Gaps in letter heights: larger ones separate two values of a line, or two lines of a name. */
const COLUMN_GAP = 1.5;
const LINE_GAP = 0.8;
const SAME_START = 0.02;

/**
 * Finds where the print shows a name of the machine-readable zone letter for letter and no more: no adjacent word may
 * belong to the name. `isStrict`: letters of the zone may be missing. `beside` are places that may be adjacent, such as
 * the other name.
 */
export function findName(
  lines: readonly PrintedLine[],
  zone: string,
  isStrict: boolean,
  beside: readonly PrintedName[],
): readonly PrintedName[] {
  return findPlaces(lines, zone, isStrict).filter((place) => isWhole(lines, place, beside));
}

/** Every place whose words form the name, whatever is adjacent. */
export function findPlaces(lines: readonly PrintedLine[], zone: string, isStrict: boolean): readonly PrintedName[] {
  if (!/^[A-Z]/.test(zone)) return [];
  return lines.flatMap((line, row) =>
    line.words.flatMap(({ text }, from) => {
      if (!mayBegin(text, zone)) return [];
      const place = growPlace(lines, row, from, zone, (printed) => isWrittenAs(printed, zone, isStrict));
      return place === undefined ? [] : [place];
    }),
  );
}

/** The printed continuation of a name that fills its item in the zone, up to where it ends on the page. */
export function findLongerName(lines: readonly PrintedLine[], zone: string): readonly PrintedName[] {
  const found: PrintedName[] = [];
  for (const [row, line] of lines.entries()) {
    for (let from = 0; from < line.words.length; from += 1) {
      if (!mayBegin(line.words[from]?.text ?? "", zone)) continue;
      const place = growPlace(lines, row, from, zone, (printed, next) => isCutOff(zone, printed) && next !== "within");
      if (place !== undefined && isWhole(lines, place, [])) found.push(place);
    }
  }
  return found;
}

function growPlace(
  lines: readonly PrintedLine[],
  row: number,
  from: number,
  zone: string,
  isIt: (printed: string, next: "within" | "end") => boolean,
): PrintedName | undefined {
  const line = lines[row];
  if (line === undefined) return undefined;
  const words: Word[] = [];
  for (let to = from + 1; to <= Math.min(line.words.length, from + MOST_NAME_WORDS); to += 1) {
    const word = line.words[to - 1];
    if (word === undefined) return undefined;
    words.push(word);
    const value = joinWords(words);
    if (value.length > LONGEST_NAME) return undefined;
    const next = line.words[to];
    const isEnd = next === undefined || isApart(word, next, words);
    if (isIt(value, isEnd ? "end" : "within")) return { value, zone, line, row, from, to, words, toNext: 0 };
  }
  const next = lines[row + 1];
  if (next === undefined || words.length === 0 || from + words.length < line.words.length) return undefined;
  if (!goesOn(line.words[from], next.words[0])) return undefined;
  for (let to = 1; to <= Math.min(next.words.length, MOST_NAME_WORDS); to += 1) {
    const together = [...words, ...next.words.slice(0, to)];
    const value = joinWords(together);
    if (value.length > LONGEST_NAME) return undefined;
    const isEnd = to === next.words.length;
    if (isIt(value, isEnd ? "end" : "within")) {
      return { value, zone, line, row, from, to: line.words.length, words: together, toNext: to };
    }
  }
  return undefined;
}

function joinWords(words: readonly Word[]): string {
  const text = words.map((word) => word.text.normalize("NFC")).join(" ");
  return text.replace(/^[^\p{L}]{1,3}/u, "").replace(/[,;:/]{1,3}$/, "");
}

/** Whether no adjacent word can belong to the same name. */
function isWhole(lines: readonly PrintedLine[], place: PrintedName, beside: readonly PrintedName[]): boolean {
  const { line, row, from, to, words, toNext } = place;
  const isOther = (otherRow: number, word: number) =>
    beside.some((other) => other.row === otherRow && word >= other.from && word < other.to);
  const isFree = (inLine: PrintedLine | undefined, inRow: number, index: number, neighbor: number) => {
    const [word, next] = [inLine?.words[index], inLine?.words[neighbor]];
    return word === undefined || next === undefined || isOther(inRow, neighbor) || isApart(word, next, words);
  };
  if (!isFree(line, row, from, from - 1)) return false;
  if (toNext > 0) return isFree(lines[row + 1], row + 1, toNext - 1, toNext);
  if (!isFree(line, row, to - 1, to)) return false;
  // The last word of its line: the name may continue below.
  const below = to === line.words.length ? lines[row + 1]?.words[0] : undefined;
  if (below === undefined || isOther(row + 1, 0) || !goesOn(line.words[from], below)) return true;
  return isApartFromKind(below, words);
}

/** Whether two adjacent words belong to different values. */
function isApart(word: Word, next: Word, name: readonly Word[]): boolean {
  if (isApartFromKind(next, name)) return true;
  const [one, other] = [word.box, next.box].sort((left, right) => left.x - right.x);
  if (one === undefined || other === undefined || isWholePage(one) || isWholePage(other)) return false;
  return other.x - (one.x + one.width) > COLUMN_GAP * greatestHeight(word, next);
}

/** A label, a sign, a number, or lower-case letters where the name is in capitals. */
function isApartFromKind(next: Word, name: readonly Word[]): boolean {
  const letters = next.text.replaceAll(/\P{L}/gu, "").length;
  const digits = next.text.replaceAll(/\D/g, "").length;
  // A name with a letter read as a digit is still a name.
  if (isLabelWord(next.text) || letters <= digits) return true;
  return /\p{Ll}/u.test(next.text) && !name.some(({ text }) => /\p{Ll}/u.test(text));
}

/** Heights are fractions of the page's height and gaps of its width, which are about the same. */
function greatestHeight(...words: readonly Word[]): number {
  return Math.max(...words.map(({ box }) => box.height));
}

/** Whether a line continues the one above: it begins below it with almost no gap. */
function goesOn(above: Word | undefined, below: Word | undefined): boolean {
  if (above === undefined || below === undefined || isWholePage(above.box) || isWholePage(below.box)) return false;
  // The box of a word with a bracket or a long letter is higher than its line.
  const height = Math.min(above.box.height, below.box.height);
  const gap = below.box.y - (above.box.y + above.box.height);
  return Math.abs(below.box.x - above.box.x) < SAME_START && Math.abs(gap) < LINE_GAP * height;
}
