import { type RandomBytes, randomBase62 } from "../../domain/ids.ts";
import type { Ports } from "./context.ts";
import type { InvoiceDocument } from "./document.ts";
import { InvoiceNotDrawn } from "./drawing/invoice-renderer.ts";
import type { DrawnInvoice, Owner, StoredInvoice } from "./invoices.ts";

export type SharePorts = Pick<Ports, "invoiceAddresses" | "invoiceRenderer" | "eInvoices"> & {
  stores: Pick<Ports["stores"], "invoices">;
};

export interface InvoiceAddresses {
  newToken(): string;
  pdfUrl(token: string): string;
  jsonUrl(token: string): string;
}

/** 190 bits, which nobody can guess. */
const TOKEN_LENGTH = 32;

export function createInvoiceAddresses(appUrl: string, random: RandomBytes): InvoiceAddresses {
  const address = (token: string, suffix: string) => `${appUrl}/api/invoice-files/${token}.${suffix}`;
  return {
    newToken: () => randomBase62(TOKEN_LENGTH, random),
    pdfUrl: (token) => address(token, "pdf"),
    jsonUrl: (token) => address(token, "json"),
  };
}

export const buildFileNames = (invoiceNumber: string): { pdf: string; json: string } => {
  const name = invoiceNumber.replaceAll("/", "-");
  return { pdf: `${name}.pdf`, json: `${name}.json` };
};

export const writeJson = (document: InvoiceDocument): Uint8Array => Buffer.from(JSON.stringify(document, null, 2));

/**
 * The addresses of PDF and JSON: the same for every call until they are revoked. `isNew`: it was just issued, so no PDF is
 * looked for. Undefined: the PDF could not be made now.
 */
export async function shareInvoice(
  { stores: { invoices }, invoiceAddresses, invoiceRenderer, eInvoices }: SharePorts,
  owner: Owner,
  { invoiceNumber, document }: StoredInvoice,
  isNew: boolean,
): Promise<{ pdfUrl: string; jsonUrl: string; charactersNotShown: string } | undefined> {
  const newToken = invoiceAddresses.newToken();
  let shared = isNew ? undefined : await invoices.share(owner, invoiceNumber, newToken);
  if (shared === undefined) {
    const made = await draw({ invoiceRenderer, eInvoices }, document);
    if (made === undefined) return undefined;
    shared = await invoices.share(owner, invoiceNumber, newToken, made);
  }
  if (shared === undefined) throw new Error(`the invoice ${invoiceNumber} is gone`);
  const { token, charactersNotShown } = shared;
  return { pdfUrl: invoiceAddresses.pdfUrl(token), jsonUrl: invoiceAddresses.jsonUrl(token), charactersNotShown };
}

/** The one PDF of the invoice. Undefined: it could not be made now. */
export async function drawOnce(
  { stores: { invoices }, ...drawing }: Pick<SharePorts, "invoiceRenderer" | "eInvoices" | "stores">,
  owner: Owner,
  { invoiceNumber, document }: StoredInvoice,
): Promise<Uint8Array | undefined> {
  const kept = await invoices.findDrawn(owner, invoiceNumber);
  if (kept !== undefined) return kept;
  const made = await draw(drawing, document);
  if (made === undefined) return undefined;
  await invoices.keepDrawn(owner, invoiceNumber, made);
  return (await invoices.findDrawn(owner, invoiceNumber)) ?? made.pdf;
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
