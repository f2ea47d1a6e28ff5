import { toVisibleText } from "../../../domain/visible-text.ts";
import { aroundBoxes } from "../reading/boxes.ts";
import type { PageText, Reading, Word } from "../reading/page.ts";
import type { ReasonCode } from "../reason-codes.ts";
import type { Box, FieldSource, ReviewReason, ScannedField } from "../scan.ts";

const LONGEST_VALUE = 200;
/** Limits per page: a larger one is no boarding pass or passport. */
const MOST_LINES = 400;
const MOST_WORDS = 60;
/** A box of this size does not locate its text. */
const WHOLE_PAGE = 0.6;

/** A line of words with its page. */
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

/** Capital letters without accents, so that labels and month names compare in any print. */
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

/** The words of a line reduced to letters and digits, each with its original word. */
export function listAtoms(words: readonly Word[]): readonly { text: string; word: number }[] {
  return words.flatMap(({ text }, word) =>
    (foldText(text.slice(0, LONGEST_VALUE)).match(/\p{L}+|\d+/gu) ?? []).map((atom) => ({ text: atom, word })),
  );
}

export function isWholePage({ width, height }: Box): boolean {
  return width * height > WHOLE_PAGE;
}

/** The lowest confidence of some words; 0 for none. */
export function leastConfidence(words: readonly Word[]): number {
  return words.length === 0 ? 0 : Math.min(...words.map(({ confidence }) => confidence));
}

/** Makes a field of words of a page. `most` limits its confidence. */
export function printedField(value: string, line: PrintedLine, words: readonly Word[], most: number): ScannedField {
  const { page, source } = line;
  return makeField(value, Math.min(most, leastConfidence(words)), {
    source,
    page,
    box: aroundBoxes(words.map(({ box }) => box)) ?? null,
  });
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
