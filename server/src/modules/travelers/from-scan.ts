import type { Issue } from "../../domain/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NotTaken, ScannedPerson } from "../scans/index.ts";
import { birthProblem, MOST_PASSPORTS, profileFields } from "./profile-schema.ts";
import { contradictions } from "./same-person.ts";
import type { Passport, TravelerProfile } from "./traveler-profile.ts";

/** The fields given with the scan, and the stored profile. */
interface Beside {
  given: Partial<TravelerProfile>;
  stored: TravelerProfile;
  /** The passport's date of issue, for a scan that lacks it. */
  passportIssuedOn: string | undefined;
}

interface FromScan {
  fields: Partial<TravelerProfile>;
  /** Unused fields of the scan with a reason: `not_read`, `not_accepted`, `not_a_passport` or `sent_otherwise`. */
  notTaken: readonly NotTaken[];
}

/** Returns the profile fields that a scan fills, or why it cannot. Fields given by the caller are kept. */
export function fieldsFromScan(person: ScannedPerson, beside: Beside, clock: Clock): FromScan | Issue {
  const { given } = beside;
  const passports = passportsFrom(person, beside);
  if ("path" in passports) return passports;
  const names = ["givenName", "familyName", "bornOn"] as const;
  const refused: NotTaken[] = [
    ...names
      .filter((name) => person[name] !== undefined && !isAccepted(name, person[name], clock))
      .map((field) => ({ field, reason: "not_accepted" })),
    ...passports.notTaken,
  ];
  const differing = [
    ...contradictions(given, person),
    ...(given.gender !== undefined && person.gender !== undefined && given.gender !== person.gender
      ? (["gender"] as const)
      : []),
  ];
  const unfilled = [...(person.notTaken ?? []), ...refused].filter(
    ({ field }) => field === "passports" || given[field] === undefined,
  );
  return {
    fields: {
      ...Object.fromEntries(
        names.flatMap((name) => (isAccepted(name, person[name], clock) ? [[name, person[name]] as const] : [])),
      ),
      ...(person.gender === undefined ? {} : { gender: person.gender }),
      ...passports.fields,
    },
    notTaken: [...unfilled, ...differing.map((field) => ({ field, reason: "sent_otherwise" }))],
  };
}

function passportsFrom({ passport }: ScannedPerson, { given, stored, passportIssuedOn }: Beside): FromScan | Issue {
  if (passport === undefined) return { fields: {}, notTaken: [] };
  const issuedOn = passportIssuedOn ?? passport.issuedOn;
  if (issuedOn === undefined) {
    return { path: "passportIssuedOn", message: "must be sent: the scan could not read when the passport was issued" };
  }
  const read = profileFields.passports.element.safeParse({ ...passport, issuedOn });
  if (!read.success) {
    if (passportIssuedOn === undefined)
      return { fields: {}, notTaken: [{ field: "passports", reason: "not_accepted" }] };
    return { path: "passportIssuedOn", message: "must be earlier than the expiry on the passport" };
  }
  const passports = withPassport(given.passports ?? stored.passports, read.data);
  if (passports.length > MOST_PASSPORTS) {
    return {
      path: "passports",
      message: `would be more than ${MOST_PASSPORTS} with the scanned one: send those to keep`,
    };
  }
  return { fields: { passports }, notTaken: [] };
}

/** Whether the profile accepts the value; if not, the traveler's other fields are still used. */
function isAccepted(name: "givenName" | "familyName" | "bornOn", value: string | undefined, clock: Clock): boolean {
  if (value === undefined || !profileFields[name].safeParse(value).success) return false;
  return name !== "bornOn" || birthProblem(value, clock).length === 0;
}

/** Replaces the same passport, or adds a new one. */
function withPassport(passports: readonly Passport[], scanned: Passport): Passport[] {
  const isSame = ({ nationality, number }: Passport) =>
    nationality === scanned.nationality && number.toUpperCase() === scanned.number.toUpperCase();
  return [...passports.filter((passport) => !isSame(passport)), scanned];
}
