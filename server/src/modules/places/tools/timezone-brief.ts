import { z } from "zod";
import { Latitude, Longitude, ProviderProvenance } from "../../../domain/schemas.ts";
import type { Maps } from "../../../ports/maps.ts";
import { briefTimeZone, ClockChange, type TimeZoneBrief } from "../brief-time-zone.ts";
import { isLanguageCode, LanguageCode } from "../codes.ts";
import { defineTool } from "../context.ts";

type FoundZones = Awaited<ReturnType<Maps["findTimeZones"]>>;

/** The last moment that a JavaScript date can represent, in seconds. */
const LAST_SECOND = 8_640_000_000_000;

export const timezoneBrief = defineTool({
  name: "timezone_brief",
  title: "Time zone brief",
  summary: "Show the time zone at coordinates, its UTC offset at any moment, and upcoming clock changes.",
  area: "trip",
  effect: "read",
  price: 500n,
  payableWithoutKey: true,
  uses: ["maps", "clock"],
  input: z.strictObject({
    latitude: Latitude,
    longitude: Longitude,
    timestamp: z
      .number()
      .refine((seconds) => Number.isInteger(seconds) && Math.abs(seconds) <= LAST_SECOND, {
        message: `must be whole Unix seconds from -${LAST_SECOND} to ${LAST_SECOND}`,
      })
      .meta({ type: "integer" })
      .optional()
      .describe("Unix seconds; default now"),
    language: LanguageCode.optional(),
  }),
  output: ProviderProvenance.extend({
    timeZone: z.string().describe("IANA name"),
    timeZoneName: z.string().describe("Its common name"),
    otherTimeZones: z.array(z.string()).readonly().describe("Also used there, because of a border or a dispute"),
    countryCode: z.string().nullable().describe("Null: no country; the zone is then nautical"),
    utcOffsetMinutes: z.number(),
    isDst: z.boolean(),
    localTime: z.string(),
    nextTransition: ClockChange.nullable().describe("Null: no future clock change is known"),
    changesAhead: z.array(ClockChange).readonly(),
    offsetNote: z.string().nullable().describe("A provider says another offset: which to trust. Null: none does"),
    isLanguageFallback: z.boolean().describe("The name is in English because the language has none"),
  }),
  errors: {},
  example: () => ({ latitude: 38.7223, longitude: -9.1393, timestamp: 1_782_864_000 }),

  async run({ latitude, longitude, timestamp, language = "en" }, { maps, clock, call }) {
    const position = { latitude, longitude };
    const instant = timestamp === undefined ? clock.now() : Temporal.Instant.fromEpochMilliseconds(timestamp * 1_000);
    const found = await maps.findTimeZones({ ...position, at: instant }, call.signal);
    const [timeZone = "Etc/UTC", ...otherTimeZones] = found.timeZones;
    const brief = briefTimeZone(timeZone, instant);
    const isKnown = isLanguageCode(language) && Intl.DateTimeFormat.supportedLocalesOf(language).length > 0;
    const names = new Intl.DateTimeFormat(isKnown ? language : "en", { timeZone, timeZoneName: "long" });
    const parts = names.formatToParts(instant.epochMilliseconds);
    return {
      ...brief,
      timeZoneName: parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone,
      otherTimeZones,
      countryCode: maps.countryCodeAt(position) ?? null,
      offsetNote: compareOffsets(brief, found),
      isLanguageFallback: !isKnown,
      ...found.provenance,
    };
  },
});

/** The provider may know of a change that the rules of this service's runtime do not have yet. */
function compareOffsets(brief: TimeZoneBrief, { utcOffsetMinutes: said, provenance }: FoundZones): string | null {
  if (said === undefined || said === brief.utcOffsetMinutes) return null;
  return `${provenance.source} says that the offset at this moment is ${said} minutes, not ${brief.utcOffsetMinutes}. The rules of this zone were probably changed lately: trust ${provenance.source}, and ask the operator to update this service.`;
}
