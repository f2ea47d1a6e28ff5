import type { InvoiceDocument } from "./document.ts";
import { type EInvoice, noEInvoice } from "./e-invoice.ts";

/** Makes e-invoices. The module `e-invoices` provides it; an installation without that module issues plain invoices. */
export interface EInvoices {
  /**
   * Whether the invoice can be issued as an e-invoice. Throws `EInvoiceRefused` if a rule forbids it, and `EInvoiceNotChecked`
   * if the rules are installed but cannot be run: no invoice is issued unchecked then.
   */
  judge(invoice: InvoiceDocument): Promise<EInvoice>;
  /** The file that makes the invoice's PDF an e-invoice. */
  buildAttachment(invoice: InvoiceDocument): EInvoiceAttachment;
}

export interface EInvoiceAttachment {
  readonly fileName: string;
  readonly xml: string;
  readonly description: string;
  /** RDF that tells readers of the PDF which e-invoice it holds. */
  readonly metadata: string;
}

/** The rules forbid the invoice, so it must not be issued. The message names the rules and the remedy. */
export class EInvoiceRefused extends Error {
  override readonly name = "EInvoiceRefused";
}

/** The e-invoice was not checked: too many wait, the check took too long, or the rules could not be run. */
export class EInvoiceNotChecked extends Error {
  /** The operator's remedy. Undefined: a later try may succeed. */
  readonly remedy: string | undefined;

  constructor(reason: string, remedy?: string) {
    super(`The e-invoice was not checked: ${reason}.`);
    this.name = "EInvoiceNotChecked";
    this.remedy = remedy;
  }
}

export async function judgeInvoice(eInvoices: EInvoices | undefined, invoice: InvoiceDocument): Promise<EInvoice> {
  if (invoice.kind === "receipt") return noEInvoice("receipt");
  return (await eInvoices?.judge(invoice)) ?? noEInvoice("module");
}

const MOST_TRIES = 3;

/**
 * Judges the future invoice outside of a transaction, because that takes long, and then issues it: `issue` compares again and
 * returns undefined if the contents have changed. Throws like `EInvoices.judge`.
 */
export async function issueJudged<Issued>(
  eInvoices: EInvoices | undefined,
  draw: () => Promise<InvoiceDocument | undefined>,
  issue: (judged: { draft: InvoiceDocument; eInvoice: EInvoice }) => Promise<Issued | undefined>,
): Promise<Issued | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const draft = await draw();
    if (draft === undefined) return undefined;
    const issued = await issue({ draft, eInvoice: await judgeInvoice(eInvoices, draft) });
    if (issued !== undefined) return issued;
  }
  throw new EInvoiceNotChecked("what it says changed while it was checked");
}
