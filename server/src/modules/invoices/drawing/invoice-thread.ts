import { parentPort } from "node:worker_threads";
import type { InvoiceDocument } from "../document.ts";
import { drawInvoice } from "./draw-invoice.ts";

/** The thread of an `InvoiceRenderer`: a document in, its PDF or the text of an error out. */
parentPort?.on("message", async ({ id, invoice }: { id: number; invoice: InvoiceDocument }) => {
  try {
    parentPort?.postMessage({ id, drawn: await drawInvoice(invoice) });
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) });
  }
});
