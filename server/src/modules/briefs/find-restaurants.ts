import { z } from "zod";
import { type Coordinates, distanceMeters } from "../../domain/distance.ts";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Place } from "../../ports/maps.ts";
import { priceLevels, type Restaurant } from "../../ports/nearby.ts";
import { sayTakenAs } from "../places/index.ts";
import type { Ports } from "./context.ts";
import { whyUnavailable } from "./why-unavailable.ts";

const WITHIN_METERS = 1_500;
const LONGEST_LOCATION = 300;
const LONGEST_CUISINE = 40;

const TextOfOthers = z.string().nullable().describe("Third-party text");

export const restaurantWishes = {
  location: z.string().describe("Place, address or city"),
  cuisine: z.string().optional().describe("One OpenStreetMap cuisine, such as pizza"),
  priceLevel: z.enum(priceLevels).optional(),
  partySize: z.int().min(1).max(20).optional(),
};
type Wishes = z.output<z.ZodObject<typeof restaurantWishes>>;

export const RestaurantAnswer = z.object({
  name: wordsOfOthers(),
  distanceMeters: z.int(),
  latitude: z.number(),
  longitude: z.number(),
  cuisines: z.array(wordsOfOthers()).readonly(),
  address: TextOfOthers,
  phone: TextOfOthers,
  website: TextOfOthers,
  openingHours: TextOfOthers.describe("As written in OpenStreetMap; third-party text"),
  wheelchair: z.enum(["yes", "limited", "no"]).nullable(),
  priceLevel: z.enum(priceLevels).nullable(),
  placeId: z.string().nullable().describe("Of Google Maps"),
});

/** Members of every answer about restaurants. */
export const restaurantsFound = {
  available: z.boolean(),
  reason: z.string().nullable().describe("Why there are none"),
  place: z.object({
    label: wordsOfOthers(),
    latitude: z.number(),
    longitude: z.number(),
    precision: z.string(),
    unknownPart: z
      .string()
      .nullable()
      .describe("The unknown part of the location; the restaurants are then those of the larger place"),
  }),
  otherPlaces: z.array(wordsOfOthers()).describe("Other meanings of the location"),
  placeNote: z.string().nullable().describe("What to ask about the place; null: the location is unambiguous"),
  notApplied: z.array(z.string()).describe("Which of your wishes no source here can check"),
  links: z
    .object({ google: z.string(), apple: z.string(), openStreetMap: z.string() })
    .describe("The same search there"),
};

export const LOCATION_NOT_FOUND =
  "The location is unknown; nearMatches lists similar names. Name a city or a sight." as const;

interface Asker {
  languageCode: string;
  signal: AbortSignal;
}

/** Best first; the caller tells what to do if there is none. */
export async function findLocation(location: string, { maps }: Pick<Ports, "maps">, { languageCode, signal }: Asker) {
  const { candidates, nearMatches } = await maps.findPlaces(toVisibleText(location, LONGEST_LOCATION), {
    limit: 4,
    languageCode,
    signal,
  });
  return { candidates, nearMatches };
}

/** Searches around the first place; the answer names the others. */
export async function findRestaurants(
  { location, cuisine = "", priceLevel, partySize }: Wishes,
  [place, others]: [place: Place, others: readonly Place[]],
  { nearby }: Pick<Ports, "nearby">,
  signal: AbortSignal,
) {
  const { latitude, longitude, label, precision, unknownPart } = place;
  const otherPlaces = others.map((other) => other.label);
  const kind = toQueryWord(cuisine);
  const wanted = { cuisine: kind === "" ? undefined : kind, priceLevel };
  const question = { latitude, longitude, withinMeters: WITHIN_METERS, ...wanted };
  const { answer, provenance } = await nearby.restaurantsNear(question, signal);
  return {
    found: answer?.restaurants ?? [],
    about: {
      available: answer !== undefined,
      reason: answer === undefined ? whyUnavailable("restaurants", provenance) : null,
      place: { label, latitude, longitude, precision, unknownPart },
      otherPlaces,
      placeNote: sayTakenAs(location.trim(), label, otherPlaces),
      notApplied: [
        ...(priceLevel === undefined || answer?.arePricesKnown === true ? [] : ["priceLevel: no prices are known"]),
        ...(partySize === undefined ? [] : ["partySize: free tables are not known; call the restaurant"]),
      ],
      links: buildMapLinks([toVisibleText(cuisine, LONGEST_CUISINE), "restaurant"].join(" ").trim(), place),
    },
    provenance,
  };
}

export function nearestFirst(restaurants: readonly Restaurant[], from: Coordinates, limit: number) {
  return restaurants
    .map((one) => ({ ...one, distanceMeters: Math.round(distanceMeters(from, one)) }))
    .sort((one, other) => one.distanceMeters - other.distanceMeters)
    .slice(0, limit);
}

/** Letters, digits and underscores only, as it becomes a part of a query. */
const toQueryWord = (cuisine: string): string =>
  toVisibleText(cuisine, LONGEST_CUISINE)
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_")
    .replaceAll(/[^\p{L}\p{N}_]/gu, "");

function buildMapLinks(
  what: string,
  { label, latitude, longitude }: { label: string; latitude: number; longitude: number },
) {
  const address = (base: string, query: Readonly<Record<string, string>>) => `${base}?${new URLSearchParams(query)}`;
  return {
    google: address("https://www.google.com/maps/search/", { api: "1", query: `${what} ${label}` }),
    apple: address("https://maps.apple.com/", { q: what, sll: `${latitude},${longitude}` }),
    openStreetMap: address("https://www.openstreetmap.org/search", { query: `${what} ${label}` }),
  };
}
