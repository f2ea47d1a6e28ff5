import { Worker } from "node:worker_threads";
import type { InvoiceDocument } from "../document.ts";
import type { DrawnInvoice } from "../invoices.ts";

interface Task {
  resolve(drawn: DrawnInvoice): void;
  reject(error: Error): void;
}

type Answer = { id: number } & ({ drawn: DrawnInvoice } | { error: string });

const MOST_WAITING = 64;
const TIMEOUT_MILLISECONDS = 20_000;
const MOST_MEGABYTES = 200;

/** No PDF was made: too many wait for theirs, it took too long, or the drawing failed. The invoice stands all the same. */
export class InvoiceNotDrawn extends Error {
  constructor(reason: string) {
    super(`No PDF was made: ${reason}.`);
    this.name = "InvoiceNotDrawn";
  }
}

/** Draws invoices in a thread of its own, so that callers of everything else do not wait for them. */
export class InvoiceRenderer {
  readonly #waiting = new Map<number, Task>();
  #worker: Worker | undefined;
  #last = 0;

  /** Throws `InvoiceNotDrawn`. */
  async render(invoice: InvoiceDocument): Promise<DrawnInvoice> {
    if (this.#waiting.size >= MOST_WAITING) throw new InvoiceNotDrawn("too many are being made");
    const { promise, resolve, reject } = Promise.withResolvers<DrawnInvoice>();
    this.#last += 1;
    const id = this.#last;
    this.#waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => this.#stop("it took too long"), TIMEOUT_MILLISECONDS);
    try {
      this.#open().postMessage({ id, invoice });
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#stop("the service is stopping");
  }

  #open(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL("./invoice-thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    // A process that has nothing else to do ends.
    worker.unref();
    worker.on("message", (answer: Answer) => this.#finish(answer));
    worker.on("error", (error) => this.#lost(worker, String(error)));
    worker.on("exit", () => this.#lost(worker, "its thread ended"));
    this.#worker = worker;
    return worker;
  }

  #finish(answer: Answer): void {
    const task = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ("drawn" in answer) task?.resolve(answer.drawn);
    else task?.reject(new InvoiceNotDrawn(answer.error));
  }

  #lost(worker: Worker, reason: string): void {
    if (worker === this.#worker) this.#stop(reason);
  }

  #stop(reason: string): void {
    const worker = this.#worker;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new InvoiceNotDrawn(reason));
    this.#waiting.clear();
    void worker?.terminate();
  }
}
