import { closeSync, openSync, readSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** Cells of two minutes of arc, from the north and from 180° west; a byte each stands for the mean elevation. */
export const ROWS = 5_400;
export const COLUMNS = 10_800;
export const CELLS_A_DEGREE = 30;
/** Tiles of this many cells per side are compressed separately, so that a question reads a few kilobytes. */
export const TILE = 180;
export const TILES_ACROSS = COLUMNS / TILE;
export const TILES = TILES_ACROSS * (ROWS / TILE);
/** The file begins with the meters of each byte value, then the end of each tile; a tile without land has no bytes. */
export const BYTES_OF_METERS = 256 * 2;
const BYTES_OF_HEAD = BYTES_OF_METERS + TILES * 4;
/** The value for water, and for land far below sea level. */
export const SEA = 0;

const MOST_TILES = 32;
const FILE = new URL("data/elevation.bin", import.meta.url);

export interface Cells {
  /** The elevation range of the nine cells; water counts as zero. */
  relief: number;
  highest: number;
  /** The nearest four cells; undefined: one of them is water. */
  near: { relief: number; meters: number } | undefined;
}

/** Reads tiles on demand and caches a megabyte of them. */
export class ElevationGrid {
  readonly #meters: Int16Array;
  readonly #ends: Uint32Array;
  readonly #tiles = new Map<number, Uint8Array>();

  constructor() {
    const head = readPart(0, BYTES_OF_HEAD);
    this.#meters = new Int16Array(head.buffer, head.byteOffset, 256);
    this.#ends = new Uint32Array(head.buffer, head.byteOffset + BYTES_OF_METERS, TILES);
  }

  /** The cell of a point with its eight neighbors; undefined: all of them are water. */
  around({ latitude, longitude }: { latitude: number; longitude: number }): Cells | undefined {
    const y = (90 - latitude) * CELLS_A_DEGREE - 0.5;
    const x = (longitude + 180) * CELLS_A_DEGREE - 0.5;
    const [row, column] = [Math.round(y), Math.round(x)];
    const bytes = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => this.#byteAt(row + down, column + right)));
    if (bytes.every((byte) => byte === SEA)) return undefined;
    const meters = bytes.map((byte) => this.#toMeters(byte));
    const highest = Math.max(...meters);
    return { relief: highest - Math.min(...meters), highest, near: this.#between(y, x) };
  }

  #between(y: number, x: number): Cells["near"] {
    const [top, left] = [Math.floor(y), Math.floor(x)];
    const corners = [0, 1].flatMap((down) => [0, 1].map((right) => this.#byteAt(top + down, left + right)));
    if (corners.includes(SEA)) return undefined;
    const [a = 0, b = 0, c = 0, d = 0] = corners.map((byte) => this.#toMeters(byte));
    const [south, east] = [y - top, x - left];
    const meters = (1 - south) * ((1 - east) * a + east * b) + south * ((1 - east) * c + east * d);
    return { relief: Math.max(a, b, c, d) - Math.min(a, b, c, d), meters };
  }

  #toMeters(byte: number): number {
    return this.#meters[byte] ?? 0;
  }

  #byteAt(anyRow: number, anyColumn: number): number {
    const row = Math.min(ROWS - 1, Math.max(0, anyRow));
    const column = (anyColumn + COLUMNS) % COLUMNS;
    const tile = Math.floor(row / TILE) * TILES_ACROSS + Math.floor(column / TILE);
    return this.#tile(tile)[(row % TILE) * TILE + (column % TILE)] ?? SEA;
  }

  #tile(index: number): Uint8Array {
    const kept = this.#tiles.get(index);
    if (kept !== undefined) return kept;
    const [start, end] = [this.#ends[index - 1] ?? 0, this.#ends[index] ?? 0];
    const cells =
      start === end ? new Uint8Array(0) : brotliDecompressSync(readPart(BYTES_OF_HEAD + start, end - start));
    for (const oldest of this.#tiles.keys()) {
      if (this.#tiles.size < MOST_TILES) break;
      this.#tiles.delete(oldest);
    }
    this.#tiles.set(index, cells);
    return cells;
  }
}

function readPart(position: number, length: number): Buffer {
  const part = Buffer.from(new ArrayBuffer(length));
  const file = openSync(FILE, "r");
  try {
    if (readSync(file, part, 0, length, position) < length)
      throw new Error("data/elevation.bin is cut; build it again");
    return part;
  } finally {
    closeSync(file);
  }
}
