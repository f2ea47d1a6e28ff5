import { z } from "zod";
import { ProviderProvenance, wordsOfOthers } from "../../../domain/schemas.ts";
import { defineTool } from "../../../kernel/tool.ts";
import type { Maps, PostalAddress } from "../../../ports/maps.ts";
import { checkAddress, readLines } from "../check-address.ts";
import { RegionCode } from "../codes.ts";

const MOST_LINES = 10;

const filled = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim();
  return trimmed === "" ? undefined : trimmed;
};

export const validateTravelAddress = defineTool({
  name: "validate_travel_address",
  title: "Validate a travel address",
  summary:
    "Whether an address is written as its country writes addresses, what is missing, and what could not be verified.",
  area: "trip",
  effect: "read",
  price: 1_000n,
  payableWithoutKey: true,
  uses: ["maps"],
  input: z
    .strictObject({
      addressLines: z
        .array(z.string())
        .describe("In mailing order, street first; city, region and postal code only in fields of their own"),
      regionCode: RegionCode.optional(),
      locality: z.string().optional().describe("City"),
      administrativeArea: z.string().optional().describe("State or province"),
      postalCode: z.string().optional(),
    })
    .superRefine(({ addressLines }, context) => {
      const issue = (message: string) => context.addIssue({ code: "custom", path: ["addressLines"], message });
      if (addressLines.every((line) => line.trim() === "")) issue("must hold a line that is not empty");
      if (addressLines.length > MOST_LINES) issue(`must not hold more than ${MOST_LINES} lines`);
    }),
  output: ProviderProvenance.extend({
    verdict: z
      .enum(["CONFIRMED", "STRUCTURE_OK", "INCOMPLETE", "INVALID", "UNKNOWN_COUNTRY"])
      .describe("CONFIRMED: a provider knows this address; STRUCTURE_OK: only its form was checked"),
    countryCode: z.string().nullable(),
    isCountryGuessed: z.boolean().describe("It was read from the city, as regionCode was not given"),
    problems: z
      .array(z.object({ field: z.string(), problem: z.string(), message: z.string() }))
      .readonly()
      .describe("What to mend"),
    formattedAddress: z.array(wordsOfOthers()).readonly().describe("Lines as the country writes them"),
    postalCodeExamples: z.array(z.string()).readonly(),
    knownCity: wordsOfOthers("The city that the locality was taken for").nullable(),
    confirmedAs: wordsOfOthers().nullable(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    deliverability: z.literal("not_checked"),
    notVerified: z.array(z.string()).readonly(),
  }),
  errors: { provider_unavailable: "No provider of places answers. Send the same call later." },
  example: () => ({
    addressLines: ["Rua Augusta 100"],
    regionCode: "PT",
    locality: "Lisboa",
    postalCode: "1100-053",
  }),

  async run(input, { maps, call: { signal } }) {
    const lines = input.addressLines.map((line) => line.trim()).filter((line) => line !== "");
    const locality = filled(input.locality);
    const city = await findCity(maps, locality ?? lines.at(-1) ?? "", input.regionCode?.toUpperCase(), signal);
    const countryCode = input.regionCode?.toUpperCase() ?? city.place?.countryCode;
    const area = filled(input.administrativeArea);
    const postalCode = filled(input.postalCode);
    const address: PostalAddress | undefined =
      countryCode === undefined
        ? undefined
        : readLines({ lines, countryCode, locality: locality ?? city.inLines, administrativeArea: area, postalCode });
    const checked = address === undefined ? undefined : checkAddress(address);
    const confirmed =
      address === undefined || checked?.problems.length !== 0 ? undefined : await maps.findAddress(address, signal);
    const known = confirmed?.found;
    const isConfirmed = known?.precision === "address";
    return {
      verdict: isConfirmed ? ("CONFIRMED" as const) : verdictOf(checked?.problems),
      countryCode: countryCode ?? null,
      isCountryGuessed: input.regionCode === undefined && countryCode !== undefined,
      problems: checked?.problems ?? [],
      formattedAddress: checked?.formatted ?? lines,
      postalCodeExamples: checked?.postalCodeExamples ?? [],
      knownCity: city.place?.label ?? null,
      confirmedAs: known?.label ?? null,
      latitude: known?.latitude ?? null,
      longitude: known?.longitude ?? null,
      deliverability: "not_checked" as const,
      notVerified: notVerified(isConfirmed, city.place !== undefined),
      ...(confirmed?.provenance ?? maps.ownProvenance),
    };
  },
});

interface FoundCity {
  place: { label: string; countryCode: string } | undefined;
  /** The text of the lines that was taken for it. */
  inLines: string | undefined;
}

async function findCity(
  maps: Maps,
  text: string,
  regionCode: string | undefined,
  signal: AbortSignal,
): Promise<FoundCity> {
  const { candidates } = await maps.findPlaces(text, { limit: 1, regionCode, signal });
  const [place] = candidates;
  if (place === undefined || !["city", "neighborhood"].includes(place.precision)) {
    return { place: undefined, inLines: undefined };
  }
  const words = text
    .replace(/\S*\p{N}\S*/gu, " ")
    .split(",")[0]
    ?.trim();
  return { place, inLines: words === "" ? undefined : words };
}

function verdictOf(
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
    "that mail or a driver reaches it",
  ];
}
