import { toVisibleText } from "../../../domain/visible-text.ts";
import type { PageText, Reading, Word } from "../reading/page.ts";
import type { ReasonCode } from "../reason-codes.ts";
import type { Box, FieldSource, ReviewReason, ScannedField } from "../scan.ts";

const LONGEST_VALUE = 200;
/** What is looked at of a page: more is no boarding pass and no passport. */
const MOST_LINES = 400;
const MOST_WORDS = 60;
/** A box as large as that says nothing about where on the page a text stands. */
const WHOLE_PAGE = 0.6;

/** A line of words with the page that it stands on. */
export interface PrintedLine {
  page: number;
  source: PageText["source"];
  words: readonly Word[];
}

export function listLines(reading: Reading): readonly PrintedLine[] {
  return reading.pages
    .flatMap(({ page, source, lines }) =>
      lines.map(({ words }) => ({ page, source, words: words.slice(0, MOST_WORDS) })),
    )
    .slice(0, MOST_LINES);
}

/** In capital letters without accents, so that labels and month names compare whatever a document prints. */
export function foldText(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ß", "SS")
    .toUpperCase()
    .replaceAll("Æ", "AE")
    .replaceAll("Ø", "O")
    .replaceAll("Œ", "OE")
    .replaceAll("Ł", "L");
}

/** The words of a line in letters and digits alone; each knows the word that it comes from. */
export function listAtoms(words: readonly Word[]): readonly { text: string; word: number }[] {
  return words.flatMap(({ text }, word) =>
    (foldText(text.slice(0, LONGEST_VALUE)).match(/\p{L}+|\d+/gu) ?? []).map((atom) => ({ text: atom, word })),
  );
}

export function isWholePage({ width, height }: Box): boolean {
  return width * height > WHOLE_PAGE;
}

function enclose(words: readonly Word[]): Box | null {
  const boxes = words.map(({ box }) => box);
  if (boxes.length === 0) return null;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** How sure the reader was of the least sure of some words; 0 for none. */
export function weakestOf(words: readonly Word[]): number {
  return words.length === 0 ? 0 : Math.min(...words.map(({ confidence }) => confidence));
}

/** A field of what words of a page say. `most`: the confidence that it may have at most. */
export function printedField(value: string, line: PrintedLine, words: readonly Word[], most: number): ScannedField {
  const { page, source } = line;
  return makeField(value, Math.min(most, weakestOf(words)), { source, page, box: enclose(words) });
}

export function makeField(
  value: string,
  confidence: number,
  { source, page, box }: { source: FieldSource; page: number | null; box: Box | null },
): ScannedField {
  const from = { source, page, box };
  return { value: toVisibleText(value, LONGEST_VALUE), confidence: Math.max(0, Math.min(1, confidence)), from };
}

export function makeReason(code: ReasonCode, message: string, field?: string): ReviewReason {
  return { code, message, ...(field === undefined ? {} : { field }) };
}
