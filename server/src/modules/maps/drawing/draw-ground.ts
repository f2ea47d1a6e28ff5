import { geoDistance, geoGraticule, geoPath } from "d3-geo";
import { TILE_PIXELS } from "../../../ports/map-tiles.ts";
import type { loadGeography } from "./geography.ts";
import { EARTH_KILOMETERS } from "./route-line.ts";
import { MAP_SIZE, type Streets } from "./scene.ts";
import type { View } from "./view.ts";

type Geography = ReturnType<typeof loadGeography>;

const DEGREES = 180 / Math.PI;
/** Points nearer than this are merged. */
const SEEN_PIXELS = 1.25;
const WHOLE = `width="${MAP_SIZE.width}" height="${MAP_SIZE.height}"`;

/** Draws everything below the route. */
export function drawGround(view: View, geography: Geography, streets: Streets | undefined): string {
  if (streets !== undefined) return drawStreets(streets);
  if (view.kind === "city") return drawGrid(view);
  const path = geoPath(view.projection).digits(1);
  const { polygons, borders } = geography.at((SEEN_PIXELS / view.pixelsOfRadian) * DEGREES);
  const seen = polygons.filter(({ center, radius }) => geoDistance(center, view.center) <= radius + view.radius + 0.01);
  const land = seen.map(({ shape }) => path(shape) ?? "").join("");
  return [
    `<rect class="space" ${WHOLE}/>`,
    `<path class="sea" d="${path({ type: "Sphere" }) ?? ""}"/>`,
    `<path class="graticule" d="${path(buildGraticule(view)) ?? ""}"/>`,
    `<path class="land" d="${land}"/>`,
    `<path class="border" d="${path(borders) ?? ""}"/>`,
  ].join("\n");
}

function buildGraticule({ kind, radius }: View) {
  const step = kind === "world" ? 30 : radius > 0.5 ? 15 : 5;
  return geoGraticule().step([step, step])();
}

/** Inverts lightness and keeps hues: providers' tiles are drawn for light mode. */
const NIGHT = `<filter id="night" color-interpolation-filters="sRGB" filterUnits="userSpaceOnUse" x="-256" y="-256" width="1512" height="1137"><feColorMatrix type="matrix" values="0.37 -0.95 -0.22 0 0.9  -0.43 -0.15 -0.22 0 0.9  -0.43 -0.95 0.58 0 0.92  0 0 0 1 0"/></filter>`;

function drawStreets({ tiles }: Streets): string {
  const images = tiles.map(
    ({ left, top, pngBase64 }) =>
      `<image x="${left}" y="${top}" width="${TILE_PIXELS}" height="${TILE_PIXELS}" href="data:image/png;base64,${pngBase64}"/>`,
  );
  return `${NIGHT}\n<rect class="streets" ${WHOLE}/>\n<g class="tiles">${images.join("")}</g>`;
}

const NICE = [1, 2, 5] as const;
/** The largest round number of kilometers that fits in this many pixels. */
export function roundDistance(view: View, mostPixels: number): { kilometers: number; pixels: number } {
  const most = (mostPixels / view.pixelsOfRadian) * EARTH_KILOMETERS;
  const power = 10 ** Math.floor(Math.log10(most));
  const kilometers = power * (NICE.findLast((one) => one * power <= most) ?? 1);
  return { kilometers, pixels: (kilometers / EARTH_KILOMETERS) * view.pixelsOfRadian };
}

const GRID_PIXELS = 110;

/** A plain ground with a grid of a round size: the built-in data has no streets. */
function drawGrid(view: View): string {
  const { pixels } = roundDistance(view, GRID_PIXELS);
  const [x = 0, y = 0] = view.locate(view.center) ?? [];
  const across = linesFrom(x % pixels, MAP_SIZE.width, pixels).map((at) => `M${at} 0V${MAP_SIZE.height}`);
  const down = linesFrom(y % pixels, MAP_SIZE.height, pixels).map((at) => `M0 ${at}H${MAP_SIZE.width}`);
  return `<rect class="streets" ${WHOLE}/>\n<path class="grid" d="${[...across, ...down].join("")}"/>`;
}

function linesFrom(first: number, end: number, step: number): string[] {
  const count = Math.max(0, Math.ceil((end - first) / step));
  return Array.from({ length: count }, (_, index) => (first + index * step).toFixed(1));
}
