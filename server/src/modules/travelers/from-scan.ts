import type { Issue } from "../../domain/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NotTaken, ScannedPerson } from "../scans/index.ts";
import { birthProblem, MOST_PASSPORTS, profileFields } from "./profile-schema.ts";
import { contradictions } from "./same-person.ts";
import type { Passport, TravelerProfile } from "./traveler-profile.ts";

/** What a caller gives beside the scan, and what is stored already. */
interface Beside {
  given: Partial<TravelerProfile>;
  stored: TravelerProfile;
  /** Of the passport, for a scan that has not read it. */
  passportIssuedOn: string | undefined;
}

interface FromScan {
  fields: Partial<TravelerProfile>;
  /** What the scan would have filled: codes of reasons, `not_read`, `not_accepted`, `not_a_passport` or `sent_otherwise`. */
  notTaken: readonly NotTaken[];
}

/** A profile's fields as a scan fills them, or why it cannot. What the caller gives itself is left alone. */
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
    return { path: "passportIssuedOn", message: "must be sent: the scan has not read when the passport was issued" };
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
      message: `would be more than ${MOST_PASSPORTS} with the scanned one: send those that are to stay`,
    };
  }
  return { fields: { passports }, notTaken: [] };
}

/** Whether the profile takes such a value: where it does not, the traveler's other fields are still good. */
function isAccepted(name: "givenName" | "familyName" | "bornOn", value: string | undefined, clock: Clock): boolean {
  if (value === undefined || !profileFields[name].safeParse(value).success) return false;
  return name !== "bornOn" || birthProblem(value, clock).length === 0;
}

/** In place of the same passport, else beside the others. */
function withPassport(passports: readonly Passport[], scanned: Passport): Passport[] {
  const isSame = ({ nationality, number }: Passport) =>
    nationality === scanned.nationality && number.toUpperCase() === scanned.number.toUpperCase();
  return [...passports.filter((passport) => !isSame(passport)), scanned];
}
