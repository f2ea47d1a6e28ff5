import { parentPort } from "node:worker_threads";
import type { ThreadAnswer, ThreadTask } from "../../../platform/threads/worker-queue.ts";
import type { DrawnInvoice } from "../invoices.ts";
import { drawInvoice } from "./draw-invoice.ts";
import type { ToDraw } from "./invoice-renderer.ts";

/** The thread of an `InvoiceRenderer`: takes a document, returns its PDF or the text of an error. */
parentPort?.on("message", async ({ id, input }: ThreadTask<ToDraw>) => {
  const post = (answer: ThreadAnswer<DrawnInvoice>) => parentPort?.postMessage(answer);
  try {
    post({ id, output: await drawInvoice(input) });
  } catch (error) {
    post({ id, error: String(error) });
  }
});
