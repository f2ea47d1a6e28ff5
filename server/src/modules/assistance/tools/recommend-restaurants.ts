import { z } from "zod";
import { distanceMeters } from "../../../domain/distance.ts";
import { ProviderProvenance } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { defineTool } from "../../../kernel/tool.ts";
import { whyUnavailable } from "../why-unavailable.ts";

const WITHIN_METERS = 1_500;
const LONGEST_LOCATION = 300;
const LONGEST_CUISINE = 40;

const TextOfOthers = z.string().nullable().describe("A text of others");

export const recommendRestaurants = defineTool({
  name: "recommend_restaurants",
  title: "Find restaurants",
  summary:
    "Restaurants near a place, nearest first, where a source is configured; else links to look there. No ratings are known.",
  area: "trip",
  effect: "read",
  price: 1_000n,
  payableWithoutKey: true,
  uses: ["nearby", "maps"],
  input: z.strictObject({
    location: z.string().describe("Place, address or city"),
    cuisine: z.string().optional().describe("One word of OpenStreetMap, such as pizza"),
    priceLevel: z.enum(["inexpensive", "moderate", "expensive", "very_expensive"]).optional(),
    partySize: z.int().min(1).max(20).optional(),
    limit: z.int().min(1).max(10).default(6),
    languageCode: z.string().default("en"),
  }),
  output: ProviderProvenance.extend({
    available: z.boolean(),
    reason: z.string().nullable().describe("Why there are none"),
    place: z.object({ label: z.string(), latitude: z.number(), longitude: z.number(), precision: z.string() }),
    otherPlaces: z.array(z.string()).describe("What the location could also mean"),
    restaurants: z.array(
      z.object({
        ...{ name: z.string().describe("A text of others"), distanceMeters: z.int() },
        ...{ latitude: z.number(), longitude: z.number(), cuisines: z.array(z.string()).readonly() },
        ...{ address: TextOfOthers, phone: TextOfOthers, website: TextOfOthers },
        openingHours: TextOfOthers.describe("As OpenStreetMap writes them; a text of others"),
        wheelchair: z.enum(["yes", "limited", "no"]).nullable(),
      }),
    ),
    notApplied: z.array(z.string()).describe("What of your wishes no source here knows"),
    links: z
      .object({ google: z.string(), apple: z.string(), openStreetMap: z.string() })
      .describe("The same search there"),
    language: LanguageAnswer,
  }),
  errors: { location_not_found: "The location is not known; nearMatches has near names. Name a city or a sight." },
  example: () => ({ location: "Lisbon, Portugal", cuisine: "seafood", limit: 3 }),

  async run({ location, cuisine = "", priceLevel, partySize, limit, languageCode }, { nearby, maps, call, fail }) {
    const text = toVisibleText(location, LONGEST_LOCATION);
    const found = await maps.findPlaces(text, { limit: 4, languageCode, signal: call.signal });
    const [place, ...others] = found.candidates;
    if (place === undefined) throw fail("location_not_found", { extra: { nearMatches: found.nearMatches } });
    const { latitude, longitude, label, precision } = place;
    const kind = wordOf(cuisine);
    const question = { latitude, longitude, withinMeters: WITHIN_METERS, cuisine: kind === "" ? undefined : kind };
    const { answer, provenance } = await nearby.restaurantsNear(question, call.signal);
    return {
      available: answer !== undefined,
      reason: answer === undefined ? whyUnavailable("restaurants", provenance) : null,
      place: { label, latitude, longitude, precision },
      otherPlaces: others.map((other) => other.label),
      restaurants: (answer ?? [])
        .map((one) => ({ ...one, distanceMeters: Math.round(distanceMeters(place, one)) }))
        .sort((one, other) => one.distanceMeters - other.distanceMeters)
        .slice(0, limit),
      notApplied: [
        ...(priceLevel === undefined ? [] : ["priceLevel: no prices are known"]),
        ...(partySize === undefined ? [] : ["partySize: free tables are not known; call the restaurant"]),
      ],
      links: linksOf([toVisibleText(cuisine, LONGEST_CUISINE), "restaurant"].join(" ").trim(), place),
      language: wordsIn(languageCode).answer,
      ...provenance,
    };
  },
});

/** Letters, digits and underscores only: it becomes a part of a query. */
const wordOf = (cuisine: string): string =>
  toVisibleText(cuisine, LONGEST_CUISINE)
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_")
    .replaceAll(/[^\p{L}\p{N}_]/gu, "");

function linksOf(what: string, { label, latitude, longitude }: { label: string; latitude: number; longitude: number }) {
  const address = (base: string, query: Readonly<Record<string, string>>) => `${base}?${new URLSearchParams(query)}`;
  return {
    google: address("https://www.google.com/maps/search/", { api: "1", query: `${what} ${label}` }),
    apple: address("https://maps.apple.com/", { q: what, sll: `${latitude},${longitude}` }),
    openStreetMap: address("https://www.openstreetmap.org/search", { query: `${what} ${label}` }),
  };
}
