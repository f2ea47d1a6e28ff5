import { z } from "zod";
import { ProviderProvenance, wordsOfOthers } from "../../../domain/schemas.ts";
import type { Maps, Place, PostalAddress } from "../../../ports/maps.ts";
import { checkAddress } from "../check-address.ts";
import { RegionCode } from "../codes.ts";
import { defineTool } from "../context.ts";
import { countryInLines, readAddressLines, splitSegments } from "../read-address-lines.ts";
import { countryOfUnspaced } from "../read-unspaced-address.ts";
import { providerErrors } from "../resolve-stop.ts";

const MOST_LINES = 10;

const filled = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim();
  return trimmed === "" ? undefined : trimmed;
};

export const validateTravelAddress = defineTool({
  name: "validate_travel_address",
  title: "Validate a travel address",
  summary:
    "Check whether an address follows its country's format, which parts are missing, and which could not be verified.",
  area: "trip",
  effect: "read",
  price: 1_000n,
  payableWithoutKey: true,
  uses: ["maps"],
  input: z
    .strictObject({
      addressLines: z.array(z.string()).describe("In mailing order, street first"),
      regionCode: RegionCode.optional(),
      locality: z.string().optional().describe("City"),
      administrativeArea: z.string().optional().describe("State or province"),
      postalCode: z.string().optional(),
    })
    .superRefine(({ addressLines }, context) => {
      const issue = (message: string) => context.addIssue({ code: "custom", path: ["addressLines"], message });
      if (addressLines.every((line) => line.trim() === "")) issue("must contain a line that is not empty");
      if (addressLines.length > MOST_LINES) issue(`must not contain more than ${MOST_LINES} lines`);
    }),
  output: ProviderProvenance.extend({
    verdict: z
      .enum(["CONFIRMED", "STRUCTURE_OK", "INCOMPLETE", "INVALID", "UNKNOWN_COUNTRY"])
      .describe("CONFIRMED: a provider knows this address; STRUCTURE_OK: only its form was checked"),
    countryCode: z.string().nullable(),
    isCountryGuessed: z.boolean().describe("Taken from the lines or the city, because regionCode was not given"),
    problems: z
      .array(z.object({ field: z.string(), problem: z.string(), message: z.string() }))
      .readonly()
      .describe("What to fix"),
    formattedAddress: z.array(wordsOfOthers()).readonly().describe("Lines in the country's format"),
    postalCodeExamples: z.array(z.string()).readonly(),
    knownCity: wordsOfOthers("The city that the locality was taken to be").nullable(),
    confirmedAs: wordsOfOthers().nullable(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    deliverability: z.literal("not_checked"),
    notVerified: z.array(z.string()).readonly(),
  }),
  errors: providerErrors,
  example: () => ({
    addressLines: ["Rua Augusta 100"],
    regionCode: "PT",
    locality: "Lisboa",
    postalCode: "1100-053",
  }),

  async run(input, { maps, call: { signal } }) {
    const lines = input.addressLines.map((line) => line.trim()).filter((line) => line !== "");
    const given = {
      lines,
      locality: filled(input.locality),
      administrativeArea: filled(input.administrativeArea),
      postalCode: filled(input.postalCode),
    };
    const { countryCode, city, read } = await readAddress(given, input.regionCode?.toUpperCase(), maps, signal);
    const { address, streetLines = lines } = read ?? {};
    const checked = address === undefined ? undefined : checkAddress(address, streetLines);
    const confirmed =
      address === undefined || checked?.problems.length !== 0
        ? undefined
        : await maps.findAddress({ ...address, lines: streetLines }, signal);
    // The middle of a city or district says nothing about the address.
    const known = confirmed?.found?.precision === "address" ? confirmed.found : undefined;
    const isConfirmed = known !== undefined;
    return {
      verdict: isConfirmed ? ("CONFIRMED" as const) : judgeProblems(checked?.problems),
      countryCode: countryCode ?? null,
      isCountryGuessed: input.regionCode === undefined && countryCode !== undefined,
      problems: checked?.problems ?? [],
      formattedAddress: checked?.formatted ?? lines,
      postalCodeExamples: checked?.postalCodeExamples ?? [],
      knownCity: city?.label ?? null,
      confirmedAs: known?.label ?? null,
      latitude: known?.latitude ?? null,
      longitude: known?.longitude ?? null,
      deliverability: "not_checked" as const,
      notVerified: notVerified(isConfirmed, city !== undefined),
      ...(confirmed?.provenance ?? maps.ownProvenance),
    };
  },
});

type Given = Omit<PostalAddress, "countryCode">;

/** Reads the address from its fields and lines. If neither names a country, the city determines it. */
async function readAddress(given: Given, regionCode: string | undefined, maps: Maps, signal: AbortSignal) {
  const named = regionCode ?? countryOfUnspaced(given.lines) ?? countryInLines(given.lines);
  const inFields = named === undefined ? undefined : readAddressLines({ ...given, countryCode: named });
  const text = given.locality ?? inFields?.address.locality ?? lastWords(inFields?.streetLines ?? given.lines);
  const city = await findCity(maps, text, named, signal);
  const countryCode = named ?? city?.countryCode;
  if (countryCode === undefined) return { countryCode, city, read: undefined };
  const read = inFields ?? readAddressLines({ ...given, countryCode });
  const isInLines =
    city?.precision === "city" && read.address.locality === undefined && splitSegments(read.streetLines).length > 1;
  if (!isInLines) return { countryCode, city, read };
  return { countryCode, city, read: readAddressLines({ ...given, countryCode, locality: text }) };
}

/** The last segment, without house numbers and codes. */
function lastWords(lines: readonly string[]): string {
  const last = splitSegments(lines).at(-1)?.text ?? "";
  return last.replace(/\S*\p{N}\S*/gu, " ").trim();
}

async function findCity(
  maps: Maps,
  text: string,
  regionCode: string | undefined,
  signal: AbortSignal,
): Promise<Place | undefined> {
  if (text === "") return undefined;
  const [place] = (await maps.findPlaces(text, { limit: 1, regionCode, signal })).candidates;
  return place !== undefined && ["city", "neighborhood"].includes(place.precision) ? place : undefined;
}

function judgeProblems(
  problems: readonly { problem: string }[] | undefined,
): "STRUCTURE_OK" | "INCOMPLETE" | "INVALID" | "UNKNOWN_COUNTRY" {
  if (problems === undefined) return "UNKNOWN_COUNTRY";
  if (problems.length === 0) return "STRUCTURE_OK";
  return problems.every(({ problem }) => problem === "missing") ? "INCOMPLETE" : "INVALID";
}

function notVerified(isConfirmed: boolean, isCityKnown: boolean): string[] {
  return [
    ...(isConfirmed ? [] : ["that the street and the house exist"]),
    ...(isCityKnown ? [] : ["that the city exists, as it is not among the known ones"]),
    "that the postal code belongs to this street",
    "that mail or a driver can reach it",
  ];
}
