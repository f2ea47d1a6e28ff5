export { formatCents, smallestCents, taxWithin } from "./amounts.ts";
export { feeKinds, type InvoiceDocument } from "./document.ts";
export { type EInvoice, type Finding, noEInvoice } from "./e-invoice.ts";
export { EInvoiceNotChecked, EInvoiceRefused, type EInvoices } from "./e-invoices.ts";
export { invoiceTexts, SANDBOX_MARK } from "./texts.ts";
