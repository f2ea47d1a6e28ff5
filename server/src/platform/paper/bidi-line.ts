import { createRequire } from "node:module";
import type { Bidi } from "bidi-js";

/** Its types wrongly declare the export as `default`. */
const createBidi: () => Bidi = createRequire(import.meta.url)("bidi-js");
const bidi = createBidi();

/**
 * Returns a line's pieces from left to right. The drawing library reverses a right-to-left piece by itself but keeps the order
 * of the pieces, so they are ordered here.
 */
export function piecesFromLeft(line: string): readonly string[] {
  const found = bidi.getEmbeddingLevels(line, "ltr");
  if (found.levels.every((level) => level === 0)) return [line];
  const mirrored = bidi.getMirroredCharactersMap(line, found.levels);
  const pieces: { text: string; isReversed: boolean }[] = [];
  for (const index of bidi.getReorderedIndices(line, found)) {
    const isReversed = (found.levels[index] ?? 0) % 2 === 1;
    const character = mirrored.get(index) ?? line.charAt(index);
    const last = pieces.at(-1);
    // The library assigns spaces and signs no direction, so each is a piece of its own.
    const isAlone = isReversed && !/[\p{L}\p{M}]/u.test(character);
    if (last?.isReversed !== isReversed || isAlone)
      pieces.push({ text: character, isReversed: isAlone ? false : isReversed });
    else last.text = isReversed ? character + last.text : last.text + character;
  }
  return pieces.map(({ text }) => text);
}
