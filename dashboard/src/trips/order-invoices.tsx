import { useQuery } from "@tanstack/react-query";
import type { ListInvoicesAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { money } from "../format.ts";
import { InvoiceFiles } from "../parts/invoice-files.tsx";
import { Empty, Problem } from "../parts/states.tsx";

const NAMES = { invoice: "Invoice", receipt: "Receipt", credit_note: "Credit note" } as const;

interface Props {
  orderId: string;
  hasDocuments: boolean;
  isPaidDirectly: boolean;
}

/** The newest invoices are read; an older one is found under Money. */
export function OrderInvoices({ orderId, hasDocuments, isPaidDirectly }: Props) {
  const invoices = useQuery({
    queryKey: ["invoices", "newest"],
    queryFn: ({ signal }) => api<ListInvoicesAnswer>("/api/invoices?limit=200", { signal }),
  });
  const found = invoices.data?.invoices.filter((invoice) => invoice.orderId === orderId) ?? [];
  return (
    <>
      {invoices.error !== null && <Problem error={invoices.error} retry={() => void invoices.refetch()} />}
      <ul className="list plain-list">
        {found.map(({ invoiceNumber, kind, totalUsdc }) => (
          <li key={invoiceNumber}>
            <span>
              {NAMES[kind]} <span className="mono">{invoiceNumber}</span>
              <br />
              <span className="quiet">{money(totalUsdc)} USDC</span>
            </span>
            <InvoiceFiles invoiceNumber={invoiceNumber} />
          </li>
        ))}
      </ul>
      {invoices.isSuccess && found.length === 0 && !hasDocuments && <Empty>There is no ticket yet.</Empty>}
      {invoices.isSuccess && found.length === 0 && isPaidDirectly && (
        <p className="quiet">
          This order was paid directly from the wallet: it can have a receipt.{" "}
          <a href="/docs/invoices#receipts">How to get it</a>
        </p>
      )}
    </>
  );
}
