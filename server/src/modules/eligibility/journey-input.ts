import { z } from "zod";
import { isCountryAlpha3 } from "../../domain/countries.ts";
import type { Issue } from "../../domain/errors.ts";
import { IsoDate } from "../../domain/schemas.ts";
import type { Clock } from "../../ports/clock.ts";

export const CountryIso3 = z
  .string()
  .length(3)
  .refine((code) => code.length !== 3 || isCountryAlpha3(code.toUpperCase()), {
    message: "must be a country's three-letter code (ISO 3166-1 alpha-3), such as FRA",
  })
  .overwrite((code) => code.toUpperCase());

const Purpose = z.enum(["business", "leisure", "transit", "study", "medical"]);

/** Inputs of both tools about a journey. */
export const journeyFields = {
  originIso3: CountryIso3.describe("ISO 3166-1 alpha-3"),
  destinationIso3: CountryIso3,
  departureDate: IsoDate,
  purpose: Purpose.describe("transit stays airside unless returnDate is a later day"),
  returnDate: IsoDate.optional().describe("The day the traveler leaves the destination"),
};

interface AskedJourney {
  originIso3: string;
  destinationIso3: string;
  departureDate: string;
  returnDate?: string | undefined;
}

/** Issues of the fields together. `path` is that of the journey in the arguments. */
export function journeyIssues(journey: AskedJourney, today: Temporal.PlainDate, path = ""): Issue[] {
  const at = (field: string) => (path === "" ? field : `${path}.${field}`);
  const { originIso3, destinationIso3, departureDate, returnDate } = journey;
  const issues: Issue[] = [];
  if (originIso3 === destinationIso3) {
    issues.push({ path: at("destinationIso3"), message: "must be a different country from originIso3" });
  }
  if (departureDate < today.toString()) {
    issues.push({ path: at("departureDate"), message: `must not be before today, ${today}` });
  }
  if (returnDate !== undefined && returnDate < departureDate) {
    issues.push({ path: at("returnDate"), message: "must not be before departureDate" });
  }
  return issues;
}

/** In UTC, which is accurate enough. */
export function utcToday(clock: Clock): Temporal.PlainDate {
  return clock.now().toZonedDateTimeISO("UTC").toPlainDate();
}
