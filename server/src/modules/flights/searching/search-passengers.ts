import type { LoyaltyAccount, SearchPassenger } from "../../../ports/supplier/flights.ts";
import type { TravelerProfile } from "../../travelers/index.ts";

export interface PassengerWishes {
  passengers: number;
  /** By passenger, if known. */
  ages?: readonly number[] | undefined;
  /** By passenger; the outer index is the passenger. */
  leisureFareTypes: readonly string[];
  loyaltyAccounts: readonly (readonly LoyaltyAccount[])[];
}

/** The passengers of a search. `travelers` are the known persons, by passenger. */
export function searchPassengers(
  wishes: PassengerWishes,
  travelers: readonly (TravelerProfile | undefined)[],
): SearchPassenger[] {
  return Array.from({ length: wishes.passengers }, (_, index) => {
    const profile = travelers[index];
    const leisureFareType = wishes.leisureFareTypes[index];
    const age = wishes.ages?.[index];
    return {
      ...(age === undefined ? {} : { age }),
      ...(leisureFareType === undefined ? {} : { leisureFareType }),
      ...(profile?.givenName === undefined ? {} : { givenName: profile.givenName }),
      ...(profile?.familyName === undefined ? {} : { familyName: profile.familyName }),
      loyaltyAccounts: mergeAccounts(wishes.loyaltyAccounts[index] ?? [], profile?.loyaltyProgrammeAccounts ?? []),
    };
  });
}

/** One account per airline; the call's take precedence over the profile's. */
export function mergeAccounts(given: readonly LoyaltyAccount[], stored: readonly LoyaltyAccount[]): LoyaltyAccount[] {
  const byAirline = new Map<string, LoyaltyAccount>();
  for (const account of [...stored, ...given]) {
    const airlineIataCode = account.airlineIataCode.toUpperCase();
    byAirline.set(airlineIataCode, { airlineIataCode, accountNumber: account.accountNumber });
  }
  return [...byAirline.values()];
}
