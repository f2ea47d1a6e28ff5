import { z } from "zod";
import { Latitude, Longitude, ProviderProvenance } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { ChannelText, DeepLinks, MapAnswer, mapAttribution, travelModes } from "../../maps/index.ts";
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
import { drawRestaurants, findStart, restaurantCard, StartAnswer, waysTo } from "../restaurant-route.ts";

const LONGEST_OCCASION = 200;

export const restaurantRouteCard = defineTool({
  name: "restaurant_route_card",
  title: "Show ways to restaurants",
  summary: "List restaurants near a place with the route to each, a map and a text to send. Ratings are not known.",
  area: "trip",
  effect: "read",
  price: 3_000n,
  payableWithoutKey: true,
  uses: ["nearby", "maps", "ways", "mapTiles", "mapRenderer", "fileShelf", "clock"],
  input: z
    .strictObject({
      ...restaurantWishes,
      limit: z.int().min(1).max(5).default(3),
      languageCode: z.string().default("en"),
      fromLabel: z.string().optional().describe("Only shown"),
      fromAddress: z.string().optional().describe("Where the traveler starts; default: the location"),
      fromLatitude: Latitude.optional(),
      fromLongitude: Longitude.optional(),
      mode: z.enum(travelModes).default("walking"),
      occasion: z.string().optional().describe("Added to the text"),
    })
    .superRefine(({ fromLatitude, fromLongitude }, context) => {
      if ((fromLatitude === undefined) === (fromLongitude === undefined)) return;
      const missing = fromLatitude === undefined ? "fromLatitude" : "fromLongitude";
      context.addIssue({ code: "custom", path: [missing], message: "give both fromLatitude and fromLongitude" });
    }),
  output: ProviderProvenance.extend({
    ...restaurantsFound,
    start: StartAnswer,
    restaurants: z
      .array(
        RestaurantAnswer.extend({
          number: z.int().describe("On the map and in the text; 1 is the start"),
          way: z
            .object({
              isEstimate: z
                .boolean()
                .describe("true: estimated from the distance alone; false: by road, without traffic"),
              source: z.string().describe("The routing source; distance: none"),
              roadKilometers: z.number(),
              minutes: z.int(),
            })
            .nullable()
            .describe("By the requested mode; null: over 300 km"),
          directions: DeepLinks,
        }),
      )
      .describe("Nearest to the start first"),
    map: MapAnswer.nullable(),
    mapNote: z.string().nullable().describe("Why there is no map; everything else is valid"),
    card: ChannelText.describe("The complete text for the traveler, in the requested language"),
    notes: z.array(z.string()),
    language: LanguageAnswer,
  }),
  errors: {
    location_not_found: LOCATION_NOT_FOUND,
    start_not_found:
      "The fromAddress is unknown; nearMatches lists similar names. Use one of those, or fromLatitude and fromLongitude.",
  },
  example: () => ({ location: "Lisbon, Portugal", cuisine: "seafood", fromAddress: "Rossio, Lisbon" }),

  async run(
    { location, limit, languageCode, mode, occasion = "", ...input },
    { call: { signal }, caller, fail, ...ports },
  ) {
    const asker = { languageCode, signal };
    const { candidates, nearMatches } = await findLocation(location, ports, asker);
    const [place, ...others] = candidates;
    if (place === undefined) throw fail("location_not_found", { extra: { nearMatches } });
    const { start, drawn, nearMatches: nearStarts } = await findStart(input, place, ports, asker);
    if (start === undefined) throw fail("start_not_found", { extra: { nearMatches: nearStarts } });
    const { found, about, provenance } = await findRestaurants({ location, ...input }, [place, others], ports, signal);
    const nearest = nearestFirst(found, start, limit);
    const { restaurants, waysKnown } = await waysTo(nearest, { ...start, ...drawn }, mode, ports, signal);
    const words = wordsIn(languageCode);
    const route = { tenantId: caller.tenantId, place, start, restaurants, words };
    const { map, mapNote } = await drawRestaurants({ ...route, start: { ...start, ...drawn } }, ports, signal);
    return {
      ...about,
      start,
      restaurants,
      map,
      mapNote,
      card: restaurantCard(route, {
        map,
        search: about.links.google,
        notes: toVisibleText(occasion, LONGEST_OCCASION),
      }),
      notes: [...(start.note === null ? [] : [start.note]), ...waysKnown.notes],
      language: words.answer,
      ...provenance,
      attribution: [...new Set([...provenance.attribution, ...waysKnown.attribution, ...mapAttribution(map)])],
    };
  },
});
