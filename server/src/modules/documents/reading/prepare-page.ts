import type { Raster, Rectangle } from "./raster.ts";

/** In pixels per side: a shadow on a page varies little within a cell, and each cell has paper. */
const CELL = 24;
const PAPER_PERCENTILE = 0.9;
/** An area darker than this is no paper: a photo, or a dark heading. */
const DARKEST_PAPER = 60;

/** A lighter grey on paper of 255 is a printed background pattern, and a darker one than `BLACK` becomes black. */
const WHITE = 220;
const BLACK = 20;
const STRETCH = 255 / (WHITE - BLACK);

/** The page as if evenly lit: the paper becomes white, also in a shadow. */
export function evenLight(raster: Raster): Raster {
  const { data, width, height } = raster;
  const columns = Math.ceil(width / CELL);
  const rows = Math.ceil(height / CELL);
  const paper = smooth(measurePaper(raster, columns, rows), columns, rows);
  const even = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    const down = Math.min(rows - 1, Math.max(0, y / CELL - 0.5));
    const top = Math.floor(down);
    const bottom = Math.min(rows - 1, top + 1);
    for (let x = 0; x < width; x += 1) {
      const across = Math.min(columns - 1, Math.max(0, x / CELL - 0.5));
      const left = Math.floor(across);
      const right = Math.min(columns - 1, left + 1);
      const above = mix(paper[top * columns + left] ?? 255, paper[top * columns + right] ?? 255, across - left);
      const below = mix(paper[bottom * columns + left] ?? 255, paper[bottom * columns + right] ?? 255, across - left);
      const light = mix(above, below, down - top);
      const grey = ((data[y * width + x] ?? 0) * 255) / light;
      even[y * width + x] = Math.min(255, Math.max(0, (grey - BLACK) * STRETCH));
    }
  }
  return { data: even, width, height };
}

const mix = (one: number, other: number, share: number): number => one + (other - one) * share;

/** The grey of the paper in each cell: that of its lighter pixels. */
function measurePaper({ data, width, height }: Raster, columns: number, rows: number): Float32Array {
  const paper = new Float32Array(columns * rows);
  const histogram = new Uint32Array(256);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      histogram.fill(0);
      const right = Math.min(width, (column + 1) * CELL);
      const bottom = Math.min(height, (row + 1) * CELL);
      for (let y = row * CELL; y < bottom; y += 1) {
        for (let x = column * CELL; x < right; x += 1) {
          const grey = data[y * width + x] ?? 0;
          histogram[grey] = (histogram[grey] ?? 0) + 1;
        }
      }
      const pixels = (right - column * CELL) * (bottom - row * CELL);
      paper[row * columns + column] = Math.max(DARKEST_PAPER, percentile(histogram, pixels * PAPER_PERCENTILE));
    }
  }
  return paper;
}

function percentile(histogram: Uint32Array, count: number): number {
  let seen = 0;
  for (let grey = 0; grey < histogram.length; grey += 1) {
    seen += histogram[grey] ?? 0;
    if (seen >= count) return grey;
  }
  return 255;
}

/** A cell full of bold print takes the light of its neighbours. */
function smooth(cells: Float32Array, columns: number, rows: number): Float32Array {
  const smoothed = new Float32Array(cells.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const around: number[] = [];
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1) {
          around.push(cells[y * columns + x] ?? 255);
        }
      }
      around.sort((one, other) => one - other);
      smoothed[row * columns + column] = around[Math.floor(around.length * 0.6)] ?? 255;
    }
  }
  return smoothed;
}

/** Darker than this on evenly lit paper is ink. */
const INK = 150;
/** In pixels; smaller pieces are noise, larger ones a picture or a frame. */
const LEAST_LETTER = 5;
const LARGEST_LETTER = 150;
const FEWEST_LETTERS = 20;

/** The typical letter height in pixels on an evenly lit page, or `undefined` with too few letters. */
export function letterHeight(raster: Raster): number | undefined {
  const heights = inkHeights(raster).toSorted((one, other) => one - other);
  if (heights.length < FEWEST_LETTERS) return undefined;
  return heights[Math.floor(heights.length * 0.5)];
}

/** Per row of pixels: fewer dark ones are specks. */
const FEWEST_INKED = 2;

/** Bands of an evenly lit page with ink of at least this height and width, from top to bottom, with a small margin. */
export function inkRows({ data, width, height }: Raster, least: number): Rectangle[] {
  const rows: Rectangle[] = [];
  let top: number | undefined;
  let [left, right] = [width, 0];
  for (let y = 0; y <= height; y += 1) {
    let inked = 0;
    for (let x = 0; y < height && x < width; x += 1) {
      if ((data[y * width + x] ?? 255) >= INK) continue;
      inked += 1;
      if (inked < FEWEST_INKED) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
    }
    if (inked >= FEWEST_INKED) top ??= y;
    else if (top !== undefined) {
      if (y - top >= least && right - left >= least) rows.push(around(left, top, right, y, least / 2));
      top = undefined;
      [left, right] = [width, 0];
    }
  }
  return rows;
}

const around = (left: number, top: number, right: number, bottom: number, margin: number): Rectangle => ({
  left: Math.max(0, Math.round(left - 2 * margin)),
  top: Math.max(0, Math.round(top - margin)),
  width: Math.round(right - left + 4 * margin),
  height: Math.round(bottom - top + 2 * margin),
});

interface Run {
  from: number;
  to: number;
  piece: number;
}

/** The heights of connected pieces of ink that may be letters: runs of ink in each row are joined with those in the row above. */
function inkHeights({ data, width, height }: Raster): number[] {
  const pieces = new Pieces();
  let above: Run[] = [];
  for (let y = 0; y < height; y += 1) {
    const runs: Run[] = [];
    let first = 0;
    for (let x = 0; x < width; x += 1) {
      if ((data[y * width + x] ?? 255) >= INK) continue;
      const from = x;
      while (x < width && (data[y * width + x] ?? 255) < INK) x += 1;
      const run = { from, to: x, piece: pieces.begin(y, from, x) };
      while (first < above.length && (above[first]?.to ?? 0) <= from) first += 1;
      for (let at = first; at < above.length; at += 1) {
        const other = above[at];
        if (other === undefined || other.from >= x) break;
        run.piece = pieces.join(run.piece, other.piece);
      }
      runs.push(run);
    }
    above = runs;
  }
  return pieces.heights();
}

/** Growing pieces, each identified by its first part (union-find). */
class Pieces {
  readonly #parents: number[] = [];
  readonly #tops: number[] = [];
  readonly #bottoms: number[] = [];
  readonly #lefts: number[] = [];
  readonly #rights: number[] = [];

  begin(row: number, left: number, right: number): number {
    this.#tops.push(row);
    this.#bottoms.push(row);
    this.#lefts.push(left);
    this.#rights.push(right);
    return this.#parents.push(this.#parents.length) - 1;
  }

  join(one: number, other: number): number {
    const first = this.#find(one);
    const second = this.#find(other);
    if (first === second) return first;
    this.#parents[second] = first;
    this.#tops[first] = Math.min(this.#tops[first] ?? 0, this.#tops[second] ?? 0);
    this.#bottoms[first] = Math.max(this.#bottoms[first] ?? 0, this.#bottoms[second] ?? 0);
    this.#lefts[first] = Math.min(this.#lefts[first] ?? 0, this.#lefts[second] ?? 0);
    this.#rights[first] = Math.max(this.#rights[first] ?? 0, this.#rights[second] ?? 0);
    return first;
  }

  #find(piece: number): number {
    let root = piece;
    for (let next = this.#parents[root]; next !== undefined && next !== root; next = this.#parents[root]) {
      this.#parents[root] = this.#parents[next] ?? next;
      root = next;
    }
    return root;
  }

  heights(): number[] {
    return this.#parents.flatMap((parent, piece) => {
      if (parent !== piece) return [];
      const height = (this.#bottoms[piece] ?? 0) - (this.#tops[piece] ?? 0) + 1;
      const width = (this.#rights[piece] ?? 0) - (this.#lefts[piece] ?? 0);
      const isLetter =
        height >= LEAST_LETTER && height <= LARGEST_LETTER && width >= height * 0.1 && width <= height * 6;
      return isLetter ? [height] : [];
    });
  }
}
