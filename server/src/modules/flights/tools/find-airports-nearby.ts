import { z } from "zod";
import { Latitude, Longitude, ProviderProvenance, wordsOfOthers } from "../../../domain/schemas.ts";
import { SupplierResult } from "../../../domain/travel/offer-schema.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { readCoordinates } from "../../places/index.ts";
import { defineTool } from "../context.ts";
import { findNearbyAirports } from "../searching/nearby-airports.ts";

export const findAirportsNearby = defineTool({
  name: "find_airports_nearby",
  title: "Find airports nearby",
  summary: "List airports near a named place or near coordinates, nearest first.",
  advice: "search_flights takes its IATA codes.",
  area: "flights",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  uses: ["flights", "maps"],
  input: z
    .strictObject({
      query: z.string().optional().describe("City, airport or IATA code. Give query, or both latitude and longitude"),
      latitude: Latitude.optional(),
      longitude: Longitude.optional(),
      radiusMeters: z.number().int().min(1_000).max(500_000).default(100_000),
      maxResults: z.number().int().min(1).max(20).default(8),
    })
    .superRefine((query, context) => {
      const issue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
      if (query.query?.trim() === "") issue("query", "must not be empty");
      if (query.latitude !== undefined && query.longitude === undefined)
        issue("longitude", "is required with latitude");
      if (query.longitude !== undefined && query.latitude === undefined)
        issue("latitude", "is required with longitude");
      if (query.query === undefined && query.latitude === undefined && query.longitude === undefined) {
        issue("query", "give query, or both latitude and longitude");
      }
    }),
  output: SupplierResult.extend({
    asOf: z.string().nullable().describe("Date of the airport data; null: the supplier does not say"),
    center: z
      .object({ latitude: z.number(), longitude: z.number() })
      .nullable()
      .describe("Where distances are measured from; null: the text names airports but no known place"),
    place: wordsOfOthers("The place that the text was taken to mean").nullable(),
    placeProvenance: ProviderProvenance.nullable().describe(
      "Source and date of the place; the other fields are about the airports",
    ),
    airports: z
      .array(
        z.object({
          iataCode: z.string(),
          name: wordsOfOthers(),
          cityName: z.string().nullable(),
          countryCode: z.string(),
          latitude: z.number(),
          longitude: z.number(),
          timeZone: z.string().nullable(),
          distanceMeters: z.number().nullable(),
        }),
      )
      .readonly(),
  }),
  errors: {
    ...supplierErrors,
    location_not_found:
      "No airport or place has this name; nearMatches lists similar ones. Give a district together with its city; coordinates always work.",
  },
  example: () => ({ query: "London" }),

  async run(query, { flights, maps, call, fail }) {
    const { position } = readCoordinates(query.query ?? "");
    // Coordinates in the text give the position; the rest of the text is its name.
    const text = position === undefined ? query.query?.trim() : undefined;
    const wanted = { ...position, ...query, query: text };
    const found = await findNearbyAirports({ flights, maps }, wanted, { signal: call.signal });
    if (text !== undefined && found.place === undefined && found.airports.length === 0) {
      throw fail("location_not_found", { extra: { nearMatches: found.nearMatches } });
    }
    const { center } = found;
    return {
      center: center === undefined ? null : { latitude: center.latitude, longitude: center.longitude },
      place: found.place?.label ?? null,
      placeProvenance: found.placeProvenance ?? null,
      airports: found.airports,
      ...flights.provenance(),
      asOf: found.airportsAsOf ?? null,
      sandbox: flights.sandbox,
    };
  },
});
