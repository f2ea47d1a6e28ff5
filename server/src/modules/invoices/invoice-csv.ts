import type { InvoiceDocument } from "./document.ts";
import type { StoredInvoice } from "./invoices.ts";

/** The columns in their order. */
const COLUMNS: readonly (readonly [name: string, read: (document: InvoiceDocument) => string | null])[] = [
  ["number", ({ number }) => number],
  ["kind", ({ kind }) => kind],
  ["corrects", ({ corrects }) => corrects?.number ?? null],
  ["issuedOn", ({ issuedOn }) => issuedOn],
  ["dueOn", ({ dueOn }) => dueOn],
  ["seller", ({ seller }) => seller?.name ?? null],
  ["sellerTaxId", ({ seller }) => seller?.taxId ?? null],
  ["buyer", ({ buyer }) => buyer?.name ?? null],
  ["buyerTaxId", ({ buyer }) => buyer?.taxId ?? null],
  ["buyerReference", ({ buyer }) => buyer?.reference ?? null],
  ["total", ({ total }) => total],
  ["currency", ({ currency }) => currency],
  ["taxTreatment", ({ tax }) => tax.treatment],
  ["taxRatePercent", ({ tax }) => tax.ratePercent],
  ["taxIncluded", ({ tax }) => tax.includedAmount],
  ["totalUsdc", ({ settlement }) => settlement.totalUsdc],
  ["settledAt", ({ settlement }) => settlement.settledAt],
  ["settlementTxHash", ({ settlement }) => settlement.txHash],
  ["bookingId", ({ booking }) => booking.bookingId],
  ["tripId", ({ booking }) => booking.tripId],
  ["orderId", ({ booking }) => booking.orderId],
  ["bookingReference", ({ booking }) => booking.pnr],
  ["sandbox", ({ sandbox }) => String(sandbox)],
  ["suppliedFrom", ({ supplied }) => supplied?.from ?? null],
  ["suppliedTo", ({ supplied }) => supplied?.to ?? null],
  ["taxInSellerCurrency", ({ tax }) => tax.inSellerCurrency?.amount ?? null],
  ["sellerCurrency", ({ tax }) => tax.inSellerCurrency?.currency ?? null],
];

/** By RFC 4180, with a header. */
export function writeCsv(invoices: readonly Pick<StoredInvoice, "document">[]): Uint8Array {
  const header = COLUMNS.map(([name]) => name);
  const lines = invoices.map(({ document }) => COLUMNS.map(([, read]) => read(document) ?? ""));
  return Buffer.from([header, ...lines].map((line) => `${line.map(quote).join(",")}\r\n`).join(""));
}

/** Spreadsheets take a text that begins with one of these characters for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const AMOUNT = /^-?\d+(?:\.\d+)?$/;

function quote(text: string): string {
  const safe = FORMULA.test(text) && !AMOUNT.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
