import { z } from "zod";
import { CabinClass, IataCode, IsoDate } from "../../domain/schemas.ts";
import { isEarlier } from "../bookings/index.ts";

const AIRLINE_CODE = /^(?=.*[A-Z])[A-Z0-9]{2}$/;

const MOST_PASSENGERS = 9;
const TOO_MANY_PASSENGERS =
  "must be at most 9, as airlines sell no more at once: search and book for two or more groups of up to 9 each";

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

export const SearchFlightsInput = z
  .strictObject({
    origin: IataCode.describe("IATA airport or city"),
    destination: IataCode.describe("IATA airport or city"),
    departureDate: IsoDate,
    returnDate: IsoDate.optional(),
    passengers: z.number().int().min(1).max(MOST_PASSENGERS, { error: TOO_MANY_PASSENGERS }).default(1),
    cabinClass: CabinClass.default("economy"),
    privateFares: z
      .record(z.string(), z.array(PrivateFare))
      // The interface leaves the keys open; that they are airlines is checked below.
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
    customerUserId: z.string().optional().describe("icu_… of ensure_flight_customer: passenger 1"),
    linkSessionTraveler: z.boolean().default(false).describe("Passenger 1 is the caller's traveler profile"),
  })
  .superRefine((query, context) => {
    const issue = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
    if (query.origin.toUpperCase() === query.destination.toUpperCase()) {
      issue(["destination"], "must be another place than the origin");
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
  });
