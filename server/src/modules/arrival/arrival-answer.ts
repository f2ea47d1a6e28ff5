import { z } from "zod";
import { ProviderProvenance, wordsOfOthers } from "../../domain/schemas.ts";
import { LanguageAnswer } from "../../domain/texts.ts";
import { ChannelText, DeepLinks, MapAnswer } from "../maps/index.ts";
import { providerErrors } from "../places/index.ts";
import { WayMode } from "./arrival-input.ts";

const Band = z.object({ earliest: z.string(), likely: z.string(), latest: z.string() });

/** Members of every answer about an arrival. */
export const ArrivalAnswer = ProviderProvenance.extend({
  airport: z.object({
    label: wordsOfOthers(),
    iataCode: z.string().nullable(),
    latitude: z.number(),
    longitude: z.number(),
    timeZone: z.string(),
    note: z.string().nullable(),
  }),
  destination: z.object({
    label: wordsOfOthers(),
    takenAs: wordsOfOthers(),
    latitude: z.number(),
    longitude: z.number(),
    precision: z.enum(["point", "address", "landmark", "neighborhood", "airport", "city", "region"]),
    unknownPart: z
      .string()
      .nullable()
      .describe("The unknown part of the address; the place is the larger one that is known"),
    otherCandidates: z
      .array(wordsOfOthers())
      .readonly()
      .describe("Other places of this name near the airport: ask which one is meant"),
  }),
  way: z
    .object({
      mode: WayMode,
      isEstimate: z.boolean().describe("true: estimated from the distance alone; false: by road, without traffic"),
      source: z.string().describe("The routing source; distance: none"),
      straightKilometers: z.number(),
      roadKilometers: z.number(),
      minutes: z.object({ fewest: z.int(), likely: z.int(), most: z.int() }),
    })
    .nullable(),
  wayNote: z.string().nullable().describe("Why there is no route"),
  modeNote: z.string().nullable().describe("Why the route does not use the requested mode; null: it does"),
  schedule: z
    .object({
      landsAt: z.string().describe("UTC"),
      landsAtLocal: z.string().describe("Airport local time, like all times here"),
      timeZone: z.string(),
      outsideAirportLocal: Band.describe("Includes the usual time for border control and bags"),
      atDestinationLocal: Band.nullable(),
      atDestination: Band.nullable().describe("In UTC, for people who wait in another time zone"),
      atDestinationWhereTheyLeft: Band.extend({ airport: z.string(), timeZone: z.string() })
        .nullable()
        .describe("By the clock of the airport that they left by your own booking, for people who wait there"),
      isNight: z.boolean(),
    })
    .nullable()
    .describe("Null without arrivalTimeIso"),
  links: DeepLinks,
  map: MapAnswer.nullable(),
  mapNote: z.string().nullable().describe("Why there is no map; everything else is valid"),
  card: ChannelText.describe("The complete text for the traveler, in the requested language"),
  notes: z.array(z.string()),
  language: LanguageAnswer,
});

/** Failures of every tool for arrivals. */
export const arrivalErrors = {
  airport_not_found:
    "The airport is unknown, or the city has several: airportsMeant and nearMatches list them. Give an IATA code, or airportLatitude and airportLongitude.",
  destination_not_found:
    "The destination is unknown, or every place of that name is over 300 km from the airport: nearMatches lists similar names, and tooFar lists the nearest of those places. Give a neighborhood, a sight, the city, or coordinates such as 38.71,-9.14.",
  ...providerErrors,
} as const;
