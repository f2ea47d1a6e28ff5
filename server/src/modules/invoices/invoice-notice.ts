import type { NoticeDocument } from "../../ports/notice-document.ts";
import type { Parts } from "./context.ts";
import { buildFileNames, drawOnce } from "./share-invoice.ts";

type NoticeParts = Pick<Parts, "invoiceRenderer" | "eInvoices"> & { stores: Pick<Parts["stores"], "invoices"> };

/** An invoice or credit note goes to the travelers with the news that it was issued. */
export function invoiceDocument({ stores, invoiceRenderer, eInvoices }: NoticeParts): NoticeDocument {
  return {
    types: ["invoice.issued", "invoice.credited"],
    async make({ tenantId, environment, data: { invoiceNumber } }) {
      if (typeof invoiceNumber !== "string") return undefined;
      const owner = { tenantId, environment };
      const found = await stores.invoices.find(owner, invoiceNumber);
      if (found === undefined) return undefined;
      const content = await drawOnce({ stores, invoiceRenderer, eInvoices }, owner, found);
      if (content === undefined) throw new Error("the invoice cannot be drawn now");
      return { fileName: buildFileNames(invoiceNumber).pdf, contentType: "application/pdf", content };
    },
  };
}
