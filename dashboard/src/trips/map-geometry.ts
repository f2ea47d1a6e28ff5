import land from "../data/land.json" with { type: "json" };

/** In degrees; a longitude can lie beyond 180, so that a line goes on where it crosses the edge of the map. */
export type Point = readonly [longitude: number, latitude: number];

const RADIANS = Math.PI / 180;
const EARTH_KILOMETERS = 6_371;
const STEPS = 48;
/** The projection runs away towards the poles. */
const NORTHERNMOST = 84;
const TURN = 360;

type Vector = readonly [number, number, number];

function toVector([longitude, latitude]: Point): Vector {
  const [turn, up] = [longitude * RADIANS, latitude * RADIANS];
  return [Math.cos(up) * Math.cos(turn), Math.cos(up) * Math.sin(turn), Math.sin(up)];
}

const angleBetween = (one: Vector, other: Vector): number =>
  Math.acos(Math.min(1, Math.max(-1, one[0] * other[0] + one[1] * other[1] + one[2] * other[2])));

export const measureKilometers = (from: Point, to: Point): number =>
  angleBetween(toVector(from), toVector(to)) * EARTH_KILOMETERS;

/** The longitude nearest to another, so that neighbours on the globe are neighbours on the map. */
export const bringNear = (longitude: number, to: number): number =>
  longitude + TURN * Math.round((to - longitude) / TURN);

/** The shortest way over the globe. */
export function drawArc(from: Point, to: Point): Point[] {
  const [start, end] = [toVector(from), toVector(to)];
  const angle = angleBetween(start, end);
  if (angle < 1e-6) return [from, to];
  const points: Point[] = [];
  for (let step = 0; step <= STEPS; step += 1) {
    const [before, after] = [Math.sin((1 - step / STEPS) * angle), Math.sin((step / STEPS) * angle)];
    const [x, y, z] = [0, 1, 2].map((at) => (before * (start[at] ?? 0) + after * (end[at] ?? 0)) / Math.sin(angle));
    const longitude = Math.atan2(y ?? 0, x ?? 0) / RADIANS;
    const latitude = Math.atan2(z ?? 0, Math.hypot(x ?? 0, y ?? 0)) / RADIANS;
    points.push([bringNear(longitude, points.at(-1)?.[0] ?? from[0]), latitude]);
  }
  return points;
}

/** Mercator's, in degrees of longitude: coasts keep their shapes. */
function project([longitude, latitude]: Point): Point {
  const up = Math.min(NORTHERNMOST, Math.max(-NORTHERNMOST, latitude)) * RADIANS;
  return [longitude, Math.log(Math.tan(Math.PI / 4 + up / 2)) / RADIANS];
}

export interface Frame {
  left: number;
  top: number;
  /** Pixels for a degree of longitude. */
  scale: number;
}

const HIGHEST = 81;
/** Nearer than this, the coasts would look as coarse as they are stored. */
const NARROWEST_DEGREES = 14;

/** Everything in the middle, with a margin for the labels. */
export function frame(points: readonly Point[], size: { width: number; height: number; margin: number }): Frame {
  const projected = points.map(project);
  const [xs, ys] = [projected.map(([x]) => x), projected.map(([, y]) => y)];
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [width, height] = [size.width - 2 * size.margin, size.height - 2 * size.margin];
  const scale = Math.min(width / Math.max(right - left, 1e-6), height / Math.max(top - bottom, 1e-6));
  const used = Math.min(scale, size.width / NARROWEST_DEGREES);
  const [middle, level] = [(left + right) / 2, (bottom + top) / 2];
  // The ice around the pole has no shape that anybody knows.
  const edge = Math.min(level + size.height / 2 / used, Math.max(top, project([0, HIGHEST])[1]));
  return { left: middle - size.width / 2 / used, top: edge, scale: used };
}

export function place(point: Point, { left, top, scale }: Frame): { x: number; y: number } {
  const [x, y] = project(point);
  return { x: round((x - left) * scale), y: round((top - y) * scale) };
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10;

export function drawLine(points: readonly Point[], within: Frame): string {
  return points
    .map((point, at) => {
      const { x, y } = place(point, within);
      return `${at === 0 ? "M" : "L"}${x} ${y}`;
    })
    .join("");
}

const HUNDREDTHS = 100;
let rings: readonly (readonly Point[])[] | undefined;

/** Each step is the way from the point before. */
function readRing(text: string): Point[] {
  let [x, y] = [0, 0];
  return text.split(" ").map((step): Point => {
    const [right = 0, up = 0] = step.split(",").map(Number);
    [x, y] = [x + right, y + up];
    return [x / HUNDREDTHS, y / HUNDREDTHS];
  });
}

/** The land in the frame, as one path. */
export function drawLand(within: Frame, { width, height }: { width: number; height: number }): string {
  rings ??= land.map(readRing);
  const right = within.left + width / within.scale;
  const bottom = within.top - height / within.scale;
  const drawn: string[] = [];
  for (const ring of rings) {
    for (const turns of [-TURN, 0, TURN]) {
      const moved = ring.map(([longitude, latitude]): Point => [longitude + turns, latitude]);
      const projected = moved.map(project);
      const isSeen =
        projected.some(([x]) => x >= within.left) &&
        projected.some(([x]) => x <= right) &&
        projected.some(([, y]) => y <= within.top) &&
        projected.some(([, y]) => y >= bottom);
      if (isSeen) drawn.push(`${drawLine(moved, within)}Z`);
    }
  }
  return drawn.join("");
}
