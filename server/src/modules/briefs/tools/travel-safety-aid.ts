import { z } from "zod";
import { distanceMeters } from "../../../domain/distance.ts";
import { Latitude, Longitude, ProviderProvenance, wordsOfOthers } from "../../../domain/schemas.ts";
import { LanguageAnswer, wordsIn } from "../../../domain/texts.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import type { Elevation } from "../../../ports/elevation.ts";
import { helpKinds } from "../../../ports/nearby.ts";
import {
  allNumbers,
  EMERGENCY_NUMBERS_ATTRIBUTION,
  EMERGENCY_NUMBERS_DATE,
  type EmergencyNumbers,
  findEmergencyNumbers,
  listOther,
  numbersBy,
  RegionCode,
  sayDisagreement,
  sayMobile,
  sayWhatToDo,
} from "../../places/index.ts";
import { defineTool } from "../context.ts";
import { adviseFor, needs } from "../safety-texts.ts";
import { adviseAtOnce, tellsOfSymptoms, tellsOfTheft } from "../urgent-texts.ts";
import { whyUnavailable } from "../why-unavailable.ts";

const LONGEST_NOTES = 500;
const MOST_PLACES = 12;

const TextOfOthers = z.string().nullable().describe("Third-party text");

const PhoneNumber = z.string().regex(/^\d{2,9}$/);
const NumberList = z.array(PhoneNumber).describe("Call the first; the others are alternatives");
const Emergency = z.object({
  countryCode: z.string().nullable().describe("The territory that these numbers are for (ISO 3166-1 alpha-2)"),
  numbers: z.array(PhoneNumber).describe("Every known emergency number there; empty: none is known"),
  police: PhoneNumber.nullable(),
  ambulance: PhoneNumber.nullable(),
  fire: PhoneNumber.nullable(),
  services: z.object({ police: NumberList, ambulance: NumberList, fire: NumberList, touristPolice: NumberList }),
  general: z.array(PhoneNumber).describe("For every service"),
  other: z.array(z.string()).describe("Other numbers with their purpose, mostly from one source"),
  agreement: z
    .enum(["both", "partial", "single", "none"])
    .describe("Whether two sources agree, they disagree in part, there is only one, or none names a number"),
  whatToDo: z.string().describe("Whom to call, and how reliable the numbers are"),
  note: z.string().nullable().describe("The sources' disagreement"),
  source: z.string().describe("The sources, or none"),
  asOf: z.string().describe("Date of the newest source"),
  servicesAreRecalled: z.boolean().describe("False: every service's number is from a source"),
});

/** The question of entry rules, in the languages of the brief's texts. */
const ENTRY_WORDS =
  /\b(?:visas?|visum|e-?visa|esta|etias|immigration|passports?|reisepass|einreise\w*|passeports?|pasaportes?|passaportes?|entry (?:rules?|requirements?|permits?|conditions?))\b|ビザ|査証|入国|パスポート|旅券/iu;
const asksForEntry = (notes: string): boolean => ENTRY_WORDS.test(notes);
const NO_ENTRY_RULES =
  "This brief does not answer questions about entry rules, visas or passports. check_travel_eligibility does.";

const NOT_RECOGNIZED =
  "notRecognized lists what travelerNotes says besides: there is no advice for it here, such as for a medicine by name. Check it yourself.";

export const travelSafetyAid = defineTool({
  name: "travel_safety_aid",
  title: "Safety aid",
  summary:
    "Emergency numbers at coordinates, notes for the traveler's needs, and the nearest help if a source is configured.",
  area: "trip",
  effect: "read",
  price: 3_000n,
  payableWithoutKey: true,
  uses: ["nearby", "maps", "elevation"],
  input: z.strictObject({
    latitude: Latitude,
    longitude: Longitude,
    addressLines: z.array(z.string()).optional().describe("Returned unchanged, not looked up"),
    regionCode: RegionCode.optional(),
    travelerNotes: z.string().optional().describe("Needs, such as an allergy or a wheelchair"),
    languageCode: z.string().default("en"),
  }),
  output: z.object({
    countryCode: z
      .string()
      .nullable()
      .describe("Country at the coordinates; territories have their own codes. Null: none known, such as the open sea"),
    emergency: Emergency,
    otherEmergency: Emergency.nullable().describe(
      "If coordinates and regionCode disagree: numbers for the one that emergency is not for",
    ),
    mobileNote: z.string(),
    advice: z.array(z.string()).describe("For the traveler"),
    recognizedNeeds: z.array(z.enum(needs)).describe("Found in travelerNotes by keyword"),
    notRecognized: z.array(wordsOfOthers()).describe("Parts of travelerNotes for which there is no advice here"),
    nearestHelp: ProviderProvenance.extend({
      available: z.boolean(),
      reason: z.string().nullable(),
      places: z.array(
        z.object({
          kind: z.enum(helpKinds),
          name: TextOfOthers,
          distanceMeters: z.int(),
          latitude: z.number(),
          longitude: z.number(),
          address: TextOfOthers,
          phone: TextOfOthers,
          website: TextOfOthers,
          openingHours: TextOfOthers,
        }),
      ),
    }),
    card: z
      .object({ address: z.array(wordsOfOthers()), travelerNotes: wordsOfOthers() })
      .describe("Your notes, safe to show"),
    notes: z.array(z.string()),
    language: LanguageAnswer,
    ...ProviderProvenance.shape,
  }),
  errors: {},
  example: () => ({ latitude: 35.6812, longitude: 139.7671, travelerNotes: "Peanut allergy", languageCode: "en" }),

  async run({ regionCode, travelerNotes = "", addressLines = [], languageCode, ...position }, ports) {
    const { nearby, maps, elevation, call } = ports;
    const { countryCode, otherCode, contradiction } = numbersBy(maps, position, regionCode);
    const { answer: help, provenance } = await nearby.helpNear(position, call.signal);
    const words = wordsIn(languageCode);
    const shownNotes = toVisibleText(travelerNotes, LONGEST_NOTES);
    const { recognizedNeeds, notRecognized, advice } = adviseFor(shownNotes, words);
    const unknown = notRecognized.filter((part) => !asksForEntry(part));
    const meters = tellsOfSymptoms(shownNotes) ? await heightAt(position, elevation, call.signal) : undefined;
    const { police = [], ambulance = [], general = [] } = findEmergencyNumbers(countryCode ?? "") ?? {};
    const urgent = adviseAtOnce(shownNotes, words, { police, ambulance, general, meters });
    const asksRules = asksForEntry(shownNotes) && !tellsOfTheft(shownNotes);
    return {
      countryCode: maps.countryCodeAt(position) ?? null,
      emergency: describe(countryCode),
      otherEmergency: otherCode === undefined ? null : describe(otherCode),
      mobileNote: sayMobile(findEmergencyNumbers(countryCode ?? "")),
      recognizedNeeds,
      notRecognized: unknown,
      advice: [...urgent, ...advice],
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
      notes: [contradiction, asksRules ? NO_ENTRY_RULES : null, unknown.length === 0 ? null : NOT_RECOGNIZED].filter(
        (note) => note !== null,
      ),
      language: words.answer,
      ...maps.ownProvenance,
      attribution: [...maps.ownProvenance.attribution, EMERGENCY_NUMBERS_ATTRIBUTION],
    };
  },
});

/** Undefined also if no source answers: help does not wait for that. */
async function heightAt(
  position: { latitude: number; longitude: number },
  elevation: Elevation,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  try {
    const { elevation: known } = await elevation.at(position, signal);
    return known?.meters ?? known?.landAround?.lowestMeters;
  } catch {
    return undefined;
  }
}

function describe(countryCode: string | undefined): z.input<typeof Emergency> {
  const row = findEmergencyNumbers(countryCode ?? "");
  return {
    countryCode: countryCode ?? null,
    numbers: row === undefined ? [] : allNumbers(row),
    police: row?.police[0] ?? null,
    ambulance: row?.ambulance[0] ?? null,
    fire: row?.fire[0] ?? null,
    services: listServices(row),
    general: [...(row?.general ?? [])],
    other: row === undefined ? [] : listOther(row),
    agreement: row?.agreement ?? "none",
    whatToDo: sayWhatToDo(row),
    note: row === undefined ? null : sayDisagreement(row),
    source: row === undefined || row.sources.length === 0 ? "none" : row.sources.join("; "),
    asOf: EMERGENCY_NUMBERS_DATE,
    servicesAreRecalled: false,
  };
}

function listServices(row: EmergencyNumbers | undefined) {
  const { police = [], ambulance = [], fire = [], touristPolice = [] } = row ?? {};
  return { police, ambulance, fire, touristPolice };
}
