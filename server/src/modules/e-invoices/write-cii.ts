import { wordsIn } from "../../domain/texts.ts";
import { formatCents, type InvoiceDocument, invoiceTexts, SANDBOX_MARK } from "../invoices/index.ts";
import { breakDownTax, toCents } from "./tax-breakdown.ts";

/** An element with its content; undefined content is left out, and so is an empty element. */
type XmlNode = string | undefined;

const attribute = (name: string, value: string): string => ` ${name}="${escapeXml(value)}"`;

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that XML cannot represent, such as control characters, are left out. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replace(/[&<>"]/g, (sign) => signs[sign] ?? "");

/** The parties of an e-invoice, in their order in it. */
interface Parties {
  readonly seller: Seller;
  readonly buyer: Seller & { readonly reference: string | null };
}
type Seller = NonNullable<InvoiceDocument["seller"]>;
type Breakdown = ReturnType<typeof breakDownTax>;
type Say = ReturnType<typeof invoiceTexts>;

const NAMESPACE = "urn:un:unece:uncefact:data:standard:";
const namespaces = [
  attribute("xmlns:rsm", `${NAMESPACE}CrossIndustryInvoice:100`),
  attribute("xmlns:ram", `${NAMESPACE}ReusableAggregateBusinessInformationEntity:100`),
  attribute("xmlns:udt", `${NAMESPACE}UnqualifiedDataType:100`),
  attribute("xmlns:qdt", `${NAMESPACE}QualifiedDataType:100`),
].join("");
const GUIDELINE = "urn:cen.eu:en16931:2017";

/** Codes of the lists UNTDID 1001 and 4461 and of UN/ECE Recommendation 20. */
const typeCodes = { invoice: "380", credit_note: "381" } as const;
const PAID_AS_AGREED = "ZZZ";
const ONE_PIECE = "C62";

/**
 * The invoice as XML by EN 16931 in the syntax CII, profile EN 16931 of Factur-X. It states that the settlement paid
 * everything, so that nothing is due. Undefined without a seller or a buyer.
 */
export function writeCii(invoice: InvoiceDocument): string | undefined {
  const { seller, buyer } = invoice;
  if (seller === null || buyer === null) return undefined;
  const say = invoiceTexts(wordsIn(invoice.language));
  const breakdown = breakDownTax(invoice);
  const root = element(
    "rsm:CrossIndustryInvoice",
    [
      element("rsm:ExchangedDocumentContext", [
        element("ram:GuidelineSpecifiedDocumentContextParameter", [element("ram:ID", GUIDELINE)]),
      ]),
      header(invoice, say),
      element("rsm:SupplyChainTradeTransaction", [
        ...lines(breakdown, say),
        agreement({ seller, buyer }, breakdown),
        delivery(invoice),
        settlement(invoice, breakdown, say),
      ]),
    ],
    namespaces,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function header({ kind, number, issuedOn, sandbox, booking, tax }: InvoiceDocument, say: Say): XmlNode {
  const facts = [
    ["bookingId", [booking.bookingId]],
    ["orderId", [booking.orderId ?? ""]],
    ["pnr", [booking.pnr ?? ""]],
    ["travelers", booking.travelers],
    ["tickets", booking.tickets],
    ["journey", booking.journey],
  ] as const;
  const told = facts.map(([name, values]) => [say(name), values.filter((one) => one !== "").join(", ")] as const);
  const notes = [
    sandbox ? SANDBOX_MARK : "",
    ...told.filter(([, values]) => values !== "").map(([name, values]) => `${name}: ${values}`),
    tax.treatment === "included" ? (tax.note ?? "") : "",
  ];
  return element("rsm:ExchangedDocument", [
    element("ram:ID", number),
    element("ram:TypeCode", typeCodes[kind === "credit_note" ? kind : "invoice"]),
    element("ram:IssueDateTime", [date("udt", issuedOn)]),
    ...notes.map((note) => element("ram:IncludedNote", [element("ram:Content", note)])),
  ]);
}

function lines({ lines: taxed }: Breakdown, say: Say): XmlNode[] {
  return taxed.map(({ kind, tax, netCents }, index) => {
    // No price may be negative: a deduction has a negative quantity.
    const [price, pieces] = netCents < 0n ? [-netCents, "-1"] : [netCents, "1"];
    return element("ram:IncludedSupplyChainTradeLineItem", [
      element("ram:AssociatedDocumentLineDocument", [element("ram:LineID", String(index + 1))]),
      element("ram:SpecifiedTradeProduct", [element("ram:Name", say(kind))]),
      element("ram:SpecifiedLineTradeAgreement", [
        element("ram:NetPriceProductTradePrice", [element("ram:ChargeAmount", formatCents(price))]),
      ]),
      element("ram:SpecifiedLineTradeDelivery", [
        element("ram:BilledQuantity", pieces, attribute("unitCode", ONE_PIECE)),
      ]),
      element("ram:SpecifiedLineTradeSettlement", [
        element("ram:ApplicableTradeTax", [
          element("ram:TypeCode", "VAT"),
          element("ram:CategoryCode", tax.category),
          tax.rate && element("ram:RateApplicablePercent", tax.rate),
        ]),
        element("ram:SpecifiedTradeSettlementLineMonetarySummation", [
          element("ram:LineTotalAmount", formatCents(netCents)),
        ]),
      ]),
    ]);
  });
}

function agreement({ seller, buyer }: Parties, { groups }: Breakdown): XmlNode {
  // An invoice outside the scope of tax must not contain a VAT number.
  const mayNameVat = groups.every(({ tax }) => tax.category !== "O");
  return element("ram:ApplicableHeaderTradeAgreement", [
    element("ram:BuyerReference", buyer.reference ?? ""),
    element("ram:SellerTradeParty", party(seller, { mayNameVat, mayNameTaxNumber: true })),
    element("ram:BuyerTradeParty", party(buyer, { mayNameVat, mayNameTaxNumber: false })),
  ]);
}

/** A number that is no VAT number still identifies the party; the seller's is its number at its tax office. */
function party(
  { name, addressLines, countryCode, taxId, email }: Seller,
  may: { mayNameVat: boolean; mayNameTaxNumber: boolean },
): XmlNode[] {
  const vatId = taxId !== null && may.mayNameVat ? readVatId(taxId) : undefined;
  const other = vatId === undefined ? taxId : null;
  const [first = "", second = "", ...others] = addressLines;
  const registration = (id: string, scheme: string) =>
    element("ram:SpecifiedTaxRegistration", [element("ram:ID", id, attribute("schemeID", scheme))]);
  return [
    element("ram:ID", other ?? ""),
    element("ram:Name", name),
    element("ram:PostalTradeAddress", [
      element("ram:LineOne", first),
      element("ram:LineTwo", second),
      element("ram:LineThree", others.join(", ")),
      element("ram:CountryID", countryCode),
    ]),
    element("ram:URIUniversalCommunication", [
      email === null ? undefined : element("ram:URIID", email, attribute("schemeID", "EM")),
    ]),
    vatId === undefined ? undefined : registration(vatId, "VA"),
    other !== null && may.mayNameTaxNumber ? registration(other, "FC") : undefined,
  ];
}

const VAT_ID = /^[A-Z]{2}(?=.*\d)[A-Z\d+*]{2,13}$/;

/** Undefined for a number that does not begin with two letters, as VAT numbers do. */
function readVatId(taxId: string): string | undefined {
  const plain = taxId.toUpperCase().replace(/[\s./-]/g, "");
  return VAT_ID.test(plain) ? plain : undefined;
}

/** One day; a period is said in the settlement. */
function delivery({ supplied }: InvoiceDocument): XmlNode {
  if (supplied === null || supplied.from !== supplied.to) return "<ram:ApplicableHeaderTradeDelivery/>";
  return element("ram:ApplicableHeaderTradeDelivery", [
    element("ram:ActualDeliverySupplyChainEvent", [element("ram:OccurrenceDateTime", [date("udt", supplied.to)])]),
  ]);
}

function suppliedPeriod({ supplied }: InvoiceDocument): XmlNode {
  if (supplied === null || supplied.from === supplied.to) return undefined;
  return element("ram:BillingSpecifiedPeriod", [
    element("ram:StartDateTime", [date("udt", supplied.from)]),
    element("ram:EndDateTime", [date("udt", supplied.to)]),
  ]);
}

function settlement(invoice: InvoiceDocument, { groups, netCents, taxCents }: Breakdown, say: Say): XmlNode {
  const { currency, kind, dueOn, corrects, settlement: paid } = invoice;
  const { inSellerCurrency } = invoice.tax;
  const total = formatCents(toCents(invoice.total));
  const how = say("transaction", { chain: String(paid.chainId), hash: paid.txHash });
  return element("ram:ApplicableHeaderTradeSettlement", [
    element("ram:TaxCurrencyCode", inSellerCurrency?.currency ?? ""),
    element("ram:InvoiceCurrencyCode", currency),
    element("ram:SpecifiedTradeSettlementPaymentMeans", [
      element("ram:TypeCode", PAID_AS_AGREED),
      element("ram:Information", how),
    ]),
    ...groups.map(taxGroup),
    suppliedPeriod(invoice),
    element("ram:SpecifiedTradePaymentTerms", [
      kind === "invoice" ? element("ram:DueDateDateTime", [date("udt", dueOn)]) : undefined,
    ]),
    element("ram:SpecifiedTradeSettlementHeaderMonetarySummation", [
      element("ram:LineTotalAmount", formatCents(netCents)),
      element("ram:TaxBasisTotalAmount", formatCents(netCents)),
      element("ram:TaxTotalAmount", formatCents(taxCents), attribute("currencyID", currency)),
      inSellerCurrency === null
        ? undefined
        : element("ram:TaxTotalAmount", inSellerCurrency.amount, attribute("currencyID", inSellerCurrency.currency)),
      element("ram:GrandTotalAmount", total),
      element("ram:TotalPrepaidAmount", total),
      element("ram:DuePayableAmount", formatCents(0n)),
    ]),
    corrects === null
      ? undefined
      : element("ram:InvoiceReferencedDocument", [
          element("ram:IssuerAssignedID", corrects.number),
          element("ram:FormattedIssueDateTime", [date("qdt", corrects.issuedOn)]),
        ]),
  ]);
}

function taxGroup({ tax, netCents, taxCents }: Breakdown["groups"][number]): XmlNode {
  return element("ram:ApplicableTradeTax", [
    element("ram:CalculatedAmount", formatCents(taxCents)),
    element("ram:TypeCode", "VAT"),
    element("ram:ExemptionReason", tax.reason ?? ""),
    element("ram:BasisAmount", formatCents(netCents)),
    element("ram:CategoryCode", tax.category),
    element("ram:ExemptionReasonCode", tax.reasonCode ?? ""),
    tax.rate && element("ram:RateApplicablePercent", tax.rate),
  ]);
}

/** `102` is the date format without separators. */
const date = (prefix: "udt" | "qdt", isoDate: string): XmlNode =>
  element(`${prefix}:DateTimeString`, isoDate.replaceAll("-", ""), attribute("format", "102"));

function element(name: string, content: string | readonly XmlNode[], attributes = ""): XmlNode {
  const inner = typeof content === "string" ? escapeXml(content) : content.filter((one) => one !== undefined).join("");
  if (inner === "") return undefined;
  return `<${name}${attributes}>${inner}</${name}>`;
}
