import { parseDecimal } from "../../src/domain/money.ts";
import { writeCii } from "../../src/modules/e-invoices/write-cii.ts";
import { formatCents } from "../../src/modules/invoices/amounts.ts";
import type { InvoiceDocument } from "../../src/modules/invoices/document.ts";
import { noEInvoice } from "../../src/modules/invoices/e-invoice.ts";

type Line = InvoiceDocument["lines"][number];

const line = (kind: Line["kind"], amount: string): Line => ({ kind, amount, exactUsdc: amount });
const party = { addressLines: ["Beispielstraße 12", "Hof <3>", "10115 Berlin", "c/o Ä"], countryCode: "DE" };

/** An invoice of a flight with a line of each kind that it can have, also one below zero, whose tax is treated so. */
export function sampleInvoice(
  treatment: InvoiceDocument["tax"]["treatment"],
  { ratePercent = null, ...others }: Partial<InvoiceDocument> & { ratePercent?: string | null } = {},
): InvoiceDocument {
  return {
    kind: "invoice",
    number: "INV-000001",
    issuedOn: "2026-11-23",
    dueOn: "2026-12-07",
    supplied: { from: "2026-11-20", to: "2026-11-20" },
    sandbox: false,
    language: "de",
    corrects: null,
    changes: [],
    currency: "USD",
    total: "988.09",
    seller: { ...party, name: "Example & Söhne GmbH", taxId: "DE 123 456 789", email: "office@example.com" },
    buyer: { ...party, name: "髙橋商事", taxId: "GB123456789", email: null, countryCode: "GB", reference: "PO 4711" },
    booking: {
      bookingId: "0x01",
      tripId: "0x02",
      orderId: "ord_1",
      pnr: "ZZ1234",
      orderedBy: null,
      travelers: ["Tess Traveler"],
      tickets: ["125-1"],
      journey: ["BA117 LHR – JFK, 2026-12-20 10:00"],
    },
    lines: [
      ...[line("fare", "812.40"), line("taxes", "97.63"), line("bags_and_seats", "45.00")],
      ...[line("adjustment", "-0.31"), line("markup", "33.33"), line("service_fee", "0.04")],
    ],
    tax: { treatment, ratePercent, includedAmount: null, note: null, inSellerCurrency: null },
    settlement: {
      totalUsdc: "988.09",
      txHash: "0x03",
      chainId: 31337,
      settledAt: "2026-11-23T08:00:00Z",
      rate: {
        from: "USD",
        to: "USDC",
        value: "1",
        source: "embedded",
        sourceLevel: "embedded",
        asOf: null,
        marginBps: 0,
      },
    },
    eInvoice: noEInvoice("rules"),
    ...others,
  };
}

export const sampleXml = (...of: Parameters<typeof sampleInvoice>): string => writeCii(sampleInvoice(...of)) ?? "";

/** A wrong invoice by the rule that must find it, made of a right one. */
export interface WrongEInvoice {
  readonly rule: string;
  readonly xml: string;
}

const taxed = sampleXml("included", { ratePercent: "19" });
const creditNote = sampleXml("included", {
  ratePercent: "19",
  kind: "credit_note",
  corrects: { number: "INV-000001", issuedOn: "2026-11-20" },
});
/** With the tax in the seller's currency, and a period of supply. */
export const inEuro: Partial<InvoiceDocument> = {
  supplied: { from: "2026-12-20", to: "2026-12-27" },
  tax: {
    ...sampleInvoice("included").tax,
    ratePercent: "19",
    inSellerCurrency: { currency: "EUR", amount: "4.61", rate: { value: "0.864", source: "ECB", asOf: "2026-11-23" } },
  },
};
const taxedTwice = sampleXml("included", inEuro);
const exempt = sampleXml("exempt");
const reversed = sampleXml("reverse_charge");
const outside = sampleXml("none");
const zero = sampleXml("included", { ratePercent: "0" });

function change(xml: string, from: string | RegExp, to: string): string {
  const changed = xml.replace(from, () => to);
  if (changed === xml) throw new Error(`the invoice has no ${from}`);
  return changed;
}

/** The first element of this name, after the place where a text stands. */
function without(xml: string, name: string, after = "<"): string {
  const at = xml.indexOf(after);
  const pattern = new RegExp(`<${name}( [^>]*)?>.*?</${name}>`, "s");
  return xml.slice(0, at) + change(xml.slice(at), pattern, "");
}

/** One cent more than it says. */
function centMore(xml: string, name: string, cents = 1n): string {
  return xml.replace(
    new RegExp(`(<ram:${name}[^>]*>)([\\d.]+)(?=</ram:${name}>)(?!.*<ram:${name}[ >])`, "s"),
    (_, start, amount) => {
      return start + formatCents((parseDecimal(amount) ?? 0n) / 10_000n + cents);
    },
  );
}

const SELLER = "<ram:SellerTradeParty>";
const BUYER = "<ram:BuyerTradeParty>";
const END = "<ram:SpecifiedTradeSettlementHeaderMonetarySummation>";
const GROUPS = "<ram:SpecifiedTradeSettlementPaymentMeans>";

const rules: Readonly<Record<string, string>> = {
  // Required elements.
  "BR-01": without(taxed, "ram:GuidelineSpecifiedDocumentContextParameter"),
  "BR-02": without(taxed, "ram:ID", "<rsm:ExchangedDocument>"),
  "BR-03": without(taxed, "ram:IssueDateTime"),
  "BR-04": without(taxed, "ram:TypeCode", "<rsm:ExchangedDocument>"),
  "BR-05": without(taxed, "ram:InvoiceCurrencyCode"),
  "BR-06": without(taxed, "ram:Name", SELLER),
  "BR-07": without(taxed, "ram:Name", BUYER),
  "BR-08": without(taxed, "ram:PostalTradeAddress", SELLER),
  "BR-09": without(taxed, "ram:CountryID", SELLER),
  "BR-10": without(taxed, "ram:PostalTradeAddress", BUYER),
  "BR-11": without(taxed, "ram:CountryID", BUYER),
  "BR-12": without(taxed, "ram:LineTotalAmount", END),
  "BR-13": without(taxed, "ram:TaxBasisTotalAmount"),
  "BR-14": without(taxed, "ram:GrandTotalAmount"),
  "BR-15": without(taxed, "ram:DuePayableAmount"),
  "BR-16": change(taxed, /<ram:IncludedSupplyChainTradeLineItem>.*<\/ram:IncludedSupplyChainTradeLineItem>/s, ""),
  "BR-21": without(taxed, "ram:LineID"),
  "BR-22": without(taxed, "ram:BilledQuantity"),
  "BR-23": change(taxed, ' unitCode="C62"', ""),
  "BR-24": without(taxed, "ram:LineTotalAmount"),
  "BR-25": without(taxed, "ram:Name"),
  "BR-26": without(taxed, "ram:ChargeAmount"),
  "BR-27": change(taxed, "<ram:ChargeAmount>812", "<ram:ChargeAmount>-812"),
  "BR-45": without(taxed, "ram:BasisAmount", GROUPS),
  "BR-46": without(taxed, "ram:CalculatedAmount"),
  "BR-47": without(taxed, "ram:CategoryCode", GROUPS),
  "BR-48": without(taxed, "ram:RateApplicablePercent", GROUPS),
  "BR-49": without(taxed, "ram:TypeCode", GROUPS),
  "BR-53": change(taxedTwice, /<ram:TaxTotalAmount currencyID="EUR">.*?<\/ram:TaxTotalAmount>/, ""),
  "BR-29": change(taxedTwice, ">20261227<", ">20261201<"),
  "BR-55": without(creditNote, "ram:IssuerAssignedID"),
  "BR-62": change(taxed, ' schemeID="EM"', ""),
  "BR-CO-04": without(taxed, "ram:ApplicableTradeTax"),
  "BR-CO-18": change(taxed, /<ram:ApplicableTradeTax><ram:Calc.*<\/ram:ApplicableTradeTax>/s, ""),
  "BR-CO-26": without(taxed, "ram:SpecifiedTaxRegistration", SELLER),
  // Sums that are wrong by a cent.
  "BR-CO-10": centMore(taxed, "LineTotalAmount"),
  "BR-CO-13": centMore(taxed, "TaxBasisTotalAmount"),
  "BR-CO-14": centMore(taxed, "TaxTotalAmount"),
  "BR-CO-15": centMore(taxed, "GrandTotalAmount"),
  "BR-CO-16": centMore(taxed, "DuePayableAmount"),
  "BR-CO-17": centMore(taxed, "CalculatedAmount", 200n),
  "BR-S-08": change(taxed, "<ram:BasisAmount>28", "<ram:BasisAmount>29"),
  "BR-E-08": change(exempt, "<ram:BasisAmount>988.09", "<ram:BasisAmount>985.09"),
  // Taxes that cannot be.
  "BR-S-05": change(taxed, "<ram:RateApplicablePercent>19", "<ram:RateApplicablePercent>0"),
  "BR-Z-05": change(zero, /(?<=>Z<\/ram:CategoryCode><ram:RateApplicablePercent>)0/, "19"),
  "BR-E-05": change(exempt, "<ram:RateApplicablePercent>0", "<ram:RateApplicablePercent>19"),
  "BR-AE-05": change(reversed, "<ram:RateApplicablePercent>0", "<ram:RateApplicablePercent>19"),
  "BR-E-09": centMore(exempt, "CalculatedAmount"),
  "BR-E-10": without(exempt, "ram:ExemptionReason"),
  "BR-AE-10": without(without(reversed, "ram:ExemptionReason"), "ram:ExemptionReasonCode"),
  "BR-AE-02": without(reversed, "ram:SpecifiedTaxRegistration", BUYER),
  "BR-S-02": without(taxed, "ram:SpecifiedTaxRegistration", SELLER),
  "BR-O-02": change(outside, 'schemeID="FC"', 'schemeID="VA"'),
  "BR-O-10": without(outside, "ram:ExemptionReasonCode"),
  // Codes that no list has.
  "BR-CL-01": change(taxed, "<ram:TypeCode>380", "<ram:TypeCode>999"),
  "BR-CL-04": change(taxed, "<ram:InvoiceCurrencyCode>USD", "<ram:InvoiceCurrencyCode>123"),
  "BR-CL-14": change(taxed, "<ram:CountryID>DE", "<ram:CountryID>XX"),
  "BR-CL-16": change(taxed, "<ram:TypeCode>ZZZ", "<ram:TypeCode>QQQ"),
  "BR-CL-18": change(taxed, "<ram:CategoryCode>E", "<ram:CategoryCode>Q"),
  "BR-CL-22": change(taxed, "VATEX-EU-79-C", "VATEX-EU-NONE"),
  "BR-CL-23": change(taxed, ' unitCode="C62"', ' unitCode="PIECE"'),
  "BR-CL-25": change(taxed, ' schemeID="EM"', ' schemeID="MAIL"'),
  "BR-CO-09": change(taxed, ">DE123456789", ">XX123456789"),
  "BR-DEC-14": change(taxed, "<ram:GrandTotalAmount>988.09", "<ram:GrandTotalAmount>988.091"),
};

export const wrongEInvoices: readonly WrongEInvoice[] = Object.entries(rules).map(([rule, xml]) => ({ rule, xml }));
