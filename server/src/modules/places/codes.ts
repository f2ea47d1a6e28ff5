import { z } from "zod";
import { countryAlpha3Codes, toCountryAlpha2 } from "../../domain/countries.ts";

const countryCodes: ReadonlySet<string> = new Set(countryAlpha3Codes.flatMap((code) => toCountryAlpha2(code) ?? []));

/** ISO 3166-1 alpha-2, in upper or lower case. */
export const RegionCode = z
  .string()
  .refine((code) => countryCodes.has(code.toUpperCase()), {
    message: "must be a country's two-letter code (ISO 3166-1 alpha-2), such as US",
  })
  .describe("ISO 3166-1 alpha-2, such as US");

export const LanguageCode = z
  .string()
  .refine(isLanguageCode, { message: "must be a language tag (BCP 47), such as en or pt-BR" });

export function isLanguageCode(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
