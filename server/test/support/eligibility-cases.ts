import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { z } from "zod";
import { verdicts } from "../../src/modules/eligibility/eligibility-rules.ts";

/** The format described in server/src/modules/eligibility/cases/README.md. */

const FOLDER = resolve(import.meta.dirname, "../../src/modules/eligibility/cases");

const Case = z.strictObject({
  id: z.string(),
  about: z.string(),
  today: z.string(),
  passports: z.array(
    z.strictObject({
      nationality: z.string().optional(),
      issuedOn: z.string(),
      expiresOn: z.string().optional(),
      kind: z.enum(["ordinary", "diplomatic", "service", "non_biometric", "refugee", "stateless"]),
    }),
  ),
  originIso3: z.string(),
  destinationIso3: z.string(),
  departureDate: z.string(),
  returnDate: z.string().optional(),
  purpose: z.enum(["business", "leisure", "transit", "study", "medical"]),
  legs: z
    .array(
      z.strictObject({
        originIso3: z.string(),
        destinationIso3: z.string(),
        departureDate: z.string(),
        arrivalDate: z.string(),
        transit: z.enum(["airside", "landside"]).optional(),
      }),
    )
    .default([]),
  earlierStays: z.array(z.strictObject({ countryIso3: z.string(), from: z.string(), to: z.string() })).default([]),
  expect: z.strictObject({
    verdict: z.enum([...verdicts, "invalid_input"]),
    authorization: z.string().nullable(),
    failing: z.array(z.string()),
    bestPassport: z.string().optional(),
    why: z.string(),
  }),
  source: z.strictObject({
    title: z.string(),
    url: z.url(),
    asOf: z.string(),
    basis: z.enum(["read", "recalled"]),
  }),
});
export type EligibilityCase = z.output<typeof Case>;

/** By the file that has them. */
export const eligibilityCases: ReadonlyMap<string, readonly EligibilityCase[]> = new Map(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [
      basename(name, ".json"),
      z.array(Case).parse(JSON.parse(readFileSync(resolve(FOLDER, name), "utf8"))),
    ]),
);

/** As check_trip_eligibility takes them: the changes of planes, then the visit itself. */
export function listEntries({
  originIso3,
  destinationIso3,
  departureDate,
  returnDate,
  purpose,
  legs,
}: EligibilityCase) {
  const visit = { destinationIso3, departureDate, returnDate, purpose };
  const changes = legs.flatMap((leg, index) => {
    const next = legs[index + 1];
    if (leg.transit === undefined || next === undefined) return [];
    return [
      {
        originIso3: leg.originIso3,
        destinationIso3: leg.destinationIso3,
        departureDate: leg.arrivalDate,
        returnDate: next.departureDate,
        purpose: "transit" as const,
        turnsBack: next.destinationIso3 === leg.originIso3,
      },
    ];
  });
  if (purpose === "transit") return changes.length > 0 ? changes : [{ ...visit, originIso3, turnsBack: false }];
  return [...changes, { ...visit, originIso3: legs.at(-1)?.originIso3 ?? originIso3, turnsBack: false }];
}
