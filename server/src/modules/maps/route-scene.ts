import { z } from "zod";
import { distanceMeters, EARTH_RADIUS_METERS } from "../../domain/distance.ts";
import type { Words } from "../../domain/texts.ts";
import type { Maps } from "../../ports/maps.ts";
import { pointCoordinates, smallestCap } from "./drawing/route-line.ts";
import type { MapScene, RouteShape, ScenePoint, Streets } from "./drawing/scene.ts";
import { mapTexts } from "./texts.ts";

export const LegAnswer = z.object({
  from: z.int(),
  to: z.int(),
  distanceKilometers: z.number().describe("Great-circle distance, not by road"),
});

const MOST_CITIES = 80;
/** The picture is wider than the route. */
const BEYOND_ROUTE = 1.6;

export interface RouteScene {
  title: string;
  /** Default: the number of stops and the total distance. */
  subtitle?: string;
  shape?: RouteShape;
  stops: readonly ScenePoint[];
  words: Words;
}

export function buildLegs(
  stops: readonly Omit<ScenePoint, "label">[],
  shape: RouteShape = "through",
): z.output<typeof LegAnswer>[] {
  return stops.slice(1).map((to, index) => {
    const start = shape === "star" ? 0 : index;
    const distanceKilometers = distanceMeters(stops[start] ?? to, to) / 1_000;
    return { from: start + 1, to: index + 2, distanceKilometers };
  });
}

export const totalKilometers = (legs: readonly { distanceKilometers: number }[]): number =>
  legs.reduce((meters, { distanceKilometers }) => meters + Math.round(distanceKilometers * 1_000), 0) / 1_000;

/** Says whole meters below a kilometer, and kilometers with a sensible precision above. */
export function sayDistance(kilometers: number, words: Words): string {
  if (kilometers < 1) return words.number(Math.round(kilometers * 1_000), { style: "unit", unit: "meter" });
  const maximumFractionDigits = kilometers < 20 ? 1 : 0;
  return words.number(kilometers, { style: "unit", unit: "kilometer", maximumFractionDigits });
}

/** Builds the scene of a route map, texts included. */
export function buildScene(
  { title, subtitle, shape = "through", stops, words }: RouteScene,
  maps: Pick<Maps, "largestCities">,
  streets?: Streets,
): MapScene {
  const say = mapTexts(words);
  const legs = buildLegs(stops, shape);
  const cap = smallestCap(stops.map(pointCoordinates));
  const withinKilometers = (cap.radius * EARTH_RADIUS_METERS * BEYOND_ROUTE) / 1_000;
  const [longitude, latitude] = cap.center;
  const [schematic, lines] =
    streets === undefined ? [say("schematic"), say("straightLines")] : [say("streets"), say("streets")];
  return {
    title,
    shape,
    streets,
    locale: words.locale,
    subtitle: subtitle ?? say("summary", { count: stops.length, distance: sayDistance(totalKilometers(legs), words) }),
    notes: { city: schematic, region: lines, world: lines },
    stops: stops.map((stop, index) => {
      const leg = legs[index - 1];
      return { ...stop, legDistance: leg === undefined ? "" : sayDistance(leg.distanceKilometers, words) };
    }),
    cities: maps
      .largestCities({ latitude, longitude }, { withinKilometers, limit: MOST_CITIES })
      .map(({ name, ...position }) => ({ label: name, ...position })),
  };
}
