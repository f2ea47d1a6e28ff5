import { createRequire } from "node:module";
import type { Bidi } from "bidi-js";

/** Its types say that what it exports stands under `default`, which is not so. */
const createBidi: () => Bidi = createRequire(import.meta.url)("bidi-js");
const bidi = createBidi();

/**
 * A line's pieces from left to right as they are read. The drawing library turns round a piece in a right-to-left script by itself
 * and keeps the order of the pieces, so they are put in their places here.
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
    // Spaces and signs have no direction that the library would know them by, so that each stands alone.
    const isAlone = isReversed && !/[\p{L}\p{M}]/u.test(character);
    if (last?.isReversed !== isReversed || isAlone)
      pieces.push({ text: character, isReversed: isAlone ? false : isReversed });
    else last.text = isReversed ? character + last.text : last.text + character;
  }
  return pieces.map(({ text }) => text);
}
