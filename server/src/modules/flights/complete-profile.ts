import type { TravelerProfile } from "../travelers/index.ts";

const CUSTOMER_FIELDS = ["givenName", "familyName", "email", "phoneNumber"] as const;

export interface ProfileFields {
  givenName?: string | undefined;
  familyName?: string | undefined;
  email?: string | undefined;
  phoneNumber?: string | undefined;
  preferredLanguage?: string | undefined;
}

/** The stored profile with what the call gives; the same object when the call changes nothing. */
export function withFields(stored: TravelerProfile | undefined, given: ProfileFields): TravelerProfile {
  const base = stored ?? { loyaltyProgrammeAccounts: [], passports: [] };
  const { givenName, familyName, email, phoneNumber, preferredLanguage } = given;
  const changes = {
    ...(givenName === undefined || givenName === base.givenName ? {} : { givenName }),
    ...(familyName === undefined || familyName === base.familyName ? {} : { familyName }),
    ...(email === undefined || email === base.email ? {} : { email }),
    ...(phoneNumber === undefined || phoneNumber === base.phoneNumber ? {} : { phoneNumber }),
    ...(preferredLanguage === undefined || preferredLanguage === base.preferredLanguage ? {} : { preferredLanguage }),
  };
  return Object.keys(changes).length === 0 && stored !== undefined ? stored : { ...base, ...changes };
}

/** What the supplier must know of a customer and the profile does not say. */
export function missingCustomerFields(profile: TravelerProfile): string[] {
  return CUSTOMER_FIELDS.filter((field) => (profile[field] ?? "").trim() === "");
}
