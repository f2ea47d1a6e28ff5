import { z } from "zod";
import { distanceMeters } from "../../../domain/distance.ts";
import { Latitude, Longitude, ProviderProvenance, wordsOfOthers } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { defineTool } from "../../../kernel/tool.ts";
import { helpKinds } from "../../../ports/nearby.ts";
import { RegionCode } from "../../places/index.ts";
import { EMERGENCY_NUMBERS_DATE, emergencyNumbersOf } from "../emergency-numbers.ts";
import { adviseFor, needs } from "../safety-texts.ts";
import { whyUnavailable } from "../why-unavailable.ts";

const LONGEST_NOTES = 500;
const MOST_PLACES = 12;

const TextOfOthers = z.string().nullable().describe("A text of others");

export const travelSafetyAid = defineTool({
  name: "travel_safety_aid",
  title: "Safety aid",
  summary:
    "Emergency numbers at coordinates, notes for the traveler's needs, and the nearest help where a source is configured.",
  area: "trip",
  effect: "read",
  price: 3_000n,
  payableWithoutKey: true,
  uses: ["nearby", "maps"],
  input: z.strictObject({
    latitude: Latitude,
    longitude: Longitude,
    addressLines: z.array(z.string()).optional().describe("Given back, not looked up"),
    regionCode: RegionCode.optional(),
    travelerNotes: z.string().optional().describe("Needs, such as an allergy or a wheelchair"),
    languageCode: z.string().default("en"),
  }),
  output: z.object({
    countryCode: z.string().nullable().describe("By the coordinates; null: of no country, such as the open sea"),
    emergency: z.object({
      numbers: z.array(z.string()).describe("Every known emergency number there; empty: none is known"),
      ...{ police: z.string().nullable(), ambulance: z.string().nullable(), fire: z.string().nullable() },
      source: z.string(),
      asOf: z.string(),
      servicesAreRecalled: z
        .boolean()
        .describe("Which service answers was written from memory; check it before the trip"),
    }),
    mobileNote: z.string(),
    advice: z.array(z.string()).describe("For the traveler"),
    recognizedNeeds: z.array(z.enum(needs)).describe("Found in travelerNotes by words; look yourself for others"),
    nearestHelp: ProviderProvenance.extend({
      available: z.boolean(),
      reason: z.string().nullable(),
      places: z.array(
        z.object({
          ...{ kind: z.enum(helpKinds), name: TextOfOthers, distanceMeters: z.int() },
          ...{ latitude: z.number(), longitude: z.number() },
          ...{ address: TextOfOthers, phone: TextOfOthers, website: TextOfOthers, openingHours: TextOfOthers },
        }),
      ),
    }),
    card: z
      .object({ address: z.array(wordsOfOthers()), travelerNotes: wordsOfOthers() })
      .describe("Yours, as they can be shown"),
    notes: z.array(z.string()),
    language: LanguageAnswer,
    ...ProviderProvenance.shape,
  }),
  errors: {},
  example: () => ({ latitude: 35.6812, longitude: 139.7671, travelerNotes: "Peanut allergy", languageCode: "en" }),

  async run({ regionCode, travelerNotes = "", addressLines = [], languageCode, ...position }, { nearby, maps, call }) {
    const countryCode = maps.countryCodeAt(position) ?? null;
    const row = emergencyNumbersOf(countryCode ?? "");
    const { answer: help, provenance } = await nearby.helpNear(position, call.signal);
    const words = wordsIn(languageCode);
    const shownNotes = toVisibleText(travelerNotes, LONGEST_NOTES);
    const isElsewhere = regionCode !== undefined && regionCode.toUpperCase() !== countryCode;
    return {
      countryCode,
      emergency: {
        ...{ numbers: row?.numbers ?? [], police: row?.police ?? null },
        ...{ ambulance: row?.ambulance ?? null, fire: row?.fire ?? null },
        source: row?.source ?? "none",
        asOf: EMERGENCY_NUMBERS_DATE,
        servicesAreRecalled: true,
      },
      mobileNote: "Mobile phones also reach help by 112 in most networks that keep to the GSM standard.",
      ...adviseFor(shownNotes, words),
      nearestHelp: {
        available: help !== undefined,
        reason:
          help === undefined ? whyUnavailable("nearby hospitals, pharmacies, police and embassies", provenance) : null,
        places: (help ?? [])
          .map((place) => ({
            ...place,
            name: place.name || null,
            distanceMeters: Math.round(distanceMeters(position, place)),
          }))
          .sort((one, other) => one.distanceMeters - other.distanceMeters)
          .slice(0, MOST_PLACES),
        ...provenance,
      },
      card: { address: addressLines.map((line) => toVisibleText(line, 200)), travelerNotes: shownNotes },
      notes: isElsewhere
        ? [
            `The coordinates lie in ${countryCode ?? "no country"}, not in ${regionCode}: the numbers are those of the coordinates.`,
          ]
        : [],
      language: words.answer,
      ...maps.ownProvenance,
    };
  },
});
