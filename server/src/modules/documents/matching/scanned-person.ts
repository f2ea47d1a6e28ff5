import type { NotTaken, ScannedPerson } from "../../scans/index.ts";
import type { Fields, Scan } from "../scan.ts";

/** Reasons for a whole document that do not cast doubt on its values. */
const HARMLESS: ReadonlySet<string> = new Set(["expired", "pages_not_read"]);
const NOT_READ = "not_read";

/** Fields by name, and the reason codes that cast doubt on each. */
interface Read {
  fields: Fields;
  doubts: ReadonlyMap<string, string>;
}

/**
 * The values of an identity document that may fill a profile without review: fields that no reason doubts, and why the
 * others are left out. Undefined if none may, such as if a reason concerns the whole document.
 */
export function toScannedPerson({ fields, reasons }: Scan): ScannedPerson | undefined {
  const doubts = new Map<string, string>();
  for (const { code, field } of reasons) {
    const isOfField = field !== undefined && (KNOWN.has(field) || Object.hasOwn(fields, field));
    // An expired passport is useless for a booking, whichever field the reason names.
    const name = isOfField ? field : code === "expired" ? "expiresOn" : undefined;
    if (name !== undefined) doubts.set(name, doubts.get(name) ?? code);
    else if (!HARMLESS.has(code)) return undefined;
  }
  return toPerson({ fields, doubts });
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["documentType", "issuingCountry", "nationality", "documentNumber", "familyName", "givenName"],
  ...["bornOn", "sex", "issuedOn", "expiresOn"],
]);

function toPerson(read: Read): ScannedPerson | undefined {
  const [givenName, familyName, bornOn, sex] = ["givenName", "familyName", "bornOn", "sex"].map((name) =>
    sure(read, name),
  );
  const passport = toPassport(read);
  const person: ScannedPerson = {
    ...(givenName === undefined ? {} : { givenName }),
    ...(familyName === undefined ? {} : { familyName }),
    ...(bornOn === undefined ? {} : { bornOn }),
    ...(sex === "m" || sex === "f" ? { gender: sex } : {}),
    ...(passport === undefined ? {} : { passport }),
  };
  if (Object.keys(person).length === 0) return undefined;
  const notTaken: NotTaken[] = [
    ...missing(read, "givenName", "givenName"),
    ...missing(read, "familyName", "familyName"),
    ...missing(read, "bornOn", "bornOn"),
    ...(sex === "x" ? [{ field: "gender" as const, reason: "not_accepted" }] : missing(read, "gender", "sex")),
    ...(passport === undefined ? [{ field: "passports" as const, reason: whyNoPassport(read) }] : []),
  ];
  return notTaken.length === 0 ? person : { ...person, notTaken };
}

function sure({ fields, doubts }: Read, name: string): string | undefined {
  return doubts.has(name) || !Object.hasOwn(fields, name) ? undefined : fields[name]?.value;
}

function missing(read: Read, field: NotTaken["field"], name: string): NotTaken[] {
  return sure(read, name) === undefined ? [{ field, reason: read.doubts.get(name) ?? NOT_READ }] : [];
}

function toPassport(read: Read): ScannedPerson["passport"] {
  const [type, nationality, number] = ["documentType", "nationality", "documentNumber"].map((name) => sure(read, name));
  const [issuedOn, expiresOn] = [sure(read, "issuedOn"), sure(read, "expiresOn")];
  if (type !== "passport" || nationality === undefined || number === undefined || expiresOn === undefined)
    return undefined;
  return { nationality, number, ...(issuedOn === undefined ? {} : { issuedOn }), expiresOn };
}

function whyNoPassport(read: Read): string {
  const type = sure(read, "documentType");
  if (type !== undefined && type !== "passport") return "not_a_passport";
  const needed = ["documentType", "documentNumber", "nationality", "expiresOn"];
  const [doubt] = needed.flatMap((name) => read.doubts.get(name) ?? []);
  return doubt ?? NOT_READ;
}
