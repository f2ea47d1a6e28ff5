import type { Box } from "../scan.ts";
import { type Raster, scale, turn } from "./raster.ts";

/** The maximum tilt of a photo in degrees either way, beyond quarter turns. */
const MOST_TILT = 15;
const COARSE_STEP = 0.5;
const FINE_STEP = 0.1;
/** Large enough to see lines of text, small enough to try many angles. */
const LOOKED_AT_SIDE = 900;
/** A smaller tilt does not affect reading. */
const LEAST_TILT = 0.15;

/** A page's orientation: the turns that make its lines of text level. */
export interface Lie {
  /** Clockwise, applied first. The page may still be upside down: only reading it tells. */
  quarterTurns: 0 | 1;
  /** In degrees clockwise, applied afterwards. */
  tilt: number;
}

/**
 * Finds the orientation of the lines of text by counting dark pixels along lines of each angle: where text is level,
 * full rows alternate with empty ones. If the direction is known, only the tilt is searched.
 */
export async function findLie(raster: Raster, known?: Lie["quarterTurns"]): Promise<Lie> {
  const small = await scale(raster, Math.min(1, LOOKED_AT_SIDE / Math.max(raster.width, raster.height)));
  const points = findInk(small);
  const level = bestAngle(points, small);
  const sideways = bestAngle(
    points.map(([x, y]) => [small.height - 1 - y, x]),
    { width: small.height, height: small.width },
  );
  const isSideways = known === undefined ? sideways.score > SIDEWAYS_ADVANTAGE * level.score : known === 1;
  const { angle } = isSideways ? sideways : level;
  return { quarterTurns: isSideways ? 1 : 0, tilt: Math.abs(angle) < LEAST_TILT ? 0 : -angle };
}

/** Columns of a table can look like lines of text, so sideways needs a clear advantage. */
const SIDEWAYS_ADVANTAGE = 1.35;

type Point = readonly [x: number, y: number];

/** Pixels darker than their surroundings, without runs longer than any letter: paper edges and rulings. */
function findInk({ data, width, height }: Raster): Point[] {
  const background = meanAround({ data, width, height }, 12);
  const ink = Uint8Array.from(data, (grey, at) => (grey < (background[at] ?? 0) - INK_CONTRAST ? 1 : 0));
  const kept = ink.slice();
  for (let y = 0; y < height; y += 1) dropLongRuns(ink, kept, y * width, 1, width);
  for (let x = 0; x < width; x += 1) dropLongRuns(ink, kept, x, width, height);
  const points: Point[] = [];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) if (kept[y * width + x] === 1) points.push([x, y]);
  }
  if (points.length <= MOST_POINTS) return points;
  const step = points.length / MOST_POINTS;
  return Array.from({ length: MOST_POINTS }, (_, index) => points[Math.floor(index * step)] ?? [0, 0]);
}

function dropLongRuns(ink: Uint8Array, kept: Uint8Array, start: number, step: number, count: number): void {
  let from = 0;
  for (let at = 0; at <= count; at += 1) {
    if (at < count && ink[start + at * step] === 1) continue;
    if (at - from > LONGEST_STROKE) for (let drop = from; drop < at; drop += 1) kept[start + drop * step] = 0;
    from = at + 1;
  }
}

const LONGEST_STROKE = 36;
const INK_CONTRAST = 24;
const MOST_POINTS = 60_000;

function bestAngle(
  points: readonly Point[],
  size: { width: number; height: number },
): { angle: number; score: number } {
  const scoreAt = (angle: number) => sharpness(points, angle, size);
  const search = (from: number, to: number, step: number) => {
    let best = { angle: 0, score: scoreAt(0) };
    for (let angle = from; angle <= to + step / 2; angle += step) {
      const score = scoreAt(angle);
      if (score > best.score) best = { angle, score };
    }
    return best;
  };
  const coarse = search(-MOST_TILT, MOST_TILT, COARSE_STEP);
  const fine = search(coarse.angle - COARSE_STEP, coarse.angle + COARSE_STEP, FINE_STEP);
  return fine.score > coarse.score ? fine : coarse;
}

/** By how much the counts of dark pixels on neighbouring lines of this angle differ. */
function sharpness(
  points: readonly Point[],
  angle: number,
  { width, height }: { width: number; height: number },
): number {
  const slope = Math.tan((angle * Math.PI) / 180);
  const offset = Math.ceil(Math.abs(slope) * width) + 1;
  const counts = new Float64Array(height + 2 * offset + 2);
  for (const [x, y] of points) {
    const at = Math.round(y - x * slope) + offset;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  let sum = 0;
  for (let at = 1; at < counts.length; at += 1) sum += ((counts[at] ?? 0) - (counts[at - 1] ?? 0)) ** 2;
  return sum / Math.max(1, points.length);
}

/** The mean grey of the square around each pixel, by prefix sums from the top left corner. */
function meanAround({ data, width, height }: Raster, radius: number): Float32Array {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += data[y * width + x] ?? 0;
      sums[(y + 1) * (width + 1) + x + 1] = (sums[y * (width + 1) + x + 1] ?? 0) + row;
    }
  }
  const means = new Float32Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const top = Math.max(0, y - radius) * (width + 1);
    const bottom = Math.min(height, y + radius + 1) * (width + 1);
    for (let x = 0; x < width; x += 1) {
      const left = Math.max(0, x - radius);
      const right = Math.min(width, x + radius + 1);
      const sum =
        (sums[bottom + right] ?? 0) - (sums[bottom + left] ?? 0) - (sums[top + right] ?? 0) + (sums[top + left] ?? 0);
      means[y * width + x] = sum / (((bottom - top) / (width + 1)) * (right - left));
    }
  }
  return means;
}

/** A straightened page, and the way back. */
export interface Straightened {
  raster: Raster;
  placement: Placement;
}

/** Maps boxes between a straightened page and the original one (after the orientation in its file), both in fractions. */
export interface Placement {
  toGiven(box: Box): Box;
  fromGiven(box: Box): Box;
}

export const AS_GIVEN: Placement = { toGiven: (box) => box, fromGiven: (box) => box };

/** Turned clockwise by quarters and then by a tilt. */
export async function straighten(given: Raster, quarterTurns: number, tilt: number): Promise<Straightened> {
  const quarters = ((quarterTurns % 4) + 4) % 4;
  const upright = await turn(given, quarters * 90);
  const raster = await turn(upright, tilt);
  if (quarters === 0 && tilt === 0) return { raster, placement: AS_GIVEN };
  const degrees = quarters * 90 + tilt;
  return {
    raster,
    placement: {
      toGiven: (box) => turnBox(box, raster, given, -degrees),
      fromGiven: (box) => turnBox(box, given, raster, degrees),
    },
  };
}

/** The bounding box of a box that is turned clockwise about the centre of its page, which becomes the centre of another page. */
function turnBox(box: Box, from: Raster, to: Raster, degrees: number): Box {
  const radians = (degrees * Math.PI) / 180;
  const cosine = Math.cos(radians);
  const sine = Math.sin(radians);
  // The corners of a turned box are empty, so the midpoints of its sides are turned instead.
  const points = [
    [box.x, box.y + box.height / 2],
    [box.x + box.width, box.y + box.height / 2],
    [box.x + box.width / 2, box.y],
    [box.x + box.width / 2, box.y + box.height],
  ].map(([x = 0, y = 0]) => {
    const across = (x - 0.5) * from.width;
    const down = (y - 0.5) * from.height;
    return [
      (across * cosine - down * sine) / to.width + 0.5,
      (across * sine + down * cosine) / to.height + 0.5,
    ] as const;
  });
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  const left = clamp(Math.min(...points.map(([x]) => x)));
  const right = clamp(Math.max(...points.map(([x]) => x)));
  const top = clamp(Math.min(...points.map(([, y]) => y)));
  const bottom = clamp(Math.max(...points.map(([, y]) => y)));
  return { x: left, y: top, width: right - left, height: bottom - top };
}
