import { crop, type Raster } from "./raster.ts";

/** A character of a machine-readable zone, by its position in the image of its line. */
interface Cell {
  left: number;
  right: number;
  /** `true`: a filler, `<`. */
  isFiller: boolean;
}

export interface Span {
  from: number;
  to: number;
}

export interface ZoneLineImage {
  /** The line without its fillers, which text recognition reads as letters. */
  letters: Raster;
  cells: readonly Cell[];
  /** Pixels from one character to the next. */
  pitch: number;
  /** Its position in the band: the first row of its ink, and the one after its last. */
  rows: Span;
}

const FEWEST_CELLS = 20;
/** The maximum of joined characters; a wider shape is the edge of the paper. */
const MOST_TOUCHING = 4;

/** The lines of a band with a machine-readable zone: separate characters at equal distances. */
export function cutZoneLines(band: Raster, ink: number): ZoneLineImage[] {
  const isInk = (x: number, y: number) => (band.data[y * band.width + x] ?? 255) < ink;
  return findRows(band, isInk).flatMap(({ from, to }) => {
    const top = Math.max(0, from - 3);
    const line = crop(band, { left: 0, top, width: band.width, height: Math.min(band.height, to + 3) - top });
    const found = line === undefined ? undefined : cutLine(line, ink);
    return found === undefined ? [] : [{ ...found, rows: { from, to } }];
  });
}

/** Strokes of a row that may belong to letters: paper edges and rulings are longer. */
const FEWEST_STROKES = 8;
const LONGEST_STROKE = 24;

/** Ranges of rows with many short strokes. */
function findRows({ width, height }: Raster, isInk: (x: number, y: number) => boolean): Span[] {
  const strokes = Array.from({ length: height }, (_, y) => {
    const inked = findSpans(Array.from({ length: width }, (__, x) => isInk(x, y)));
    return inked.filter(({ from, to }) => to - from <= LONGEST_STROKE).length;
  });
  return findSpans(strokes.map((count) => count >= FEWEST_STROKES)).filter(({ from, to }) => to - from >= 8);
}

function findSpans(isInside: readonly boolean[]): Span[] {
  const spans: Span[] = [];
  let from: number | undefined;
  for (const [at, inside] of [...isInside, false].entries()) {
    if (inside && from === undefined) from = at;
    if (!inside && from !== undefined) {
      spans.push({ from, to: at });
      from = undefined;
    }
  }
  return spans;
}

function cutLine(line: Raster, ink: number): Omit<ZoneLineImage, "rows"> | undefined {
  const glyphs = findGlyphs(line, ink);
  if (glyphs.length < FEWEST_CELLS) return undefined;
  const steps = glyphs.slice(1).map((glyph, index) => middle(glyph) - middle(glyphs[index] ?? glyph));
  const pitch = computeMedian(steps);
  const whole = glyphs
    .filter(({ from, to }) => to - from < MOST_TOUCHING * pitch)
    .flatMap((glyph) => split(glyph, pitch));
  const letters = { ...line, data: line.data.slice() };
  const cells = withGaps(
    whole.map(({ from, to }) => ({ left: from, right: to, isFiller: isFiller(line, ink, { from, to }) })),
    pitch,
  );
  for (const { left, right, isFiller: isOne } of cells) if (isOne) erase(letters, left - 1, right + 1);
  return { letters, cells, pitch };
}

const middle = ({ from, to }: Span): number => (from + to) / 2;

function computeMedian(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Adjacent columns with ink, without specks. */
function findGlyphs(line: Raster, ink: number): Span[] {
  const heights = Array.from({ length: line.width }, (_, x) => {
    let count = 0;
    for (let y = 0; y < line.height; y += 1) if ((line.data[y * line.width + x] ?? 255) < ink) count += 1;
    return count;
  });
  // Letters leave the first and the last row free; the surface under the paper does not.
  const touches = (y: number, from: number, to: number) =>
    line.data.subarray(y * line.width + from, y * line.width + to).some((grey) => grey < ink);
  return findSpans(heights.map((count) => count > 0)).filter(({ from, to }) => {
    const dark = heights.slice(from, to).reduce((sum, count) => sum + count, 0);
    return to - from >= 2 && dark > line.height * 0.6 && !(touches(0, from, to) && touches(line.height - 1, from, to));
  });
}

/** Splits touching characters where the next one must begin. */
function split(glyph: Span, pitch: number): Span[] {
  const count = Math.round((glyph.to - glyph.from) / pitch);
  if (count < 2) return [glyph];
  const width = (glyph.to - glyph.from) / count;
  return Array.from({ length: count }, (_, index) => ({
    from: Math.round(glyph.from + index * width),
    to: Math.round(glyph.from + (index + 1) * width),
  }));
}

/** A gap between distant characters had fillers too faint to see. */
function withGaps(cells: readonly Cell[], pitch: number): Cell[] {
  return cells.flatMap((cell, index) => {
    const last = cells[index - 1];
    if (last === undefined) return [cell];
    const distance = (cell.left + cell.right - last.left - last.right) / 2;
    const missing = Math.min(3, Math.max(0, Math.round(distance / pitch) - 1));
    const gap = Array.from({ length: missing }, (_, step) => {
      const at = (last.left + last.right) / 2 + (step + 1) * pitch;
      return { left: Math.round(at - pitch / 3), right: Math.round(at + pitch / 3), isFiller: true };
    });
    return [...gap, cell];
  });
}

/**
 * Whether ink has the shape of `<`: one stroke per row, leftmost in the middle and moving evenly to the right upwards
 * and downwards. No letter or digit does.
 */
function isFiller({ data, width, height }: Raster, ink: number, { from, to }: Span): boolean {
  const strokes: { y: number; x: number; count: number; isWide: boolean }[] = [];
  for (let y = 0; y < height; y += 1) {
    const inked = findSpans(Array.from({ length: to - from }, (_, x) => (data[y * width + from + x] ?? 255) < ink));
    const [first] = inked;
    const last = inked.at(-1);
    if (first === undefined || last === undefined) continue;
    const isWide = last.to - first.from > 0.75 * (to - from);
    strokes.push({ y, x: (first.from + last.to) / 2, count: inked.length, isWide });
  }
  const [top] = strokes;
  const bottom = strokes.at(-1);
  if (top === undefined || bottom === undefined || strokes.length < 6) return false;
  const single = strokes.filter(({ count }) => count === 1).length / strokes.length;
  const wide = strokes.filter(({ isWide }) => isWide).length / strokes.length;
  const center = (top.y + bottom.y) / 2;
  const points = strokes.map(({ y, x }) => [Math.abs(y - center) / ((bottom.y - top.y) / 2), x] as const);
  return single > 0.8 && wide < 0.3 && correlation(points) > 0.85 && isStraight(points);
}

/** A straight stroke is halfway to the right at half its height; the round stroke of a C is still near its left. */
function isStraight(points: readonly (readonly [away: number, x: number])[]): boolean {
  const meanAt = (from: number, to: number) => {
    const found = points.filter(([away]) => away >= from && away <= to);
    return found.reduce((sum, [, x]) => sum + x, 0) / Math.max(1, found.length);
  };
  const [tip, half, end] = [meanAt(0, 0.15), meanAt(0.4, 0.6), meanAt(0.85, 1)];
  const share = (half - tip) / (end - tip);
  return share > 0.25 && share < 0.75;
}

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const mean = (pick: (pair: readonly [number, number]) => number) =>
    pairs.reduce((sum, pair) => sum + pick(pair), 0) / pairs.length;
  const [meanOne, meanOther] = [mean(([one]) => one), mean(([, other]) => other)];
  let [both, ones, others] = [0, 0, 0];
  for (const [one, other] of pairs) {
    both += (one - meanOne) * (other - meanOther);
    ones += (one - meanOne) ** 2;
    others += (other - meanOther) ** 2;
  }
  return ones === 0 || others === 0 ? 0 : both / Math.sqrt(ones * others);
}

function erase({ data, width, height }: Raster, left: number, right: number): void {
  for (let y = 0; y < height; y += 1) {
    data.fill(255, y * width + Math.max(0, left), y * width + Math.min(width, right));
  }
}
