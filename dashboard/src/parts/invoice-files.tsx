import { useMutation } from "@tanstack/react-query";
import type { ShareInvoiceFilesAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { Problem } from "./states.tsx";

/** Whoever has an address can read the file, so the addresses are asked for only when somebody wants them. */
export function InvoiceFiles({ invoiceNumber }: { invoiceNumber: string }) {
  const path = `/api/invoices/${encodeURIComponent(invoiceNumber)}/files`;
  const files = useMutation({ mutationFn: () => api<ShareInvoiceFilesAnswer>(path, { method: "POST" }) });
  if (files.data !== undefined) {
    return (
      <span className="buttons">
        <a className="button plain small" href={files.data.pdfUrl} target="_blank" rel="noreferrer">
          PDF{files.data.hasXml ? " with XML" : ""}
        </a>
        <a className="button plain small" href={files.data.jsonUrl} target="_blank" rel="noreferrer">
          JSON
        </a>
      </span>
    );
  }
  return (
    <span className="buttons">
      {files.error !== null && <Problem error={files.error} />}
      <button type="button" className="plain small" disabled={files.isPending} onClick={() => files.mutate()}>
        Files<span className="hidden"> of {invoiceNumber}</span>
      </button>
    </span>
  );
}
