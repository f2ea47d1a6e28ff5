import type { Ports } from "./context.ts";
import type { InvoiceDocument } from "./document.ts";
import { InvoiceNotDrawn } from "./drawing/invoice-renderer.ts";
import type { DrawnInvoice, Owner, StoredInvoice } from "./invoices.ts";

export const FILE_LIFETIME = Temporal.Duration.from({ hours: 30 * 24 });

type SharePorts = Pick<Ports, "fileShelf" | "invoiceRenderer" | "eInvoices"> & {
  stores: Pick<Ports["stores"], "invoices">;
};

export const buildFileNames = (invoiceNumber: string): { pdf: string; json: string } => {
  const name = invoiceNumber.replaceAll("/", "-");
  return { pdf: `${name}.pdf`, json: `${name}.json` };
};

/** Publishes PDF and JSON. `isNew`: it was just issued, so no PDF is looked for. Undefined: the PDF could not be made now. */
export async function shareInvoice(
  { stores: { invoices }, fileShelf, invoiceRenderer, eInvoices }: SharePorts,
  owner: Owner,
  { invoiceNumber, document }: StoredInvoice,
  { expiresAt, isNew = false }: { expiresAt: Temporal.Instant; isNew?: boolean },
): Promise<{ pdfUrl: string; jsonUrl: string; charactersNotShown: string } | undefined> {
  let drawn = isNew ? undefined : await invoices.drawn(owner, invoiceNumber);
  if (drawn === undefined) {
    const made = await draw({ invoiceRenderer, eInvoices }, document);
    if (made === undefined) return undefined;
    drawn = await invoices.keepDrawn(owner, invoiceNumber, made);
  }
  const names = buildFileNames(invoiceNumber);
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

/** Undefined also if the invoice is an e-invoice and its XML cannot be written: a PDF without it would be kept permanently. */
async function draw(
  { invoiceRenderer, eInvoices }: Pick<SharePorts, "invoiceRenderer" | "eInvoices">,
  invoice: InvoiceDocument,
): Promise<DrawnInvoice | undefined> {
  const attachment = invoice.eInvoice.available ? eInvoices?.buildAttachment(invoice) : undefined;
  if (invoice.eInvoice.available && attachment === undefined) return undefined;
  try {
    return await invoiceRenderer.render({ invoice, attachment });
  } catch (error) {
    if (!(error instanceof InvoiceNotDrawn)) throw error;
    return undefined;
  }
}
