import type { ListInvoicesAnswer } from "../answers.ts";
import { money } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { InvoiceFiles } from "../parts/invoice-files.tsx";
import { More, usePages } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";

export function Invoices() {
  const invoices = usePages<ListInvoicesAnswer>(["invoices"], "/api/invoices?limit=20");
  const shown = invoices.data?.pages.flatMap((page) => page.invoices) ?? [];
  return (
    <Panel
      title="Invoices"
      aside={
        shown.length > 0 && (
          <a href="/api/invoices/export" download="invoices.csv">
            CSV
          </a>
        )
      }
    >
      {invoices.isPending && <Rows count={3} />}
      {invoices.error !== null && <Problem error={invoices.error} retry={() => void invoices.refetch()} />}
      {invoices.isSuccess && shown.length === 0 && (
        <Empty>
          No invoice has been issued yet. A settled booking can have one. <a href="/docs/invoices">How it works</a>
        </Empty>
      )}
      <ul className="list plain-list">
        {shown.map(({ invoiceNumber, kind, corrects, totalUsdc, total, currency, issuedOn }) => (
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
      <More list={invoices} />
      <ApiCall calls={[{ method: "GET", path: "/api/invoices" }]} />
    </Panel>
  );
}
