import { formatDecimal, type Micro, parseDecimal } from "../../../../domain/money.ts";
import { toVisibleText } from "../../../../domain/visible-text.ts";
import type { Fields, ReviewReason, Scan, ScannedField } from "../../scan.ts";
import { currencyPlaces } from "./currency-marks.ts";
import { findElement, findElements, parseXml, textAt, type XmlElement } from "./parse-xml.ts";
import { findReferences } from "./references.ts";

/** The values of either syntax, before they are checked. */
interface Said {
  seller: string | undefined;
  buyer: string | undefined;
  number: string | undefined;
  issuedOn: string | undefined;
  dueOn: string | undefined;
  supplyOn: string | undefined;
  currency: string | undefined;
  net: string | undefined;
  tax: string | undefined;
  total: string | undefined;
  taxId: string | undefined;
  lines: readonly Readonly<Record<"description" | "quantity" | "unitAmount" | "amount", string | undefined>>[];
  taxes: readonly Readonly<Record<"ratePercent" | "netAmount" | "taxAmount", string | undefined>>[];
  lineTotal: string | undefined;
  adjustments: Micro;
}

const MOST_LINES = 200;

/**
 * The fields of an e-invoice in CII (Factur-X, ZUGFeRD, XRechnung) or UBL, compared with the print. Undefined if the
 * XML is no invoice or has neither number nor total.
 */
export function readEInvoice(xml: string, printed: Scan): Scan | undefined {
  const root = parseXml(xml);
  const said = root === undefined ? undefined : readRoot(root);
  if (said?.total === undefined) return undefined;
  const total = toMicro(said.total);
  if (total === undefined) return undefined;
  const places = currencyPlaces(said.currency);
  const reasons: ReviewReason[] = [...checkSums(said, total), ...compareWithPrint(said, total, printed)];
  const fields = toFields({
    merchantName: said.seller,
    buyerName: said.buyer,
    invoiceNumber: said.number,
    issuedOn: toDate(said.issuedOn),
    dueOn: toDate(said.dueOn),
    supplyOn: toDate(said.supplyOn),
    currency: said.currency !== undefined && /^[A-Z]{3}$/.test(said.currency) ? said.currency : undefined,
    netAmount: toAmount(said.net, places),
    taxAmount: toAmount(said.tax, places),
    totalAmount: toAmount(said.total, places),
    taxId: said.taxId,
  });
  if (fields.issuedOn === undefined)
    reasons.push({ code: "date_missing", field: "issuedOn", message: "The e-invoice has no date of issue." });
  if (fields.currency === undefined)
    reasons.push({ code: "currency_missing", field: "currency", message: "The e-invoice names no currency." });
  const lines = said.lines.map(({ description, quantity, unitAmount, amount }) =>
    toFields({
      description,
      quantity: toAmount(quantity, 0),
      unitAmount: toAmount(unitAmount, places),
      amount: toAmount(amount, places),
    }),
  );
  const taxes = said.taxes.map(({ ratePercent, netAmount, taxAmount }) =>
    toFields({
      ratePercent: toAmount(ratePercent, 0),
      netAmount: toAmount(netAmount, places),
      taxAmount: toAmount(taxAmount, places),
    }),
  );
  const references = findReferences(collectTexts(root).map((text) => ({ text })));
  return {
    fields,
    ...(lines.length === 0 ? {} : { lines }),
    ...(taxes.length === 0 ? {} : { taxes }),
    reasons,
    references: [...new Set([...references, ...printed.references])].slice(0, 50),
    pages: printed.pages,
  };
}

function readRoot(root: XmlElement): Said | undefined {
  if (root.name === "CrossIndustryInvoice") return readCii(root);
  return root.name === "Invoice" || root.name === "CreditNote" ? readUbl(root) : undefined;
}

function readCii(root: XmlElement): Said {
  const document = findElement(root, "ExchangedDocument");
  const trade = findElement(root, "SupplyChainTradeTransaction");
  const agreement = findElement(trade, "ApplicableHeaderTradeAgreement");
  const delivery = findElement(trade, "ApplicableHeaderTradeDelivery");
  const settlement = findElement(trade, "ApplicableHeaderTradeSettlement");
  const sums = findElement(settlement, "SpecifiedTradeSettlementHeaderMonetarySummation");
  const currency = textAt(settlement, "InvoiceCurrencyCode");
  const taxTotal = findElements(sums, "TaxTotalAmount").find(
    (one) => (one.attributes.get("currencyID") ?? currency) === currency,
  );
  const seller = findElement(agreement, "SellerTradeParty");
  const registrations = findElements(seller, "SpecifiedTaxRegistration").map((one) => findElement(one, "ID"));
  const vat = registrations.find((id) => id?.attributes.get("schemeID") === "VA") ?? registrations[0];
  return {
    seller: textAt(seller, "Name"),
    buyer: textAt(agreement, "BuyerTradeParty", "Name"),
    number: textAt(document, "ID"),
    issuedOn: textAt(document, "IssueDateTime", "DateTimeString"),
    dueOn: textAt(settlement, "SpecifiedTradePaymentTerms", "DueDateDateTime", "DateTimeString"),
    supplyOn: textAt(delivery, "ActualDeliverySupplyChainEvent", "OccurrenceDateTime", "DateTimeString"),
    currency,
    net: textAt(sums, "TaxBasisTotalAmount"),
    tax: taxTotal?.text.trim(),
    total: textAt(sums, "GrandTotalAmount"),
    taxId: vat?.text.trim(),
    lines: findElements(trade, "IncludedSupplyChainTradeLineItem")
      .slice(0, MOST_LINES)
      .map((line) => ({
        description: textAt(line, "SpecifiedTradeProduct", "Name"),
        quantity: textAt(line, "SpecifiedLineTradeDelivery", "BilledQuantity"),
        unitAmount: textAt(line, "SpecifiedLineTradeAgreement", "NetPriceProductTradePrice", "ChargeAmount"),
        amount: textAt(
          line,
          "SpecifiedLineTradeSettlement",
          "SpecifiedTradeSettlementLineMonetarySummation",
          "LineTotalAmount",
        ),
      })),
    taxes: findElements(settlement, "ApplicableTradeTax").map((tax) => ({
      ratePercent: textAt(tax, "RateApplicablePercent"),
      netAmount: textAt(tax, "BasisAmount"),
      taxAmount: textAt(tax, "CalculatedAmount"),
    })),
    lineTotal: textAt(sums, "LineTotalAmount"),
    adjustments: orZero(textAt(sums, "ChargeTotalAmount")) - orZero(textAt(sums, "AllowanceTotalAmount")),
  };
}

function readUbl(root: XmlElement): Said {
  const isCredit = root.name === "CreditNote";
  const seller = findElement(root, "AccountingSupplierParty", "Party");
  const buyer = findElement(root, "AccountingCustomerParty", "Party");
  const sums = findElement(root, "LegalMonetaryTotal");
  const currency = textAt(root, "DocumentCurrencyCode");
  const taxTotals = findElements(root, "TaxTotal");
  const taxTotal = taxTotals.find(
    (one) => (findElement(one, "TaxAmount")?.attributes.get("currencyID") ?? currency) === currency,
  );
  const readName = (party: XmlElement | undefined) =>
    textAt(party, "PartyLegalEntity", "RegistrationName") ?? textAt(party, "PartyName", "Name");
  return {
    seller: readName(seller),
    buyer: readName(buyer),
    number: textAt(root, "ID"),
    issuedOn: textAt(root, "IssueDate"),
    dueOn: textAt(root, "DueDate") ?? textAt(root, "PaymentMeans", "PaymentDueDate"),
    supplyOn: textAt(root, "Delivery", "ActualDeliveryDate"),
    currency,
    net: textAt(sums, "TaxExclusiveAmount"),
    tax: textAt(taxTotal, "TaxAmount"),
    total: textAt(sums, "TaxInclusiveAmount"),
    taxId: textAt(seller, "PartyTaxScheme", "CompanyID"),
    lines: findElements(root, isCredit ? "CreditNoteLine" : "InvoiceLine")
      .slice(0, MOST_LINES)
      .map((line) => ({
        description: textAt(line, "Item", "Name"),
        quantity: textAt(line, isCredit ? "CreditedQuantity" : "InvoicedQuantity"),
        unitAmount: textAt(line, "Price", "PriceAmount"),
        amount: textAt(line, "LineExtensionAmount"),
      })),
    taxes: findElements(taxTotal, "TaxSubtotal").map((tax) => ({
      ratePercent: textAt(tax, "TaxCategory", "Percent"),
      netAmount: textAt(tax, "TaxableAmount"),
      taxAmount: textAt(tax, "TaxAmount"),
    })),
    lineTotal: textAt(sums, "LineExtensionAmount"),
    adjustments: orZero(textAt(sums, "ChargeTotalAmount")) - orZero(textAt(sums, "AllowanceTotalAmount")),
  };
}

/** XML schema decimals may have a sign, and leading and trailing zeros. */
function toMicro(text: string | undefined): Micro | undefined {
  const match = /^([-+]?)0{0,20}(\d{1,15})(?:\.(\d{0,6})0{0,20})?$/.exec(text?.trim() ?? "");
  const [, sign, whole = "", fraction = ""] = match ?? [];
  const value = match === null ? undefined : parseDecimal(fraction === "" ? whole : `${whole}.${fraction}`);
  return value === undefined || sign !== "-" ? value : -value;
}

const orZero = (text: string | undefined): Micro => toMicro(text) ?? 0n;

function toAmount(text: string | undefined, places: number): string | undefined {
  const value = toMicro(text);
  return value === undefined ? undefined : formatDecimal(value, places);
}

/** `2026-11-26`, or `20261126` as CII writes it. */
function toDate(text: string | undefined): string | undefined {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(text ?? "");
  if (match === null) return undefined;
  try {
    return Temporal.PlainDate.from(`${match[1]}-${match[2]}-${match[3]}`).toString();
  } catch {
    return undefined;
  }
}

const MOST_CHARACTERS = 200;

function toFields(values: Readonly<Record<string, string | undefined>>): Fields {
  const fields: Record<string, ScannedField> = {};
  for (const [name, value] of Object.entries(values)) {
    const shown = value === undefined ? "" : toVisibleText(value, MOST_CHARACTERS);
    if (shown !== "")
      fields[name] = { value: shown, confidence: 1, from: { source: "e_invoice", page: null, box: null } };
  }
  return fields;
}

const CENT = 10_000n;
const size = (value: Micro): Micro => (value < 0n ? -value : value);

function checkSums(said: Said, total: Micro): ReviewReason[] {
  const reasons: ReviewReason[] = [];
  const net = toMicro(said.net);
  const lineTotal = toMicro(said.lineTotal);
  const sum = said.lines.reduce((all, line) => all + orZero(line.amount), 0n);
  if (net !== undefined && size(net + orZero(said.tax) - total) > CENT) {
    reasons.push({
      code: "totals_disagree",
      field: "totalAmount",
      message: "Net amount and taxes do not add up to the total.",
    });
  }
  const isWhole = said.lines.length > 0 && said.lines.length < MOST_LINES;
  const withoutLines = isWhole && lineTotal !== undefined && size(sum - lineTotal) > CENT;
  const withoutNet = lineTotal !== undefined && net !== undefined && size(lineTotal + said.adjustments - net) > CENT;
  if (withoutLines || withoutNet)
    reasons.push({ code: "lines_disagree", field: "lines", message: "The lines do not add up to the net amount." });
  const taxes = said.taxes.reduce((all, tax) => all + orZero(tax.taxAmount), 0n);
  if (said.taxes.length > 0 && said.tax !== undefined && size(taxes - orZero(said.tax)) > CENT) {
    reasons.push({
      code: "taxes_disagree",
      field: "taxAmount",
      message: "The taxes per rate do not add up to the tax.",
    });
  }
  return reasons;
}

/** People read the print, and programs the XML: both must agree. */
function compareWithPrint(said: Said, total: Micro, printed: Scan): ReviewReason[] {
  const pairs = [
    ["totalAmount", toMicro(printed.fields.totalAmount?.value), total],
    ["currency", printed.fields.currency?.value, said.currency],
    ["issuedOn", printed.fields.issuedOn?.value, toDate(said.issuedOn)],
    ["invoiceNumber", printed.fields.invoiceNumber?.value, said.number],
  ] as const;
  return pairs
    .filter(([, print, own]) => print !== undefined && own !== undefined && print !== own)
    .map(([field]) => ({
      code: "parts_disagree",
      field,
      message: "The embedded e-invoice differs from the page.",
    }));
}

function collectTexts(root: XmlElement | undefined): string[] {
  const texts: string[] = [];
  const visit = (element: XmlElement) => {
    if (texts.length < 1_000 && element.children.length === 0) texts.push(element.text.slice(0, 400));
    element.children.forEach(visit);
  };
  if (root !== undefined) visit(root);
  return texts;
}
