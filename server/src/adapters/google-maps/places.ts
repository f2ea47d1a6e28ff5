import { z } from "zod";
import { distanceMeters } from "../../domain/distance.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import { jsonParser } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { Position } from "../../ports/maps.ts";
import type { HelpPlace, PriceLevel, RestaurantQuestion, RestaurantsFound } from "../../ports/nearby.ts";
import { aboutGoogle, askGoogle, type GoogleApi } from "./google-source.ts";

const LONGEST_TEXT = 200;
const HELP_METERS = 5_000;
const DIPLOMATIC_METERS = 20_000;
const MOST_FOUND = 20;

const Found = z.object({
  id: z.string(),
  displayName: z.object({ text: z.string() }).default({ text: "" }),
  formattedAddress: z.string().optional(),
  location: z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }),
  types: z.array(z.string()).default([]),
  priceLevel: z.string().optional(),
  internationalPhoneNumber: z.string().optional(),
  websiteUri: z.string().optional(),
  accessibilityOptions: z.object({ wheelchairAccessibleEntrance: z.boolean().optional() }).optional(),
});
type Found = z.output<typeof Found>;

const parse = jsonParser(z.object({ places: z.array(Found).default([]) }));

const FIELD_MASK = [
  ...["id", "displayName", "formattedAddress", "location", "types", "priceLevel"],
  ...["internationalPhoneNumber", "websiteUri", "accessibilityOptions"],
]
  .map((field) => `places.${field}`)
  .join(",");

const PRICE_LEVELS: Readonly<Record<PriceLevel, string>> = {
  inexpensive: "PRICE_LEVEL_INEXPENSIVE",
  moderate: "PRICE_LEVEL_MODERATE",
  expensive: "PRICE_LEVEL_EXPENSIVE",
  very_expensive: "PRICE_LEVEL_VERY_EXPENSIVE",
};
/** Restaurants near a point by cuisine and price, from the Places API. */
export function createGoogleRestaurants(api: GoogleApi): Provider<RestaurantQuestion, RestaurantsFound> {
  return {
    ...aboutGoogle,
    async ask({ latitude, longitude, withinMeters, cuisine, priceLevel }, signal) {
      const center = { latitude, longitude };
      const json = {
        textQuery: `${cuisine === undefined ? "" : `${cuisine.replaceAll("_", " ")} `}restaurant`,
        includedType: "restaurant",
        pageSize: MOST_FOUND,
        locationBias: { circle: { center, radius: withinMeters } },
        ...(priceLevel === undefined ? {} : { priceLevels: [PRICE_LEVELS[priceLevel]] }),
      };
      const { answer, asOf } = await askGoogle(api, {
        path: "/v1/places:searchText",
        json,
        fieldMask: FIELD_MASK,
        parse,
        signal,
      });
      const near = answer.places.filter(({ location }) => distanceMeters(location, center) <= withinMeters);
      const restaurants = near.map((found) => ({
        ...toPlace(found),
        cuisines: listCuisines(found.types),
        wheelchair: sayWheelchair(found),
        priceLevel: toPriceLevel(found.priceLevel),
        placeId: found.id,
      }));
      return { answer: { restaurants, arePricesKnown: true }, asOf };
    },
  };
}

const HELP_KINDS: readonly (readonly [HelpPlace["kind"], string])[] = [
  ["hospital", "hospital"],
  ["pharmacy", "pharmacy"],
  ["police", "police"],
  ["diplomatic", "embassy"],
];

/** Hospitals, pharmacies, police and embassies near a point, from the Places API. */
export function createGoogleHelp(api: GoogleApi): Provider<Position, readonly HelpPlace[]> {
  const search = (center: Position, radius: number, includedTypes: readonly string[], signal?: AbortSignal) =>
    askGoogle(api, {
      path: "/v1/places:searchNearby",
      json: {
        includedTypes,
        maxResultCount: MOST_FOUND,
        rankPreference: "DISTANCE",
        locationRestriction: { circle: { center, radius } },
      },
      fieldMask: FIELD_MASK,
      parse,
      signal,
    });
  return {
    ...aboutGoogle,
    async ask({ latitude, longitude }, signal) {
      const center = { latitude, longitude };
      const [near, offices] = await Promise.all([
        search(center, HELP_METERS, ["hospital", "pharmacy", "police"], signal),
        search(center, DIPLOMATIC_METERS, ["embassy"], signal),
      ]);
      const answer = [...near.answer.places, ...offices.answer.places].flatMap((found) => {
        const [kind] = HELP_KINDS.find(([, type]) => found.types.includes(type)) ?? [];
        return kind === undefined ? [] : [{ ...toPlace(found), kind }];
      });
      return { answer, asOf: near.asOf };
    },
  };
}

function toPlace({ displayName, formattedAddress, location, internationalPhoneNumber, websiteUri }: Found) {
  const shown = (text: string | undefined) => (text === undefined ? null : toVisibleText(text, LONGEST_TEXT));
  return {
    ...location,
    name: toVisibleText(displayName.text, LONGEST_TEXT),
    address: shown(formattedAddress),
    phone: shown(internationalPhoneNumber),
    website: websiteUri !== undefined && /^https?:\/\//.test(websiteUri) ? shown(websiteUri) : null,
    openingHours: null,
  };
}

/** "italian_restaurant" is a kind of restaurant, "restaurant" is none. */
function listCuisines(types: readonly string[]): string[] {
  return types.flatMap((type) => {
    const [, cuisine] = /^(.+)_restaurant$/.exec(type) ?? [];
    return cuisine === undefined ? [] : [cuisine.replaceAll("_", " ")];
  });
}

function sayWheelchair({ accessibilityOptions }: Found): "yes" | "no" | null {
  const isAccessible = accessibilityOptions?.wheelchairAccessibleEntrance;
  if (isAccessible === undefined) return null;
  return isAccessible ? "yes" : "no";
}

const LEVELS: readonly PriceLevel[] = ["inexpensive", "moderate", "expensive", "very_expensive"];

const toPriceLevel = (name: string | undefined): PriceLevel | null =>
  LEVELS.find((level) => PRICE_LEVELS[level] === name) ?? null;
