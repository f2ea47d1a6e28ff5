import type { FlightSearch, FlightSearchResult, SearchPassenger } from "../../../ports/supplier/flights.ts";

/** Maps a search to the supplier's format, and lists what the supplier cannot take. */

/** Maps our leisure fare types. `senior` and `air_crew` are missing: the supplier has no equivalent. */
const FARE_TYPES: ReadonlyMap<string, string> = new Map([
  ["student", "student"],
  ["contract_bulk", "contract_bulk"],
  ["contract_bulk_child", "contract_bulk_child"],
  ["contract_bulk_infant_with_seat", "contract_bulk_infant_with_seat"],
  ["contract_bulk_infant_without_seat", "contract_bulk_infant_without_seat"],
  ["visiting_friends_and_family", "visiting_friends_and_family"],
  ["tour", "tour_operator_inclusive"],
]);

const ADULT_AGE = 18;

type NotApplied = FlightSearchResult["notApplied"][number];

function toPassenger(passenger: SearchPassenger, notApplied: NotApplied[]): Record<string, unknown> {
  const wanted = passenger.leisureFareType;
  const fareType = wanted === undefined ? undefined : FARE_TYPES.get(wanted);
  if (wanted !== undefined && fareType === undefined) {
    notApplied.push({
      input: "leisureFareTypes",
      value: wanted,
      reason: "The supplier has no such fare type; the search treated this passenger as an adult.",
    });
  }
  const { givenName, familyName, loyaltyAccounts } = passenger;
  const named = givenName !== undefined && familyName !== undefined;
  if (!named) {
    for (const account of loyaltyAccounts) {
      notApplied.push({
        input: "loyaltyProgrammeAccounts",
        value: account.airlineIataCode,
        reason:
          "The supplier considers loyalty accounts in a search only together with the traveler's name. Add the account to the passenger's profile with save_traveler, then search again; book_flight sends it in any case.",
      });
    }
  }
  return {
    ...toPassengerType(passenger.age, fareType),
    ...(named && loyaltyAccounts.length > 0
      ? {
          given_name: givenName,
          family_name: familyName,
          loyalty_programme_accounts: loyaltyAccounts.map((account) => ({
            airline_iata_code: account.airlineIataCode,
            account_number: account.accountNumber,
          })),
        }
      : {}),
  };
}

/** The supplier identifies adults by their type and all others by their age. */
function toPassengerType(age: number | undefined, fareType: string | undefined): Record<string, unknown> {
  const isYoung = age !== undefined && age < ADULT_AGE;
  if (fareType === undefined) return isYoung ? { age } : { type: "adult" };
  return isYoung ? { fare_type: fareType, age } : { fare_type: fareType };
}

export function toOfferRequest(query: FlightSearch): { data: unknown; notApplied: NotApplied[] } {
  const notApplied: NotApplied[] = [];
  const { origin, destination } = query;
  const slices = [{ origin, destination, departure_date: query.departureDate }];
  if (query.returnDate !== undefined) {
    slices.push({ origin: destination, destination: origin, departure_date: query.returnDate });
  }
  const privateFares = Object.entries(query.privateFares).map(([airline, fares]) => [
    airline,
    fares.map((fare) => ({
      ...(fare.corporateCode === undefined ? {} : { corporate_code: fare.corporateCode }),
      ...(fare.tourCode === undefined ? {} : { tour_code: fare.tourCode }),
      ...(fare.trackingReference === undefined ? {} : { tracking_reference: fare.trackingReference }),
      ...(fare.accountNumber === undefined ? {} : { account_number: fare.accountNumber }),
    })),
  ]);
  const data = {
    slices,
    passengers: query.passengers.map((passenger) => toPassenger(passenger, notApplied)),
    cabin_class: query.cabinClass,
    ...(privateFares.length === 0 ? {} : { private_fares: Object.fromEntries(privateFares) }),
    ...(query.airlineCreditIds.length === 0 ? {} : { airline_credit_ids: query.airlineCreditIds }),
  };
  return { data, notApplied };
}
