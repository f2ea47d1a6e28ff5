import type { Box } from "../scan.ts";
import { aroundBoxes } from "./boxes.ts";
import type { TextLine, Word } from "./page.ts";

/** A document may hold any text, so each page is bounded. */
const MOST_WORDS = 6_000;
const MOST_CHARACTERS = 200;

/** Control characters, unpaired surrogates, direction marks, and characters that are invisible to people but not to programs. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
/** Ligatures and full-width letters and digits equal their plain forms. */
const COMPATIBLE = /[\ufb00-\ufb06\uff01-\uff5e\u00a0\u2000-\u200a\u202f]/gu;

/** A word without invisible characters, or `undefined` if none remain. */
export function cleanWord(text: string): string | undefined {
  const visible = text
    .slice(0, MOST_CHARACTERS * 4)
    .replaceAll(UNSEEN, "")
    .replaceAll(COMPATIBLE, (letter) => letter.normalize("NFKC"))
    .normalize("NFC")
    .replaceAll(/\s+/gu, "");
  const characters = Array.from(visible).slice(0, MOST_CHARACTERS).join("");
  return characters === "" ? undefined : characters;
}

/**
 * Groups words into lines across the whole page, regardless of columns: words at one height form a line, from left to
 * right. Words must be upright. `pieces` are words known to be on one line, or single ones.
 */
export function toLines(pieces: readonly (readonly Word[])[]): TextLine[] {
  const bounded = pieces.slice(0, MOST_WORDS).flatMap((words) => {
    const box = aroundBoxes(words.map((word) => word.box));
    return box === undefined ? [] : [{ words, box }];
  });
  const rows: Row[] = [];
  for (const piece of bounded.toSorted((one, other) => middleY(one.box) - middleY(other.box))) {
    const fitting = rows.slice(-OPEN_ROWS).findLast((row) => belongs(row, piece.box));
    if (fitting === undefined) {
      rows.push({ words: [...piece.words], middle: middleY(piece.box), height: piece.box.height, boxes: [piece.box] });
    } else join(fitting, piece.words, piece.box);
  }
  return rows
    .toSorted((one, other) => one.middle - other.middle)
    .map((row) => ({ words: row.words.toSorted((one, other) => one.box.x - other.box.x).slice(0, MOST_WORDS) }));
}

/**
 * In monospaced print, text recognition takes the space around the decimal sign for a blank: `$13 .93` and `$13. 93`
 * are one amount. A blank between words is wider than the characters beside it.
 */
export function joinAmounts({ words }: TextLine): TextLine {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last === undefined || !isSplitAmount(last, word)) {
      joined.push(word);
      continue;
    }
    joined[joined.length - 1] = {
      text: last.text + word.text,
      confidence: Math.min(last.confidence, word.confidence),
      box: aroundBoxes([last.box, word.box]) ?? last.box,
    };
  }
  return { words: joined };
}

const WIDEST_ROOM = 0.9;

function isSplitAmount(left: Word, right: Word): boolean {
  const isSplit =
    (/\d[.,]$/.test(left.text) && /^\d\d(?![\d.,:/-])/.test(right.text)) ||
    (/\d$/.test(left.text) && /^[.,]\d\d(?![\d.,:/-])/.test(right.text));
  const room = right.box.x - left.box.x - left.box.width;
  return isSplit && room < (WIDEST_ROOM * left.box.width) / left.text.length;
}

interface Row {
  words: Word[];
  boxes: Box[];
  middle: number;
  height: number;
}

/** Pieces come from top to bottom: only the last rows can grow. */
const OPEN_ROWS = 6;

const middleY = ({ y, height }: Box): number => y + height / 2;

function belongs(row: Row, box: Box): boolean {
  const height = Math.min(row.height, Math.max(box.height, row.height * 0.5));
  const isLevel = Math.abs(middleY(box) - row.middle) < 0.5 * height;
  // Two overlapping texts are two lines.
  return isLevel && row.boxes.every((other) => overlap(other, box) < 0.3 * Math.min(other.width, box.width));
}

const overlap = (one: Box, other: Box): number =>
  Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);

/** The row's middle and height follow its words; a word that is only a comma counts little. */
function join(row: Row, words: readonly Word[], box: Box): void {
  row.words.push(...words);
  row.boxes.push(box);
  if (box.height < 0.6 * row.height) return;
  const count = row.boxes.length;
  row.middle += (middleY(box) - row.middle) / count;
  row.height += (box.height - row.height) / count;
}
