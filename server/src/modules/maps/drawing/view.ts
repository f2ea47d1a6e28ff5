import { type GeoProjection, geoAzimuthalEqualArea, geoNaturalEarth1 } from "d3-geo";
import { buildRouteLine, type Coordinates, EARTH_KILOMETERS, middleLongitude, type RouteLine } from "./route-line.ts";
import { INNER, MAP_SIZE, type MapKind, type RouteShape, type ScenePoint } from "./scene.ts";
import { streetProjection } from "./street-view.ts";

export type Pixel = [x: number, y: number];

/** Projects points onto the picture. */
export interface View {
  kind: MapKind;
  projection: GeoProjection;
  center: Coordinates;
  /** In radians: points farther from the center are not visible. */
  radius: number;
  /** At the center of the picture. */
  pixelsOfRadian: number;
  legs: readonly (readonly Coordinates[])[];
  /** Undefined: the point is on the far side of the globe. */
  locate(point: Coordinates): Pixel | undefined;
}

const LARGEST_CITY_KILOMETERS = 60;
const SMALLEST_CITY_KILOMETERS = 1;
/** Routes that reach farther than this from their middle are shown on a world map. */
const LARGEST_REGION = (72 * Math.PI) / 180;

/**
 * Rotates the globe so that the middle of the route is the middle of the picture. `streetZoom`: the zoom of the tiles below the
 * route.
 */
export function openView(stops: readonly ScenePoint[], shape: RouteShape = "through", streetZoom?: number): View {
  const line = buildRouteLine(stops, shape);
  const { legs, points, cap } = line;
  const isCity = 2 * cap.radius * EARTH_KILOMETERS < LARGEST_CITY_KILOMETERS;
  const kind = isCity ? "city" : cap.radius > LARGEST_REGION ? "world" : "region";
  if (streetZoom !== undefined) return streetView(line, kind, streetZoom);
  const projection = kind === "world" ? fitWorld(points) : aroundRoute(cap.center, points);
  const isShown = clipToView(projection, kind, cap.center);
  return {
    kind,
    projection,
    legs,
    center: cap.center,
    pixelsOfRadian: projection.scale(),
    radius: isShown,
    locate: locateBy(projection),
  };
}

function streetView(line: RouteLine, kind: MapKind, zoom: number): View {
  const projection = streetProjection(line, zoom);
  const { center, radius } = line.cap;
  // Mercator enlarges distances by the cosine of the latitude.
  const pixelsOfRadian = projection.scale() / Math.cos((center[1] * Math.PI) / 180);
  return { kind, projection, legs: line.legs, center, radius, pixelsOfRadian, locate: locateBy(projection) };
}

const locateBy =
  (projection: GeoProjection) =>
  (point: Coordinates): Pixel | undefined =>
    projection(point) ?? undefined;

function fitWorld(points: readonly Coordinates[]): GeoProjection {
  return geoNaturalEarth1()
    .rotate([-middleLongitude(points), 0])
    .fitExtent(
      [
        [20, 100],
        [MAP_SIZE.width - 20, MAP_SIZE.height - 40],
      ],
      { type: "Sphere" },
    );
}

function aroundRoute([longitude, latitude]: Coordinates, points: readonly Coordinates[]): GeoProjection {
  const projection = geoAzimuthalEqualArea().rotate([-longitude, -latitude]).scale(1).translate([0, 0]).precision(0);
  const pixels = points.flatMap((point) => {
    const pixel = projection(point);
    return pixel === null ? [] : [pixel];
  });
  const [left, right] = valueRange(pixels.map(([x]) => x));
  const [top, bottom] = valueRange(pixels.map(([, y]) => y));
  const smallest = SMALLEST_CITY_KILOMETERS / EARTH_KILOMETERS;
  const scale = Math.min(
    INNER.width / Math.max(right - left, smallest),
    INNER.height / Math.max(bottom - top, smallest / 2),
  );
  return projection
    .scale(scale)
    .translate([
      INNER.left + INNER.width / 2 - ((left + right) / 2) * scale,
      INNER.top + INNER.height / 2 - ((top + bottom) / 2) * scale,
    ])
    .precision(0.6);
}

const valueRange = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];

/** Clips the drawing to the picture. Returns how far from the center the picture reaches. */
function clipToView(projection: GeoProjection, kind: MapKind, center: Coordinates): number {
  if (kind === "world") return Math.PI;
  const [x, y] = projection(center) ?? [0, 0];
  const { width, height } = MAP_SIZE;
  const reach = Math.hypot(Math.max(x, width - x), Math.max(y, height - y)) / (2 * projection.scale());
  const radius = reach >= 1 ? Math.PI : 2 * Math.asin(reach);
  projection.clipAngle(Math.min(178, (radius * 180) / Math.PI + 0.5)).clipExtent([
    [-20, -20],
    [width + 20, height + 20],
  ]);
  return radius;
}
