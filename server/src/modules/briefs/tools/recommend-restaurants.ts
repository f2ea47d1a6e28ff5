import { z } from "zod";
import { ProviderProvenance } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { defineTool } from "../context.ts";
import {
  findLocation,
  findRestaurants,
  LOCATION_NOT_FOUND,
  nearestFirst,
  RestaurantAnswer,
  restaurantsFound,
  restaurantWishes,
} from "../find-restaurants.ts";

export const recommendRestaurants = defineTool({
  name: "recommend_restaurants",
  title: "Find restaurants",
  summary:
    "List restaurants near a place, nearest first, if a source is configured; otherwise search links. Ratings are not known.",
  area: "trip",
  effect: "read",
  price: 1_000n,
  payableWithoutKey: true,
  uses: ["nearby", "maps"],
  input: z.strictObject({
    ...restaurantWishes,
    limit: z.int().min(1).max(10).default(6),
    languageCode: z.string().default("en"),
  }),
  output: ProviderProvenance.extend({
    ...restaurantsFound,
    restaurants: z.array(RestaurantAnswer),
    language: LanguageAnswer,
  }),
  errors: { location_not_found: LOCATION_NOT_FOUND },
  example: () => ({ location: "Lisbon, Portugal", cuisine: "seafood", limit: 3 }),

  async run({ location, limit, languageCode, ...wishes }, { call: { signal }, fail, ...ports }) {
    const { candidates, nearMatches } = await findLocation(location, ports, { languageCode, signal });
    const [place, ...others] = candidates;
    if (place === undefined) throw fail("location_not_found", { extra: { nearMatches } });
    const { found, about, provenance } = await findRestaurants({ location, ...wishes }, [place, others], ports, signal);
    const restaurants = nearestFirst(found, place, limit);
    return { ...about, restaurants, language: wordsIn(languageCode).answer, ...provenance };
  },
});
