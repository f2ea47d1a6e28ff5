import { isNationality, namesNoNationality } from "../../../../domain/countries.ts";

/** Passport codes that differ from ISO 3166-1. */
const WRITTEN_OTHERWISE: ReadonlyMap<string, string> = new Map([
  ["D", "DEU"],
  ["RKS", "XKX"],
]);
const GERMANY_WITH_FILLERS = /^D[<KCL]{0,2}$/;
/** The code on ICAO 9303's own specimens. */
const SPECIMEN = "UTO";

/** A code of the machine-readable zone in the form of a traveler's profile; undefined if it is neither a country nor a nationality. */
export function toNationality(code: string): string | undefined {
  const known = toKnownCode(code);
  return isNationality(known) || namesNoNationality(known) ? known : undefined;
}

/** The same for the issuer: organisations such as the United Nations are no country. */
export function toIssuingCountry(code: string): string | undefined {
  const known = toKnownCode(code);
  return isNationality(known) ? known : undefined;
}

export function isSpecimenCode(code: string): boolean {
  return code === SPECIMEN;
}

function toKnownCode(code: string): string {
  const known = WRITTEN_OTHERWISE.get(code) ?? code;
  return GERMANY_WITH_FILLERS.test(known) ? "DEU" : known;
}
