import {
  type EInvoice,
  EInvoiceRefused,
  type EInvoices,
  type Finding,
  type InvoiceDocument,
  noEInvoice,
} from "../invoices/index.ts";
import type { EInvoiceRules } from "./e-invoice-rules.ts";
import { FACTUR_X, facturXMetadata } from "./factur-x.ts";
import { writeCii } from "./write-cii.ts";

const PROFILE = "EN 16931";

export function createEInvoices(rules: Pick<EInvoiceRules, "areInstalled" | "check">): EInvoices {
  return {
    judge: (invoice) => judge(rules, invoice),
    attachmentOf(invoice) {
      const xml = writeCii(invoice);
      if (xml === undefined) throw new Error("an e-invoice names seller and buyer");
      return { fileName: FACTUR_X.fileName, xml, description: PROFILE, metadata: facturXMetadata(PROFILE) };
    },
  };
}

async function judge(
  rules: Pick<EInvoiceRules, "areInstalled" | "check">,
  invoice: InvoiceDocument,
): Promise<EInvoice> {
  if (!rules.areInstalled) return noEInvoice("rules");
  if (invoice.kind === "credit_note" && !invoice.eInvoice.available) return noEInvoice("invoice");
  const xml = writeCii(invoice);
  // Only the sandbox has invoices without parties.
  if (xml === undefined) return noEInvoice("parties");
  const { info, findings } = await rules.check(xml);
  const fatal = findings.filter(({ severity }) => severity === "fatal");
  if (fatal.length > 0) throw new EInvoiceRefused(sayFindings(fatal));
  const { version: rulesVersion, sha256: rulesSha256 } = info;
  return { available: true, profile: PROFILE, reason: null, findings, rulesVersion, rulesSha256 };
}

const MOST_SAID = 4;

/** Settings of the tenant that fix a broken rule. Any other broken rule would be an error of ours. */
const remedies: readonly (readonly [rule: RegExp, remedy: string])[] = [
  [/^BR-CO-26$/, "seller.taxId is missing"],
  [/^BR-(S|Z|E)-0[2-4]$/, "seller.taxId is missing, which this tax treatment needs"],
  [/^BR-AE-0[2-4]$/, "reverse charge needs the VAT numbers of both, seller.taxId and buyer.taxId"],
  [/^BR-CO-09$/, "seller.taxId or buyer.taxId looks like a VAT number of a country that there is not"],
  [/^BR-CL-14$/, "countryCode of seller or buyer is no country of ISO 3166"],
  [/^BR-(06|07|08|09|10|11)$/, "name, addressLines or countryCode of seller or buyer is missing"],
];

/** Says each rule with its text, its place and the setting that is wrong. */
function sayFindings(findings: readonly Finding[]): string {
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
