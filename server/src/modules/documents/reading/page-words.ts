import type { Box } from "../scan.ts";
import type { TextLine, Word } from "./page.ts";

/** A document may hold any text: what one page gives is bounded. */
const MOST_WORDS = 6_000;
const MOST_CHARACTERS = 200;

/** Control characters, halves of pairs, what turns the direction of text, and what nobody sees but programs read. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
/** Letters that are drawn as one, and full-width letters and digits, are the same as those they are made of. */
const COMPATIBLE = /[\ufb00-\ufb06\uff01-\uff5e\u00a0\u2000-\u200a\u202f]/gu;

/** A word as it may go on, or `undefined` where nothing of it can be seen. */
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
 * Words in lines across the whole page, however the page is divided into columns: what stands side by side is one line, from the
 * left to the right. Words must stand upright.
 */
export function toLines(words: readonly Word[]): TextLine[] {
  const open: Row[] = [];
  const ordered = words.slice(0, MOST_WORDS).toSorted((one, other) => middleOf(one.box) - middleOf(other.box));
  const rows: Row[] = [];
  for (const word of ordered) {
    const fitting = open.findLast((row) => belongs(row, word.box));
    if (fitting === undefined) {
      const row = { words: [word], middle: middleOf(word.box), height: word.box.height };
      rows.push(row);
      open.push(row);
      if (open.length > OPEN_ROWS) open.shift();
    } else join(fitting, word);
  }
  return rows
    .toSorted((one, other) => one.middle - other.middle)
    .map((row) => ({ words: row.words.toSorted((one, other) => one.box.x - other.box.x) }));
}

interface Row {
  words: Word[];
  middle: number;
  height: number;
}

/** Words come from top to bottom: only the last rows can get another one. */
const OPEN_ROWS = 6;

const middleOf = ({ y, height }: Box): number => y + height / 2;

function belongs(row: Row, box: Box): boolean {
  const isLevel =
    Math.abs(middleOf(box) - row.middle) < 0.45 * Math.min(row.height, Math.max(box.height, row.height * 0.5));
  // Two texts that lie on each other are two lines.
  return isLevel && row.words.every((word) => overlap(word.box, box) < 0.5 * Math.min(word.box.width, box.width));
}

const overlap = (one: Box, other: Box): number =>
  Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);

/** The row's middle and height follow the words that it has, of which one that is only a comma says little. */
function join(row: Row, word: Word): void {
  const count = row.words.length;
  row.words.push(word);
  if (word.box.height < 0.6 * row.height) return;
  row.middle = (row.middle * count + middleOf(word.box)) / (count + 1);
  row.height = (row.height * count + word.box.height) / (count + 1);
}
