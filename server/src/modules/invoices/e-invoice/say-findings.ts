import type { Finding } from "./findings.ts";

const MOST_SAID = 4;

/** What of the invoicing settings mends what breaks a rule. The rest would be an error of ours. */
const remedies: readonly (readonly [rule: RegExp, remedy: string])[] = [
  [/^BR-CO-26$/, "seller.taxId is missing"],
  [/^BR-(S|Z|E)-0[2-4]$/, "seller.taxId is missing, which this tax treatment needs"],
  [/^BR-AE-0[2-4]$/, "reverse charge needs the VAT numbers of both, seller.taxId and buyer.taxId"],
  [/^BR-CO-09$/, "seller.taxId or buyer.taxId looks like a VAT number of a country that there is not"],
  [/^BR-CL-14$/, "countryCode of seller or buyer is no country of ISO 3166"],
  [/^BR-(06|07|08|09|10|11)$/, "name, addressLines or countryCode of seller or buyer is missing"],
];

/** For whoever has to mend it: each rule with its text, its place and the setting that is wrong. */
export function sayFindings(findings: readonly Finding[]): string {
  const said = findings.slice(0, MOST_SAID).map(({ rule, text, place }) => {
    const remedy = remedies.find(([pattern]) => pattern.test(rule))?.[1];
    const mend =
      remedy === undefined
        ? "No invoicing setting is known to mend this: tell the operator."
        : `Invoicing settings: ${remedy}.`;
    return `${text} (rule ${rule} at ${place}). ${mend}`;
  });
  const more = findings.length - said.length;
  return [...said, ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
}
