import { z } from "zod";
import { CabinClass, IataCode, IsoDate } from "../../../domain/schemas.ts";
import { isEarlier } from "../../../domain/travel/dates.ts";
import { ADULT_AGE, INFANT_AGE } from "./passenger-types.ts";

const AIRLINE_CODE = /^(?=.*[A-Z])[A-Z0-9]{2}$/;

const MOST_PASSENGERS = 9;
const TOO_MANY_PASSENGERS =
  "must be at most 9, because airlines sell no more at once: search and book for groups of up to 9 each";

const PrivateFare = z.strictObject({
  corporate_code: z.string().optional(),
  tour_code: z.string().optional(),
  tracking_reference: z.string().optional(),
  account_number: z.string().optional(),
});

const Loyalty = z.strictObject({
  airlineIataCode: z
    .string()
    .length(2)
    .refine((code) => code.length !== 2 || isAirlineCode(code), {
      message: "must be a two-character IATA airline code",
    }),
  accountNumber: z.string(),
});

function isAirlineCode(code: string): boolean {
  return AIRLINE_CODE.test(code.toUpperCase());
}

const SearchShape = z.strictObject({
  origin: IataCode.describe("IATA airport or city"),
  destination: IataCode.describe("IATA airport or city"),
  departureDate: IsoDate,
  returnDate: IsoDate.optional(),
  passengers: z.number().int().min(1).max(MOST_PASSENGERS, { error: TOO_MANY_PASSENGERS }).default(1),
  cabinClass: CabinClass.default("economy"),
  privateFares: z
    .record(z.string(), z.array(PrivateFare))
    // The interface leaves the keys open; a check below requires airlines.
    .meta({ propertyNames: undefined, description: "Keys: airline IATA codes" })
    .optional(),
  leisureFareTypes: z
    .array(
      z.enum([
        "student",
        "senior",
        "contract_bulk",
        "contract_bulk_child",
        "contract_bulk_infant_with_seat",
        "contract_bulk_infant_without_seat",
        "tour",
        "air_crew",
        "visiting_friends_and_family",
      ]),
    )
    .optional()
    .describe("One per passenger, in order"),
  loyaltyProgrammeAccounts: z.array(z.array(Loyalty)).optional().describe("Outer index: passenger"),
  airlineCreditIds: z.array(z.string()).optional().describe("acd_…"),
  customerUserId: z.string().optional().describe("icu_… from ensure_flight_customer: passenger 1"),
  linkSessionTraveler: z.boolean().default(false).describe("Passenger 1 is the caller's traveler profile"),
});

export const SearchFlightsInput = SearchShape.superRefine(checkSearch);

function checkSearch(
  query: z.output<typeof SearchShape>,
  context: { addIssue(issue: { code: "custom"; path: (string | number)[]; message: string }): unknown },
): void {
  const issue = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
  if (query.origin.toUpperCase() === query.destination.toUpperCase()) {
    issue(["destination"], "must differ from the origin");
  }
  if (query.returnDate !== undefined && isEarlier(query.returnDate, query.departureDate)) {
    issue(["returnDate"], "must not be before the departure date");
  }
  if ((query.leisureFareTypes?.length ?? 0) > query.passengers) {
    issue(["leisureFareTypes"], `must not name more fare types than passengers (${query.passengers})`);
  }
  if ((query.loyaltyProgrammeAccounts?.length ?? 0) > query.passengers) {
    issue(["loyaltyProgrammeAccounts"], `must not have more lists than passengers (${query.passengers})`);
  }
  for (const airline of Object.keys(query.privateFares ?? {})) {
    if (!isAirlineCode(airline)) issue(["privateFares", airline], "must be a two-character IATA airline code");
  }
}

/** For passengers of these ages, in a new search or an earlier one. `toSearchQuery` checks fields that only one of them needs. */
export const AgedSearch = z.strictObject({
  searchId: z.string().optional().describe("sea_… from search_flights or from this tool"),
  ages: z
    .array(z.number().int().min(0).max(120))
    .min(1)
    .max(MOST_PASSENGERS, { error: TOO_MANY_PASSENGERS })
    .optional()
    .describe("In years on the last departure day; under 2: on an adult's lap"),
  origin: IataCode.optional(),
  destination: IataCode.optional(),
  departureDate: IsoDate.optional(),
  returnDate: IsoDate.optional(),
  cabinClass: CabinClass.optional(),
  privateFares: SearchShape.shape.privateFares,
  leisureFareTypes: SearchShape.shape.leisureFareTypes,
  loyaltyProgrammeAccounts: SearchShape.shape.loyaltyProgrammeAccounts,
  airlineCreditIds: SearchShape.shape.airlineCreditIds,
  customerUserId: z.string().optional(),
  linkSessionTraveler: z.boolean().optional(),
});

interface AgedQuery {
  /** Undefined if something is missing or wrong. */
  query: (z.output<typeof SearchShape> & { ages: readonly number[] }) | undefined;
  missing: readonly string[];
  issues: readonly { path: (string | number)[]; message: string }[];
}

/** The search for passengers of these ages, with all its issues. */
export function toSearchQuery(input: z.output<typeof AgedSearch>): AgedQuery {
  const { ages, origin, destination, departureDate, cabinClass, linkSessionTraveler, searchId: _, ...more } = input;
  const missing = Object.entries({ ages, origin, destination, departureDate }).flatMap(([name, value]) =>
    value === undefined ? [name] : [],
  );
  if (ages === undefined || origin === undefined || destination === undefined || departureDate === undefined) {
    return { query: undefined, missing, issues: [] };
  }
  const query = {
    ...more,
    origin,
    destination,
    departureDate,
    ages,
    passengers: ages.length,
    cabinClass: cabinClass ?? "economy",
    linkSessionTraveler: linkSessionTraveler ?? false,
  };
  const issues: { path: (string | number)[]; message: string }[] = [];
  checkSearch(query, { addIssue: (issue) => issues.push(issue) });
  const adults = ages.filter((age) => age >= ADULT_AGE).length;
  const infants = ages.filter((age) => age < INFANT_AGE).length;
  if (adults === 0) {
    const message = `must include an adult (${ADULT_AGE} or older): unaccompanied minors cannot be booked here, so ask the airline`;
    issues.push({ path: ["ages"], message });
  } else if (infants > adults) {
    const message = `must include an adult for each infant under ${INFANT_AGE}: ${count(infants, "infant")}, ${count(adults, "adult")}`;
    issues.push({ path: ["ages"], message });
  }
  return { query: issues.length === 0 ? query : undefined, missing, issues };
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
