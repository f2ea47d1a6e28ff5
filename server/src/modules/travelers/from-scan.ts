import type { Issue } from "../../domain/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ScannedPerson } from "../scans/index.ts";
import { birthProblem, MOST_PASSPORTS, profileFields } from "./profile-schema.ts";
import type { Passport, TravelerProfile } from "./traveler-profile.ts";

/** What a caller gives beside the scan, and what is stored already. */
interface Beside {
  given: Partial<TravelerProfile>;
  stored: TravelerProfile;
  /** Of the passport, for a scan that has not read it. */
  passportIssuedOn: string | undefined;
}

/** A profile's fields as a scan fills them, or why it cannot. What the caller gives itself is left alone. */
export function fieldsFromScan(
  person: ScannedPerson,
  { given, stored, passportIssuedOn }: Beside,
  clock: Clock,
): Partial<TravelerProfile> | Issue {
  const { givenName, familyName, bornOn, gender, passport } = person;
  const isBirth = bornOn !== undefined && birthProblem(bornOn, clock).length === 0;
  const fields: Partial<TravelerProfile> = {
    ...taken("givenName", givenName),
    ...taken("familyName", familyName),
    ...(isBirth ? taken("bornOn", bornOn) : {}),
    ...(gender === undefined ? {} : { gender }),
  };
  if (passport === undefined) return fields;
  const issuedOn = passportIssuedOn ?? passport.issuedOn;
  if (issuedOn === undefined) {
    return { path: "passportIssuedOn", message: "must be sent: the scan has not read when the passport was issued" };
  }
  const read = profileFields.passports.element.safeParse({ ...passport, issuedOn });
  if (!read.success) {
    if (passportIssuedOn === undefined) return fields;
    return { path: "passportIssuedOn", message: "must be earlier than the expiry on the passport" };
  }
  const passports = withPassport(given.passports ?? stored.passports, read.data);
  if (passports.length > MOST_PASSPORTS) {
    return {
      path: "passports",
      message: `would be more than ${MOST_PASSPORTS} with the scanned one: send those that are to stay`,
    };
  }
  return { ...fields, passports };
}

/** Nothing where the profile takes no such value: the traveler's other fields are still good. */
function taken(
  name: "givenName" | "familyName" | "bornOn",
  value: string | undefined,
): { readonly [Name in typeof name]?: string } {
  const read = profileFields[name].safeParse(value);
  return read.success && value !== undefined ? { [name]: read.data } : {};
}

/** In place of the same passport, else beside the others. */
function withPassport(passports: readonly Passport[], scanned: Passport): Passport[] {
  const isSame = ({ nationality, number }: Passport) =>
    nationality === scanned.nationality && number.toUpperCase() === scanned.number.toUpperCase();
  return [...passports.filter((passport) => !isSame(passport)), scanned];
}
