import { z } from "zod";
import { distanceMeters } from "../../../domain/distance.ts";
import { ProviderProvenance, wordsOfOthers } from "../../../domain/schemas.ts";
import { LanguageCode, RegionCode } from "../codes.ts";
import { defineTool } from "../context.ts";
import { providerErrors, resolveText } from "../resolve-stop.ts";

const LIMIT = 5;
/** Candidates farther apart than this are different places. */
const SAME_PLACE_METERS = 50_000;

const Candidate = z.object({
  latitude: z.number(),
  longitude: z.number(),
  label: wordsOfOthers(),
  countryCode: z.string().nullable().describe("Null: no country, such as the open sea"),
  precision: z
    .enum(["point", "address", "landmark", "neighborhood", "airport", "city", "region"])
    .describe("The kind of match; city for an unknown street or neighborhood"),
  timeZone: z.string().nullable().describe("IANA name"),
  unknownPart: z
    .string()
    .nullable()
    .describe("The unknown part of the text; the place is the larger one that is known"),
});

export const geocodeTripStop = defineTool({
  name: "geocode_trip_stop",
  title: "Geocode a trip stop",
  summary: "Find the coordinates of a city, neighborhood, sight, airport or address, best match first.",
  area: "trip",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  uses: ["maps"],
  input: z.strictObject({
    address: z.string().describe("Any script, or coordinates; add the country where a name is common"),
    languageCode: LanguageCode.default("en"),
    regionCode: RegionCode.optional(),
  }),
  output: ProviderProvenance.extend({
    candidates: z.array(Candidate).readonly(),
    isAmbiguous: z.boolean().describe("Several places have this name: ask which one is meant"),
    contradictionMeters: z
      .number()
      .nullable()
      .describe("Distance between the coordinates in the text and the place that it names; both are then candidates"),
    nearMatches: z
      .array(wordsOfOthers())
      .readonly()
      .describe("Always empty here: the error location_not_found lists them"),
    note: z
      .string()
      .nullable()
      .describe("What to do: ask which place is meant, or do not treat the position as the address. Null: nothing"),
    isLanguageFallback: z.boolean().describe("The labels are not in the requested language"),
  }),
  errors: {
    ...providerErrors,
    location_not_found:
      "No place has this name; nearMatches lists similar ones. Give one of these, the name with its city and country, the city alone, or coordinates such as 48.8583, 2.2945.",
  },
  example: () => ({ address: "Eiffel Tower, Paris" }),

  async run({ address, languageCode, regionCode }, { maps, call, fail }) {
    const options = { limit: LIMIT, languageCode, regionCode: regionCode?.toUpperCase(), signal: call.signal };
    const { candidates, nearMatches, contradictionMeters, provenance } = await resolveText(maps, address, options);
    const [best] = candidates;
    if (best === undefined) throw fail("location_not_found", { extra: { nearMatches } });
    const others = candidates.filter((one) => distanceMeters(one, best) > SAME_PLACE_METERS);
    return {
      candidates: candidates.map(({ population: _, ...place }) => ({
        ...place,
        timeZone: maps.timeZonesAt(place)[0] ?? null,
      })),
      isAmbiguous: others.length > 0,
      contradictionMeters,
      nearMatches: [],
      note: sayWhatToDo(best, others),
      isLanguageFallback: provenance.sourceLevel === "embedded" && !/^en\b/i.test(languageCode),
      ...provenance,
    };
  },
});

type Known = Pick<z.output<typeof Candidate>, "label" | "unknownPart">;

function sayWhatToDo(best: Known, others: readonly Known[]): string | null {
  if (best.unknownPart !== null) {
    return `"${best.unknownPart}" is not known here: the position is the center of ${best.label}, not the address.`;
  }
  if (others.length === 0) return null;
  return `The first is the most important place of this name, ${best.label}; others are far from it. Ask which one is meant, or add its city and country.`;
}
