import { boxAround } from "../../reading/boxes.ts";
import type { PageText, Reading, TextLine } from "../../reading/page.ts";
import type { Box, FieldSource, ScannedField } from "../../scan.ts";

/** A word of a row, with its position in the row's text. */
interface PlacedWord {
  start: number;
  end: number;
  confidence: number;
  box: Box;
}

/** The words at one height of a page. */
export interface Row {
  page: number;
  source: "text" | "ocr" | "model";
  /** Words in normal form, separated by a space, or by a tab between columns. */
  text: string;
  words: readonly PlacedWord[];
  box: Box;
}

/** A stretch of a row's text. */
export interface Span {
  row: Row;
  start: number;
  end: number;
}

const MOST_ROWS = 2_000;
const MOST_CHARACTERS_OF_WORD = 100;
const MOST_CHARACTERS_OF_ROW = 400;
/** A gap of this many characters ends a column. */
const COLUMN_GAP = 2.2;
/** Lines are at one height if they overlap vertically by at least this share. */
const SHARED_HEIGHT = 0.55;

export function toRows(reading: Reading): { rows: readonly Row[]; isCut: boolean } {
  const rows: Row[] = [];
  for (const page of reading.pages) {
    for (const line of joinLines(page)) {
      if (rows.length === MOST_ROWS) return { rows, isCut: true };
      const row = toRow(page, line);
      if (row !== undefined) rows.push(row);
    }
  }
  return { rows, isCut: false };
}

interface Joined {
  words: TextLine["words"];
  box: Box;
}

/**
 * Text recognition often reads the labels and amounts of a receipt as two columns, and characters of different heights
 * as two lines: lines at one height whose words do not overlap are joined.
 */
function joinLines({ source, lines }: PageText): TextLine[] {
  if (source === "model") return [...lines];
  const joined: Joined[] = [];
  for (const { words } of lines) {
    if (words.length === 0) continue;
    const box = boxAround(words.map((word) => word.box));
    const neighbour = joined
      .slice(-LINES_ASKED)
      .find((other) => (source === "ocr" && isSameHeight(other.box, box)) || isBeside(other, { words, box }));
    if (neighbour === undefined) {
      joined.push({ words, box });
    } else {
      neighbour.words = [...neighbour.words, ...words];
      neighbour.box = boxAround([neighbour.box, box]);
    }
  }
  return joined
    .toSorted((one, other) => middleY(one.box) - middleY(other.box))
    .map(({ words }) => ({ words: words.toSorted((one, other) => one.box.x - other.box.x) }));
}

const LINES_ASKED = 60;
const MOST_WORDS = 60;

const middleY = (box: Box): number => box.y + box.height / 2;

/** Lines never overlap: the boxes of words may be too wide, but these belong to one line. */
function isSameHeight(one: Box, other: Box): boolean {
  const shared = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return shared > 0.85 * Math.min(one.height, other.height) && shared > 0.4 * Math.max(one.height, other.height);
}

function isBeside(one: Joined, other: Joined): boolean {
  const [high, low] = [one.box, other.box];
  const shared = Math.min(high.y + high.height, low.y + low.height) - Math.max(high.y, low.y);
  const isLevel =
    shared > SHARED_HEIGHT * Math.min(high.height, low.height) && shared > 0.4 * Math.max(high.height, low.height);
  if (!isLevel || one.words.length + other.words.length > MOST_WORDS) return false;
  return one.words.every((word) => other.words.every((next) => areApart(word.box, next.box)));
}

const areApart = (one: Box, other: Box): boolean =>
  one.x + one.width <= other.x + OVERLAP || other.x + other.width <= one.x + OVERLAP;
/** Boxes of neighbours may touch. */
const OVERLAP = 0.004;

const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u;

function toRow({ page, source }: PageText, { words }: TextLine): Row | undefined {
  const normal = words
    .map((word) => ({ ...word, text: normalize(word.text) }))
    .filter(({ text }) => text.trim() !== "");
  if (normal.length === 0) return undefined;
  const characterWidth = median(normal.map(({ text, box }) => box.width / widthInCharacters(text)));
  const placed: PlacedWord[] = [];
  let text = "";
  let previous: (typeof normal)[number] | undefined;
  for (const word of normal) {
    text += gapBetween(previous, word, source === "model" ? 0 : characterWidth, source);
    const start = text.length;
    text += word.text;
    if (text.length > MOST_CHARACTERS_OF_ROW) {
      text = text.slice(0, start);
      break;
    }
    placed.push({ start, end: text.length, confidence: word.confidence, box: word.box });
    previous = word;
  }
  return { page, source, text, words: placed, box: boxAround(normal.map(({ box }) => box)) };
}

function gapBetween(
  left: { text: string; box: Box } | undefined,
  right: { text: string; box: Box },
  width: number,
  source: PageText["source"],
) {
  if (left === undefined) return "";
  const gap = right.box.x - left.box.x - left.box.width;
  if (width > 0 && gap > COLUMN_GAP * width) return "\t";
  const touching = EAST_ASIAN.test(left.text.at(-1) ?? "") && EAST_ASIAN.test(right.text.at(0) ?? "");
  // Text recognition separates the characters of Japanese words.
  return touching && (source === "ocr" || width === 0 || gap < 0.7 * width) ? "" : " ";
}

/** East Asian characters are twice as wide as others. */
const widthInCharacters = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + (EAST_ASIAN.test(character) ? 2 : 1), 0);

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u{e0000}-\u{e007f}]/gu;

/** Full-width forms become common ones, spaces inside numbers an apostrophe, every dash a hyphen, and dotted leaders spaces. */
function normalize(text: string): string {
  return text
    .slice(0, MOST_CHARACTERS_OF_WORD)
    .replaceAll(/(?<=\d)[\u00a0\u2007\u2009\u202f](?=\d{3})/gu, "'")
    .normalize("NFKC")
    .replaceAll(UNSEEN, "")
    .replaceAll(/[\u2010-\u2015\u2212\ufe63]/gu, "-")
    .replaceAll(/[\u2018\u2019\u02b9\u00b4`]/gu, "'")
    .replaceAll(/[._·…]{3,}/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .slice(0, MOST_CHARACTERS_OF_WORD);
}

/** A value with its position. `certainty` is its confidence if every character was read correctly. */
export function buildField(value: string, span: Span, certainty: number): ScannedField {
  const words = span.row.words.filter(({ start, end }) => start < span.end && end > span.start);
  const source: FieldSource = span.row.source;
  const confidence = Math.min(certainty, spanConfidence(span));
  return {
    value: limitText(value),
    confidence: Math.round(confidence * 100) / 100,
    from: {
      source,
      page: span.row.page,
      box: words.length === 0 ? span.row.box : boxAround(words.map(({ box }) => box)),
    },
  };
}

/** The confidence of its worst word. */
export function spanConfidence({ row, start, end }: Span): number {
  const words = row.words.filter((word) => word.start < end && word.end > start);
  return Math.min(1, ...words.map(({ confidence }) => confidence));
}

const MOST_CHARACTERS_OF_VALUE = 200;

export function limitText(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length <= MOST_CHARACTERS_OF_VALUE
    ? line
    : Array.from(line).slice(0, MOST_CHARACTERS_OF_VALUE).join("").slice(0, MOST_CHARACTERS_OF_VALUE).toWellFormed();
}

/** The columns of a row. */
export function splitColumns(row: Row): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const piece of row.text.split("\t")) {
    spans.push({ row, start, end: start + piece.length });
    start += piece.length + 1;
  }
  return spans.filter((span) => spanText(span) !== "");
}

export const spanText = ({ row, start, end }: Span): string => row.text.slice(start, end).trim();

export function spanBox({ row, start, end }: Span): Box {
  const words = row.words.filter((word) => word.start < end && word.end > start);
  return words.length === 0 ? row.box : boxAround(words.map(({ box }) => box));
}
