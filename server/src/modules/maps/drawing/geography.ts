import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { geoArea, geoCentroid, geoDistance } from "d3-geo";
import type { MultiLineString, MultiPolygon, Polygon, Position } from "geojson";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { z } from "zod";
import type { Coordinates } from "./route-line.ts";

/** Coasts, borders and names of countries: Natural Earth at 1:50 million, as packed by `world-atlas`, in the public domain. */
interface Geography {
  /** Simplified to the detail visible at this size. */
  at(degreesOfPixel: number): Shapes;
  countries: readonly Country[];
}

interface Shapes {
  polygons: readonly Area[];
  borders: MultiLineString;
}

interface Area {
  shape: Polygon;
  center: Coordinates;
  /** In radians: the whole shape is within. */
  radius: number;
}

interface Country {
  name: string;
  center: Coordinates;
  /** The area of its largest part, in steradians. */
  area: number;
}

/** Points nearer to each other than this, in degrees, are merged; 0 keeps all. */
const THINNINGS = [0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4] as const;

type World = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>;
const isWorld = (value: unknown): value is World =>
  z
    .looseObject({
      type: z.literal("Topology"),
      objects: z.looseObject({ countries: z.looseObject({}), land: z.looseObject({}) }),
    })
    .safeParse(value).success;

export function loadGeography(): Geography {
  const file = createRequire(import.meta.url).resolve("world-atlas/countries-50m.json");
  const world: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isWorld(world)) throw new Error("world-atlas is not what it was.");
  const land = feature(world, world.objects.land).features.flatMap(({ geometry }) => listPolygons(geometry));
  const borders = mesh(world, world.objects.countries, (one, other) => one !== other);
  const made = new Map<number, Shapes>();
  return {
    countries: feature(world, world.objects.countries).features.flatMap(({ geometry, properties }) => {
      const [largest] = listPolygons(geometry)
        .map((shape) => ({ shape, area: geoArea(shape) }))
        .toSorted((one, other) => other.area - one.area);
      if (largest === undefined) return [];
      return [{ name: properties.name, center: geoCentroid(largest.shape), area: largest.area }];
    }),
    at(degreesOfPixel) {
      const thinning = THINNINGS.findLast((one) => one <= degreesOfPixel) ?? 0;
      const shapes = made.get(thinning) ?? {
        polygons: land
          .flatMap((shape) => thinPolygon(shape, thinning))
          .map(toArea)
          // An island smaller than a pixel is dropped.
          .filter(({ radius }) => radius * DEGREES >= thinning),
        borders: { ...borders, coordinates: borders.coordinates.map((line) => thinLine(line, thinning)) },
      };
      made.set(thinning, shapes);
      return shapes;
    },
  };
}

function listPolygons(geometry: { type: string } | Polygon | MultiPolygon): Polygon[] {
  if (!("coordinates" in geometry)) return [];
  if (geometry.type === "Polygon") return [geometry];
  return geometry.coordinates.map((coordinates) => ({ type: "Polygon", coordinates }));
}

function toArea(shape: Polygon): Area {
  const center = geoCentroid(shape);
  const distances = shape.coordinates
    .flat()
    .map((position) => geoDistance(center, [position[0] ?? 0, position[1] ?? 0]));
  return { shape, center, radius: Math.max(...distances) };
}

const FEWEST_OF_RING = 4;
const DEGREES = 180 / Math.PI;
/** In steradians. */
const HALF_OF_GLOBE = 2 * Math.PI;

function thinPolygon({ coordinates }: Polygon, thinning: number): Polygon[] {
  const rings = coordinates.map((ring) => thinLine(ring, thinning));
  const [outer, ...holes] = rings;
  if (outer === undefined || outer.length < FEWEST_OF_RING) return [];
  const thinned: Polygon = {
    type: "Polygon",
    coordinates: [outer, ...holes.filter(({ length }) => length >= FEWEST_OF_RING)],
  };
  // The rest of a small island may have reversed winding, and would then be everything but the island.
  return geoArea(thinned) > HALF_OF_GLOBE ? [] : [thinned];
}

/** Keeps both ends, so that rings stay closed and lines meet. */
function thinLine(line: readonly Position[], thinning: number): Position[] {
  const last = line.length - 1;
  let kept: Position | undefined;
  return line.filter((position, index) => {
    const [longitude = 0, latitude = 0] = position;
    const [keptLongitude = 0, keptLatitude = 0] = kept ?? [];
    const away =
      Math.abs(latitude - keptLatitude) + Math.abs(longitude - keptLongitude) * Math.cos((latitude * Math.PI) / 180);
    if (kept !== undefined && index !== last && away < thinning) return false;
    kept = position;
    return true;
  });
}
