import { type GeoProjection, geoMercator } from "d3-geo";
import { TILE_PIXELS, type TileName } from "../../../ports/map-tiles.ts";
import { type Coordinates, EARTH_KILOMETERS, type RouteLine } from "./route-line.ts";
import { INNER, MAP_SIZE } from "./scene.ts";

/** Beyond this, streets are too thin to see and the Mercator projection is too distorted. */
const LARGEST_KILOMETERS = 600;
const NEAREST_TO_POLE_DEGREES = 80;
const MOST_ZOOM = 17;

/** The largest zoom at which the route fits the picture. Undefined: it is too long, or too near a pole, to show streets. */
export function findStreetZoom({ points, cap }: RouteLine): number | undefined {
  const isFar = 2 * cap.radius * EARTH_KILOMETERS > LARGEST_KILOMETERS;
  if (isFar || points.some(([, latitude]) => Math.abs(latitude) > NEAREST_TO_POLE_DEGREES)) return undefined;
  const { width, height } = pixelBounds(points, cap.center);
  const fits = (zoom: number) => width * zoomScale(zoom) <= INNER.width && height * zoomScale(zoom) <= INNER.height;
  for (let zoom = MOST_ZOOM; zoom > 0; zoom -= 1) if (fits(zoom)) return zoom;
  return undefined;
}

/** Pixels per radian of longitude. */
const zoomScale = (zoom: number): number => (TILE_PIXELS * 2 ** zoom) / (2 * Math.PI);

function pixelBounds(points: readonly Coordinates[], [longitude]: Coordinates) {
  const projection = geoMercator().rotate([-longitude, 0]).scale(1).translate([0, 0]);
  const pixels = points.flatMap((point) => {
    const pixel = projection(point);
    return pixel === null ? [] : [pixel];
  });
  const [across, down] = [pixels.map(([x]) => x), pixels.map(([, y]) => y)];
  const [left, right, top, bottom] = [Math.min(...across), Math.max(...across), Math.min(...down), Math.max(...down)];
  return { width: right - left, height: bottom - top, middle: [(left + right) / 2, (top + bottom) / 2] };
}

/** The picture's corner on the world map at that zoom, in whole pixels so that tiles stay sharp. */
function findCorner({ points, cap }: RouteLine, zoom: number) {
  const scale = zoomScale(zoom);
  const { middle } = pixelBounds(points, cap.center);
  const [middleX = 0, middleY = 0] = middle;
  const centerX = ((cap.center[0] + 180) / 360) * TILE_PIXELS * 2 ** zoom;
  return {
    centerX,
    left: Math.round(centerX + middleX * scale - (INNER.left + INNER.width / 2)),
    top: Math.round((TILE_PIXELS * 2 ** zoom) / 2 + middleY * scale - (INNER.top + INNER.height / 2)),
  };
}

/** A Mercator projection around the route, like that of the tiles. */
export function streetProjection(line: RouteLine, zoom: number): GeoProjection {
  const { centerX, left, top } = findCorner(line, zoom);
  return geoMercator()
    .rotate([-line.cap.center[0], 0])
    .scale(zoomScale(zoom))
    .translate([centerX - left, (TILE_PIXELS * 2 ** zoom) / 2 - top])
    .clipExtent([
      [-20, -20],
      [MAP_SIZE.width + 20, MAP_SIZE.height + 20],
    ]);
}

interface LaidTile {
  name: TileName;
  /** Pixels from the left edge of the picture. */
  left: number;
  top: number;
}

/** The tiles that cover the picture and their positions on it. They wrap around at the antimeridian. */
export function layTiles(line: RouteLine, zoom: number): LaidTile[] {
  const { left, top } = findCorner(line, zoom);
  const count = 2 ** zoom;
  const columns = listTiles(left, MAP_SIZE.width);
  const rows = listTiles(top, MAP_SIZE.height).filter((row) => row >= 0 && row < count);
  return rows.flatMap((y) =>
    columns.map((column) => ({
      name: { zoom, x: ((column % count) + count) % count, y },
      left: column * TILE_PIXELS - left,
      top: y * TILE_PIXELS - top,
    })),
  );
}

function listTiles(start: number, length: number): number[] {
  const first = Math.floor(start / TILE_PIXELS);
  const last = Math.floor((start + length - 1) / TILE_PIXELS);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
