import { z } from "zod";
import { distanceMeters } from "../../domain/distance.ts";
import { wordsOfOthers } from "../../domain/schemas.ts";
import type { Words } from "../../domain/texts.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Place, Position } from "../../ports/maps.ts";
import type { EstimatedMode } from "../maps/index.ts";
import {
  addressForLinks,
  buildDeepLinks,
  findWay,
  fitToChannel,
  type MapAnswer,
  type MapPorts,
  makeRouteMap,
  mapTexts,
  saidOfWays,
  sayDistance,
} from "../maps/index.ts";
import { resolveStop } from "../places/index.ts";
import type { Ports } from "./context.ts";
import { restaurantTexts } from "./restaurant-texts.ts";

const LONGEST_LABEL = 120;
const LONGEST_ADDRESS = 300;
const CANDIDATES = 4;

export const StartAnswer = z.object({
  label: wordsOfOthers(),
  latitude: z.number(),
  longitude: z.number(),
  note: z.string().nullable(),
});
type Start = z.output<typeof StartAnswer>;

interface FoundStart {
  /** Undefined: the address is unknown. */
  start: Start | undefined;
  /** For links and the map, if a part of the address is not known here. */
  drawn?: { label: string; address: string | undefined };
  nearMatches: readonly string[];
}

interface StartInput {
  fromLabel?: string | undefined;
  fromAddress?: string | undefined;
  fromLatitude?: number | undefined;
  fromLongitude?: number | undefined;
}

interface Asker {
  languageCode: string;
  signal: AbortSignal;
}

/**
 * By its coordinates, else by its address, taking the place of that name nearest to the restaurants. Otherwise the
 * restaurants' own place.
 */
export async function findStart(
  { fromLabel = "", fromAddress = "", fromLatitude: latitude, fromLongitude: longitude }: StartInput,
  place: Place,
  { maps }: Pick<Ports, "maps">,
  { languageCode, signal }: Asker,
): Promise<FoundStart> {
  const [shown, address] = [toVisibleText(fromLabel, LONGEST_LABEL), toVisibleText(fromAddress, LONGEST_ADDRESS)];
  if (address === "" && latitude === undefined) {
    const note = shown === "" ? null : `fromLabel is not looked up: the routes start at ${place.label}.`;
    const { label } = place;
    return { start: { label, latitude: place.latitude, longitude: place.longitude, note }, nearMatches: [] };
  }
  const { candidates, nearMatches, contradictionMeters } = await resolveStop(
    maps,
    { address, latitude, longitude },
    { limit: CANDIDATES, languageCode, signal },
  );
  const given = latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
  const [best] =
    given === undefined
      ? candidates.toSorted((one, other) => distanceMeters(one, place) - distanceMeters(other, place))
      : candidates;
  if (best === undefined) return { start: undefined, nearMatches };
  const note =
    contradictionMeters === null
      ? writeNote(best, given)
      : `fromAddress names a place ${Math.round(contradictionMeters / 1_000)} km from the coordinates: the coordinates were used.`;
  const { latitude: atLatitude, longitude: atLongitude } = best;
  const label = shown || toVisibleText(address === "" ? best.label : address, LONGEST_LABEL);
  const start = { label, latitude: atLatitude, longitude: atLongitude, note };
  if (given !== undefined || best.unknownPart === null) return { start, nearMatches };
  return { start, drawn: { label: best.label, address: addressForLinks(best) }, nearMatches };
}

function writeNote(best: { label: string; unknownPart: string | null }, given: Position | undefined): string | null {
  if (given !== undefined) return null;
  const unknown = best.unknownPart === null ? "" : ` This part is not known and was ignored: ${best.unknownPart}.`;
  return `fromAddress was taken as ${best.label}.${unknown}`;
}

/** The way to each from the start, and notes on all of them. */
export async function waysTo<Known extends Position>(
  nearest: readonly Known[],
  start: Position & { address?: string | undefined },
  mode: EstimatedMode,
  ports: Pick<Ports, "ways">,
  signal: AbortSignal,
) {
  const known = await Promise.all(nearest.map((one) => findWay([start, one], mode, ports, signal)));
  const restaurants = nearest.map((one, index) => {
    const { way, routedBy } = known[index] ?? {};
    return {
      ...one,
      number: index + 2,
      directions: buildDeepLinks([start, one], mode),
      way:
        way === undefined
          ? null
          : {
              isEstimate: routedBy === undefined,
              source: routedBy?.source ?? "distance",
              roadKilometers: way.roadKilometers,
              minutes: way.minutes,
            },
    };
  });
  return { restaurants, waysKnown: saidOfWays(known) };
}

interface RestaurantRoute {
  tenantId: string;
  place: Place;
  start: Start;
  restaurants: readonly (Position & {
    name: string;
    distanceMeters: number;
    way: { minutes: number } | null;
    directions: { google: string };
  })[];
  words: Words;
}

export async function drawRestaurants(
  { tenantId, place, start, restaurants, words }: RestaurantRoute,
  ports: MapPorts,
  signal: AbortSignal,
) {
  if (restaurants.length === 0) return { map: null, mapNote: "There is no known restaurant to show." };
  const say = restaurantTexts(words);
  const stops = [start, ...restaurants.map(({ name, ...position }) => ({ ...position, label: name }))].map(
    ({ label, latitude, longitude }) => ({ label, latitude, longitude }),
  );
  const title = say("title", { place: place.label });
  const subtitle = say("found", { count: restaurants.length });
  return await makeRouteMap(ports, { tenantId, title, subtitle, shape: "star", stops, words }, signal);
}

interface CardExtras {
  map: MapAnswer | null;
  /** The URL of a search for restaurants there. */
  search: string;
  notes: string;
}

export function restaurantCard({ place, start, restaurants, words }: RestaurantRoute, extras: CardExtras) {
  const { map, search, notes } = extras;
  const say = restaurantTexts(words);
  const sayMap = mapTexts(words);
  const lines = restaurants.map(({ name, distanceMeters: meters, way }) => {
    const distance = sayDistance(meters / 1_000, words);
    return way === null
      ? say("restaurant", { name, distance })
      : say("restaurantWithWay", { name, distance, minutes: way.minutes });
  });
  const isEmpty = lines.length === 0;
  return fitToChannel(
    {
      title: say("title", { place: place.label }),
      summary: isEmpty ? say("noneFound") : say("found", { count: lines.length }),
      lines: isEmpty ? [] : [say("start", { place: start.label }), ...lines],
      notes,
      picture: map === null ? undefined : { label: sayMap("map"), url: map.lightPngUrl },
      links: isEmpty
        ? [{ label: say("search"), url: search }]
        : restaurants.map(({ directions }, index) => ({
            label: `${sayMap("directions")} ${index + 2}`,
            url: directions.google,
          })),
    },
    "web",
  );
}
