// Writes the outlines of the land that the dashboard's maps show: `node_modules/.bin/node scripts/draw-land.ts`.
//
// They are those of Natural Earth, which is in the public domain, without the details that a map of a trip cannot show.
// A ring is a text of pairs in hundredths of a degree, each the way from the one before.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

type Point = readonly [longitude: number, latitude: number];

/** In degrees. */
const TOLERANCE = 0.09;
/** In square degrees; smaller islands are left out. */
const SMALLEST = 0.12;
const HUNDREDTHS = 100;

const Pair = z.tuple([z.number(), z.number()]);
const Topology = z.object({
  transform: z.object({ scale: Pair, translate: Pair }),
  arcs: z.array(z.array(Pair)),
  objects: z.object({
    land: z.object({ geometries: z.array(z.object({ arcs: z.array(z.array(z.array(z.number()))) })) }),
  }),
});

function readRings(): Point[][] {
  const file = join(import.meta.dirname, "../node_modules/world-atlas/land-50m.json");
  const { transform, arcs, objects } = Topology.parse(JSON.parse(readFileSync(file, "utf8")));
  const decoded = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([right, up]): Point => {
      x += right;
      y += up;
      return [x * transform.scale[0] + transform.translate[0], y * transform.scale[1] + transform.translate[1]];
    });
  });
  const follow = (at: number) => (at < 0 ? (decoded[~at] ?? []).toReversed() : (decoded[at] ?? []));
  const polygons = objects.land.geometries.flatMap((geometry) => geometry.arcs);
  return polygons.flatMap((rings) =>
    rings.map((ring) => goOn(ring.flatMap((at, index) => (index === 0 ? follow(at) : follow(at).slice(1))))),
  );
}

/** Land that crosses the edge of the map goes on beyond it. */
function goOn(ring: readonly Point[]): Point[] {
  const points: Point[] = [];
  for (const [longitude, latitude] of ring) {
    const before = points.at(-1)?.[0] ?? longitude;
    points.push([longitude + 360 * Math.round((before - longitude) / 360), latitude]);
  }
  return points;
}

function measure(ring: readonly Point[]): number {
  const next = (at: number) => ring[(at + 1) % ring.length] ?? [0, 0];
  return Math.abs(ring.reduce((sum, [x, y], at) => sum + x * next(at)[1] - next(at)[0] * y, 0)) / 2;
}

/** Douglas and Peucker's, with a smaller tolerance towards the poles, where a degree of longitude is short. */
function simplify(points: readonly Point[]): Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 3) return [...points];
  const scale = Math.cos((first[1] * Math.PI) / 180);
  const [width, height] = [(last[0] - first[0]) * scale, last[1] - first[1]];
  const length = Math.hypot(width, height);
  const distances = points.map(([x, y]) => {
    const [right, up] = [(x - first[0]) * scale, y - first[1]];
    return length === 0 ? Math.hypot(right, up) : Math.abs(right * height - up * width) / length;
  });
  const farthest = distances.indexOf(Math.max(...distances));
  if ((distances[farthest] ?? 0) <= TOLERANCE) return [first, last];
  return [...simplify(points.slice(0, farthest + 1)).slice(0, -1), ...simplify(points.slice(farthest))];
}

function write(ring: readonly Point[]): string {
  let [x, y] = [0, 0];
  return ring
    .map(([longitude, latitude]) => {
      const at = [Math.round(longitude * HUNDREDTHS), Math.round(latitude * HUNDREDTHS)] as const;
      const step = `${at[0] - x},${at[1] - y}`;
      [x, y] = at;
      return step;
    })
    .join(" ");
}

const rings = readRings()
  .filter((ring) => measure(ring) >= SMALLEST)
  .map(simplify)
  .filter((ring) => ring.length > 3);
const file = join(import.meta.dirname, "../dashboard/src/data/land.json");
writeFileSync(file, `${JSON.stringify(rings.map(write), null, 1)}\n`);
