import { countryAlpha3Codes, toCountryAlpha2 } from "../../domain/countries.ts";
import { plainText } from "./plain-text.ts";

/** As people write them on envelopes, beside what `Intl` knows. */
const OTHER_NAMES: readonly (readonly [name: string, code: string])[] = [
  ["UK", "GB"],
  ["England", "GB"],
  ["Scotland", "GB"],
  ["Wales", "GB"],
  ["Great Britain", "GB"],
  ["United States of America", "US"],
  ["Czech Republic", "CZ"],
  ["Holland", "NL"],
];

let codes: ReadonlyMap<string, string> | undefined;

/** ISO 3166-1 alpha-2 of a country by its code, its English name, or its name in its own language. */
export function countryCodeOf(name: string): string | undefined {
  codes ??= readNames();
  return codes.get(plainText(name));
}

function readNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const english = new Intl.DisplayNames("en", { type: "region" });
  for (const alpha3 of countryAlpha3Codes) {
    const code = toCountryAlpha2(alpha3);
    if (code === undefined) continue;
    const own = new Intl.DisplayNames(new Intl.Locale(`und-${code}`).maximize().language, { type: "region" });
    for (const name of [alpha3, english.of(code), own.of(code)])
      if (name !== undefined) names.set(plainText(name), code);
  }
  for (const [name, code] of OTHER_NAMES) names.set(plainText(name), code);
  return names;
}
