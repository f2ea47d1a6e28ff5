/** Receipts and invoices as text, with what a reader has to find in them. Names and numbers are made up. */
export interface ReceiptText {
  text: string;
  fields: Readonly<Record<string, string>>;
}
