import { geoDistance, geoInterpolate } from "d3-geo";
import { EARTH_RADIUS_METERS } from "../../../domain/distance.ts";
import type { RouteShape, ScenePoint } from "./scene.ts";

/** Longitude and latitude in degrees, in the order of d3. */
export type Coordinates = [longitude: number, latitude: number];

const DEGREES_OF_STEP = 1;
const FEWEST_STEPS = 8;
const DEGREES = 180 / Math.PI;
/** Nearly antipodal points have no unique great circle. */
const NEARLY_OPPOSITE = Math.PI - 1e-3;

export const pointCoordinates = ({ longitude, latitude }: Omit<ScenePoint, "label">): Coordinates => [
  longitude,
  latitude,
];

export const EARTH_KILOMETERS = EARTH_RADIUS_METERS / 1_000;

/** A route on the globe. */
export interface RouteLine {
  legs: readonly (readonly Coordinates[])[];
  /** The stops and the points of the legs between them. */
  points: readonly Coordinates[];
  /** The cap that contains all points. */
  cap: Cap;
}

export function buildRouteLine(stops: readonly ScenePoint[], shape: RouteShape = "through"): RouteLine {
  const places = stops.map(pointCoordinates);
  const legs = places.slice(1).map((to, index) => greatCircle(places[shape === "star" ? 0 : index] ?? to, to));
  const points = [...places, ...legs.flat()];
  return { legs, points, cap: smallestCap(points) };
}

/** The great circle between two points, in steps. */
export function greatCircle(from: Coordinates, to: Coordinates): Coordinates[] {
  const distance = geoDistance(from, to);
  if (distance > NEARLY_OPPOSITE) {
    // Between antipodal points every path is equally long: this one leads over the equator, 90° east of the first point.
    const between: Coordinates = [from[0] + 90, 0];
    return [...greatCircle(from, between), ...greatCircle(between, to).slice(1)];
  }
  const steps = Math.max(FEWEST_STEPS, Math.ceil((distance * DEGREES) / DEGREES_OF_STEP));
  const at = geoInterpolate(from, to);
  return Array.from({ length: steps + 1 }, (_, step) => at(step / steps));
}

interface Cap {
  center: Coordinates;
  /** In radians. */
  radius: number;
}

type Vector = readonly [x: number, y: number, z: number];

function toVector([longitude, latitude]: Coordinates): Vector {
  const [lambda, phi] = [longitude / DEGREES, latitude / DEGREES];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

function toCoordinates([x, y, z]: Vector): Coordinates {
  return [Math.atan2(y, x) * DEGREES, Math.atan2(z, Math.hypot(x, y)) * DEGREES];
}

const ROUNDS = 400;

/** Approximates the smallest circle around all points: the center moves towards the farthest one by ever smaller steps. */
export function smallestCap(points: readonly Coordinates[]): Cap {
  const vectors = points.map(toVector);
  let center: Vector = vectors[0] ?? [1, 0, 0];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const farthest = farthestFrom(center, vectors);
    const share = 1 / (round + 1);
    const [x, y, z] = center.map((value, axis) => value + ((farthest[axis] ?? 0) - value) * share);
    const length = Math.hypot(x ?? 0, y ?? 0, z ?? 0);
    // Antipodal points: any center will do.
    if (length < 1e-9) break;
    center = [(x ?? 0) / length, (y ?? 0) / length, (z ?? 0) / length];
  }
  const at = toCoordinates(center);
  return { center: at, radius: Math.max(0, ...points.map((point) => geoDistance(at, point))) };
}

function farthestFrom(center: Vector, vectors: readonly Vector[]): Vector {
  let farthest = center;
  let least = Number.POSITIVE_INFINITY;
  for (const vector of vectors) {
    const cosine = vector[0] * center[0] + vector[1] * center[1] + vector[2] * center[2];
    if (cosine < least) [least, farthest] = [cosine, vector];
  }
  return farthest;
}

/** The longitude opposite the widest gap between the points, so that a world map is cut where it disturbs least. */
export function middleLongitude(points: readonly Coordinates[]): number {
  const longitudes = points.map(([longitude]) => longitude).toSorted((one, other) => one - other);
  let [widest, middle] = [0, 0];
  longitudes.forEach((longitude, index) => {
    const next = longitudes[index + 1] ?? (longitudes[0] ?? 0) + 360;
    if (next - longitude > widest) [widest, middle] = [next - longitude, (longitude + next) / 2 + 180];
  });
  return middle > 180 ? middle - 360 : middle;
}
