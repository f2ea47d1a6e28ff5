import type { InvoiceDocument } from "../document.ts";
import type { DrawnInvoice } from "../invoices.ts";
import { WorkerQueue } from "../worker-queue.ts";

const TIMEOUT_MILLISECONDS = 20_000;

/** No PDF was made: too many wait for theirs, it took too long, or the drawing failed. The invoice stands all the same. */
export class InvoiceNotDrawn extends Error {
  constructor(reason: string) {
    super(`No PDF was made: ${reason}.`);
    this.name = "InvoiceNotDrawn";
  }
}

/** Draws invoices in a thread of its own. */
export class InvoiceRenderer {
  readonly #queue = new WorkerQueue<InvoiceDocument, DrawnInvoice>({
    script: new URL("./invoice-thread.ts", import.meta.url),
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    failure: (reason) => new InvoiceNotDrawn(reason),
  });

  /** Throws `InvoiceNotDrawn`. */
  async render(invoice: InvoiceDocument): Promise<DrawnInvoice> {
    return await this.#queue.run(invoice);
  }

  close(): void {
    this.#queue.stop("the service is stopping");
  }
}
