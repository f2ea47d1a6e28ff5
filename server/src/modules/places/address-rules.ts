import { readFileSync } from "node:fs";
import { z } from "zod";

const Rule = z.object({
  country: z.string(),
  /**
   * %N name, %O organization, %A street lines, %D part of a city, %C city, %S area, %Z postal code, %X sorting code, %n new
   * line.
   */
  format: z.string(),
  /** The letters of the required parts. */
  required: z.string(),
  /** A regular expression for the whole code. Missing: the country has none. */
  postalCode: z.string().optional(),
  postalCodeExamples: z.array(z.string()).optional(),
  localityName: z.string(),
  areaName: z.string(),
  areas: z.array(z.object({ names: z.array(z.string()), postalCodeBegins: z.string().optional() })),
});
export type AddressRule = z.infer<typeof Rule>;

let rules: ReadonlyMap<string, AddressRule> | undefined;

/** The address format of a country. Undefined: not known. */
export function findAddressRule(countryCode: string): AddressRule | undefined {
  rules ??= readRules();
  return rules.get(countryCode);
}

function readRules(): ReadonlyMap<string, AddressRule> {
  const text = readFileSync(new URL("data/address-rules.json", import.meta.url), "utf8");
  return new Map(
    z
      .array(Rule)
      .parse(JSON.parse(text))
      .map((rule) => [rule.country, rule]),
  );
}
