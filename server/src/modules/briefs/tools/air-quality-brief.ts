import { z } from "zod";
import { Latitude, Longitude, ProviderProvenance } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { pollutants } from "../../../ports/conditions.ts";
import { airTexts } from "../air-texts.ts";
import { defineTool } from "../context.ts";
import { whyUnavailable } from "../why-unavailable.ts";

/** The upper bound of each category of the United States Environmental Protection Agency's index. */
const CATEGORIES = [
  { upTo: 50, category: "good" },
  { upTo: 100, category: "moderate" },
  { upTo: 150, category: "unhealthy_for_sensitive_groups" },
  { upTo: 200, category: "unhealthy" },
  { upTo: 300, category: "very_unhealthy" },
  { upTo: Number.POSITIVE_INFINITY, category: "hazardous" },
] as const;

/** Written from memory, not checked against that guide. */
const GUIDANCE_SOURCE = {
  title: "AirNow, Air Quality Guide for Particle Pollution and Ozone",
  url: "https://www.airnow.gov/aqi/aqi-basics/",
  asOf: "2024-05-06",
  isRecalled: true,
};

export const airQualityBrief = defineTool({
  name: "air_quality_brief",
  listedAfter: "trip_weather_brief",
  title: "Air quality brief",
  summary:
    "Show air quality at coordinates and what to do about it, if a source is configured; otherwise general guidance.",
  area: "trip",
  effect: "read",
  price: 1_000n,
  payableWithoutKey: true,
  uses: ["conditions"],
  input: z.strictObject({ latitude: Latitude, longitude: Longitude, languageCode: z.string().default("en") }),
  output: ProviderProvenance.extend({
    available: z.boolean(),
    reason: z.string().nullable().describe("Why there are no values"),
    localTime: z.string().nullable().describe("Time of the values, in local time"),
    usAqi: z.number().nullable().describe("United States' index, 0 to 500"),
    europeanAqi: z.number().nullable().describe("European index, 0 to over 100"),
    category: z
      .enum(["good", "moderate", "unhealthy_for_sensitive_groups", "unhealthy", "very_unhealthy", "hazardous"])
      .nullable()
      .describe("US AQI"),
    pollutants: z.array(z.object({ name: z.enum(pollutants), microgramsPerCubicMeter: z.number().nullable() })),
    guidance: z.array(z.string()).describe("For the traveler"),
    guidanceSource: z.object({ title: z.string(), url: z.string(), asOf: z.string(), isRecalled: z.boolean() }),
    language: LanguageAnswer,
  }),
  errors: {},
  example: () => ({ latitude: 28.6139, longitude: 77.209, languageCode: "en" }),

  async run({ latitude, longitude, languageCode }, { conditions, call }) {
    const { answer: air, provenance } = await conditions.airAt({ latitude, longitude }, call.signal);
    const usAqi = air?.usAqi ?? null;
    const category = CATEGORIES.find(({ upTo }) => usAqi !== null && usAqi <= upTo)?.category ?? null;
    const words = wordsIn(languageCode);
    const say = airTexts(words);
    return {
      available: air !== undefined,
      reason: air === undefined ? whyUnavailable("air quality", provenance) : null,
      localTime: air?.localTime ?? null,
      usAqi,
      europeanAqi: air?.europeanAqi ?? null,
      category,
      pollutants:
        air === undefined
          ? []
          : pollutants.map((name) => ({ name, microgramsPerCubicMeter: air.microgramsPerCubicMeter[name] })),
      guidance: category === null ? [say("notKnown"), say("general")] : [say(category)],
      guidanceSource: GUIDANCE_SOURCE,
      language: words.answer,
      ...provenance,
    };
  },
});
