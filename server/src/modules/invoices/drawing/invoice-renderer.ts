import { WorkerQueue } from "../../../platform/threads/worker-queue.ts";
import type { InvoiceDocument } from "../document.ts";
import type { EInvoiceAttachment } from "../e-invoices.ts";
import type { DrawnInvoice } from "../invoices.ts";

const TIMEOUT_MILLISECONDS = 20_000;

export interface ToDraw {
  readonly invoice: InvoiceDocument;
  /** Undefined: the invoice is not an e-invoice. */
  readonly attachment: EInvoiceAttachment | undefined;
}

/** No PDF was made: the queue is full, it took too long, or drawing failed. The invoice remains valid. */
export class InvoiceNotDrawn extends Error {
  constructor(reason: string) {
    super(`No PDF was made: ${reason}.`);
    this.name = "InvoiceNotDrawn";
  }
}

/** Draws invoices in a thread of its own. */
export class InvoiceRenderer {
  readonly #queue = new WorkerQueue<ToDraw, DrawnInvoice>({
    script: new URL("./invoice-thread.ts", import.meta.url),
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    failure: (reason) => new InvoiceNotDrawn(reason),
  });

  /** Throws `InvoiceNotDrawn`. */
  async render(invoice: ToDraw): Promise<DrawnInvoice> {
    return await this.#queue.run(invoice);
  }

  close(): void {
    this.#queue.stop("the service is stopping");
  }
}
