import {
  type EInvoice,
  EInvoiceRefused,
  type EInvoices,
  type Finding,
  type InvoiceDocument,
  noEInvoice,
} from "../invoices/index.ts";
import type { EInvoiceRules } from "./e-invoice-rules.ts";
import { writeCii } from "./write-cii.ts";

const PROFILE = "EN 16931";

export function createEInvoices(rules: Pick<EInvoiceRules, "areInstalled" | "check">): EInvoices {
  return {
    judge: (invoice) => judge(rules, invoice),
    buildAttachment(invoice) {
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

/** Settings of the tenant that fix a broken rule. Any other broken rule would be an internal error. */
const remedies: readonly (readonly [rule: RegExp, remedy: string])[] = [
  [/^BR-CO-26$/, "seller.taxId is missing"],
  [/^BR-(S|Z|E)-0[2-4]$/, "seller.taxId is missing, which this tax treatment needs"],
  [/^BR-AE-0[2-4]$/, "reverse charge needs the VAT numbers of both, seller.taxId and buyer.taxId"],
  [/^BR-CO-09$/, "seller.taxId or buyer.taxId looks like a VAT number of a country that does not exist"],
  [/^BR-CL-14$/, "countryCode of seller or buyer is not an ISO 3166 country"],
  [/^BR-(06|07|08|09|10|11)$/, "name, addressLines or countryCode of seller or buyer is missing"],
];

/** Describes each rule with its text, its place and the setting at fault. */
function sayFindings(findings: readonly Finding[]): string {
  const said = findings.slice(0, MOST_SAID).map(({ rule, text, place }) => {
    const remedy = remedies.find(([pattern]) => pattern.test(rule))?.[1];
    const mend =
      remedy === undefined
        ? "No invoicing setting is known to fix this. Tell the operator."
        : `Invoicing settings: ${remedy}.`;
    return `${text} (rule ${rule} at ${place}). ${mend}`;
  });
  const more = findings.length - said.length;
  return [...said, ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
}

const FACTUR_X = { fileName: "factur-x.xml", version: "1.0" } as const;

const NAMESPACE = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";

const properties = {
  DocumentFileName: "The name of the embedded XML document",
  DocumentType: "The type of the hybrid document in capital letters, such as INVOICE or ORDER",
  Version: "The version of the standard that the embedded XML document follows",
  ConformanceLevel: "The conformance level of the embedded XML document",
} as const;

const formatProperty = ([name, meaning]: readonly [string, string]): string =>
  `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>${meaning}</pdfaProperty:description></rdf:li>`;

/** Tells readers of the PDF which e-invoice it holds; PDF/A requires the terms of such metadata to be declared with it. */
const facturXMetadata = (profile: string): string => `
  <rdf:Description rdf:about="" xmlns:fx="${NAMESPACE}">
    <fx:DocumentType>INVOICE</fx:DocumentType>
    <fx:DocumentFileName>${FACTUR_X.fileName}</fx:DocumentFileName>
    <fx:Version>${FACTUR_X.version}</fx:Version>
    <fx:ConformanceLevel>${profile}</fx:ConformanceLevel>
  </rdf:Description>
  <rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
    <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
      <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
      <pdfaSchema:namespaceURI>${NAMESPACE}</pdfaSchema:namespaceURI>
      <pdfaSchema:prefix>fx</pdfaSchema:prefix>
      <pdfaSchema:property><rdf:Seq>${Object.entries(properties).map(formatProperty).join("")}</rdf:Seq></pdfaSchema:property>
    </rdf:li></rdf:Bag></pdfaExtension:schemas>
  </rdf:Description>
`;
