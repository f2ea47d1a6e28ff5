import type { Ports } from "../../kernel/tool.ts";
import { InvoiceNotDrawn } from "./drawing/invoice-renderer.ts";
import type { DrawnInvoice, Owner, StoredInvoice } from "./invoices.ts";

export const FILE_LIFETIME = Temporal.Duration.from({ hours: 30 * 24 });

type SharePorts = Pick<Ports, "fileShelf" | "invoiceRenderer"> & { stores: Pick<Ports["stores"], "invoices"> };

export const fileNamesOf = (invoiceNumber: string): { pdf: string; json: string } => {
  const name = invoiceNumber.replaceAll("/", "-");
  return { pdf: `${name}.pdf`, json: `${name}.json` };
};

/** Puts PDF and JSON where they can be read. Undefined: the PDF could not be made now. */
export async function shareInvoice(
  { stores: { invoices }, fileShelf, invoiceRenderer }: SharePorts,
  owner: Owner,
  { invoiceNumber, document }: StoredInvoice,
  expiresAt: Temporal.Instant,
): Promise<{ pdfUrl: string; jsonUrl: string; charactersNotShown: string } | undefined> {
  let drawn: DrawnInvoice | undefined = await invoices.drawn(owner, invoiceNumber);
  try {
    drawn ??= await invoices.keepDrawn(owner, invoiceNumber, await invoiceRenderer.render(document));
  } catch (error) {
    if (!(error instanceof InvoiceNotDrawn)) throw error;
    return undefined;
  }
  const names = fileNamesOf(invoiceNumber);
  const [pdfUrl = "", jsonUrl = ""] = await fileShelf.share(
    owner.tenantId,
    [
      { fileName: names.pdf, contentType: "application/pdf", content: drawn.pdf },
      {
        fileName: names.json,
        contentType: "application/json",
        content: Buffer.from(JSON.stringify(document, null, 2)),
      },
    ],
    expiresAt,
  );
  return { pdfUrl, jsonUrl, charactersNotShown: drawn.charactersNotShown };
}
