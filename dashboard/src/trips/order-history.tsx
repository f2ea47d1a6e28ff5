import type { GetOrderAnswer } from "../answers.ts";
import { Empty, Panel } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";

const SAID: Readonly<Record<string, string>> = {
  held: "Held without payment",
  lapsed: "The hold ended without payment",
  booked: "Booked",
  ticketed: "The tickets were issued",
  changed: "Changed as asked",
  cancelled: "Cancelled",
  refunded: "Refunded to the wallet",
  reimbursed: "The wallet’s payment came back",
  paid_by_escrow: "Paid from escrow",
  credit_issued: "The airline issued a credit",
  schedule_changed: "The airline changed the flights",
};

const SOURCES = {
  call: "by a call",
  webhook: "told by the supplier",
  reconciliation: "found when the order was read again",
} as const;

export function OrderHistory({ events }: { events: GetOrderAnswer["events"] }) {
  return (
    <Panel title="History">
      {events.length === 0 && <Empty>Nothing has been recorded since the booking.</Empty>}
      <ol className="history">
        {events.toReversed().map((event) => (
          <li key={`${event.kind} ${event.at}`}>
            <strong>{SAID[event.kind] ?? event.kind.replaceAll("_", " ")}</strong>{" "}
            <span className="quiet">
              <When at={event.at} />, {SOURCES[event.source]}
            </span>
            <Facts details={event.details} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** Amounts and names of an entry; lists and nested parts are in the API's answer. */
export function Facts({ details }: { details: Readonly<Record<string, unknown>> }) {
  const facts = Object.entries(details).filter(([, value]) => typeof value === "string" || typeof value === "number");
  if (facts.length === 0) return null;
  return (
    <details className="quiet">
      <summary>Details</summary>
      <dl className="details">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{sayName(name)}</dt>
            <dd className="mono">{String(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** "walletReturn" is "wallet return". */
export const sayName = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
