import type { ListInvoicesAnswer } from "../answers.ts";
import { money } from "../format.ts";
import { InvoiceFiles } from "../parts/invoice-files.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { Panel } from "../parts/states.tsx";

export function Invoices() {
  return (
    <Panel
      title="Invoices"
      aside={
        <a href="/api/invoices/export" download="invoices.csv">
          CSV
        </a>
      }
    >
      <PagedList
        queryKey={["invoices"]}
        path="/api/invoices?limit=20"
        read={(page: ListInvoicesAnswer) => page.invoices}
        skeletons={3}
        empty={
          <>
            No invoice has been issued yet. A booking that is paid from a trip’s budget can have one once it is settled,
            and an order that is paid directly from the wallet can have a receipt.{" "}
            <a href="/docs/invoices">How to get them</a>
          </>
        }
      >
        {(invoices) => (
          <ul className="list plain-list">
            {invoices.map(({ invoiceNumber, kind, corrects, totalUsdc, total, currency, issuedOn }) => (
              <li key={invoiceNumber}>
                <span>
                  <span className="mono">{invoiceNumber}</span>
                  <br />
                  <span className="quiet">
                    {kind === "credit_note" ? `credit note for ${corrects ?? "an invoice"}, ` : ""}
                    {issuedOn}, {money(totalUsdc)} USDC
                    {currency === "USD" || currency === "USDC" ? "" : ` (${money(total)} ${currency})`}
                  </span>
                </span>
                <InvoiceFiles invoiceNumber={invoiceNumber} />
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </Panel>
  );
}
