import { isNationality, namesNoNationality } from "../../../../domain/countries.ts";

/** Codes of passports that ISO 3166-1 writes in another way. */
const WRITTEN_OTHERWISE: ReadonlyMap<string, string> = new Map([
  ["D", "DEU"],
  ["RKS", "XKX"],
]);
const GERMANY_WITH_FILLERS = /^D[<KCL]{0,2}$/;
/** What ICAO 9303 prints on its own specimens. */
const SPECIMEN = "UTO";

/** A code of the machine-readable zone as the profile of a traveler takes it; undefined: neither a country nor a nationality. */
export function toNationality(code: string): string | undefined {
  const known = toKnownCode(code);
  return isNationality(known) || namesNoNationality(known) ? known : undefined;
}

/** The same for whoever issued the document: organisations such as the United Nations are no country. */
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
