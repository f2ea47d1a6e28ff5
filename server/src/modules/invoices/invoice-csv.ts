import { writeLines } from "../../platform/csv/write-lines.ts";
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
  return writeLines([header, ...invoices.map(({ document }) => COLUMNS.map(([, read]) => read(document)))]);
}
