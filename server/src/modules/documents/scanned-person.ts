import type { ScannedPerson } from "../scans/index.ts";
import type { Fields, Scan } from "./scan.ts";

/** What holds for a whole document and takes nothing from what was read. */
const HARMLESS: ReadonlySet<string> = new Set(["expired", "pages_not_read"]);

/**
 * What of an identity document may fill a profile without anybody's look at it: fields that no reason doubts. Undefined: nothing may,
 * such as where a reason concerns the whole document.
 */
export function scannedPersonOf({ fields, reasons }: Scan): ScannedPerson | undefined {
  const doubtful = new Set<string>();
  for (const { code, field } of reasons) {
    if (field !== undefined && Object.hasOwn(fields, field)) doubtful.add(field);
    else if (!HARMLESS.has(code) && (field === undefined || !isMissing(field, fields))) return undefined;
  }
  const sure = (name: string): string | undefined =>
    doubtful.has(name) || !Object.hasOwn(fields, name) ? undefined : fields[name]?.value;
  const [givenName, familyName, bornOn, sex] = ["givenName", "familyName", "bornOn", "sex"].map(sure);
  const passport = passportOf(sure);
  const person: ScannedPerson = {
    ...(givenName === undefined ? {} : { givenName }),
    ...(familyName === undefined ? {} : { familyName }),
    ...(bornOn === undefined ? {} : { bornOn }),
    ...(sex === "m" || sex === "f" ? { gender: sex } : {}),
    ...(passport === undefined ? {} : { passport }),
  };
  return Object.keys(person).length === 0 ? undefined : person;
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["documentType", "issuingCountry", "nationality", "documentNumber", "familyName", "givenName"],
  ...["bornOn", "sex", "issuedOn", "expiresOn"],
]);

/** The reason concerns a field that was left out. */
const isMissing = (field: string, fields: Fields): boolean => KNOWN.has(field) && !Object.hasOwn(fields, field);

function passportOf(sure: (name: string) => string | undefined): ScannedPerson["passport"] {
  const [type, nationality, number] = [sure("documentType"), sure("nationality"), sure("documentNumber")];
  const [issuedOn, expiresOn] = [sure("issuedOn"), sure("expiresOn")];
  if (type !== "passport" || nationality === undefined || number === undefined || expiresOn === undefined)
    return undefined;
  return { nationality, number, ...(issuedOn === undefined ? {} : { issuedOn }), expiresOn };
}
