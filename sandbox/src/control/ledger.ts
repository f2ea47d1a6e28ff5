import { toIso } from "../clock.ts";
import { accountCurrency } from "../currencies.ts";
import { formatMoney } from "../money.ts";
import { readStayBooks } from "../stays/booking-rows.ts";
import type { Database } from "../storage/database.ts";
import { readServicingBooks } from "./servicing-books.ts";

type OrderEntry = {
  id: string;
  offer_id: string;
  booking_reference: string;
  type: string;
  state: string;
  ticketing: string;
  total_micro: string;
  paid_micro: string;
  metadata: Record<string, string>;
  created_ms: string;
};
type PaymentEntry = {
  id: string;
  order_id: string;
  metadata: Record<string, string>;
  type: string;
  amount_micro: string;
  airline_credit_id: string | null;
  status: string;
  pays_for: string;
  created_ms: string;
};
type CancellationEntry = {
  id: string;
  order_id: string;
  metadata: Record<string, string>;
  refund_micro: string;
  credit_refund_micro: string;
  created_ms: string;
  confirmed_ms: string | null;
};
type BalanceEntry = { seq: string; kind: string; reference: string; amount_micro: string; created_ms: string };

const money = (micro: string) => formatMoney(BigInt(micro));
const iso = (ms: string | null) => (ms === null ? null : toIso(Number(ms)));

/** Everything the supplier did, oldest first, as one consistent picture. */
export async function readLedger(db: Database) {
  return db.transaction(async (tx) => {
    await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const orders = await tx.query<OrderEntry>("SELECT * FROM orders ORDER BY seq");
    const payments = await tx.query<PaymentEntry>(
      "SELECT payment.*, orders.metadata FROM payments AS payment JOIN orders ON orders.id = payment.order_id ORDER BY payment.seq",
    );
    const cancellations = await tx.query<CancellationEntry>(
      "SELECT quote.*, orders.metadata FROM order_cancellations AS quote JOIN orders ON orders.id = quote.order_id ORDER BY quote.seq",
    );
    const entries = await tx.query<BalanceEntry>("SELECT * FROM balance_entries ORDER BY seq");
    const account = await tx.query<{ balance_micro: string }>("SELECT balance_micro FROM account");
    const balanceEntries = entries.rows.map((row) => ({
      kind: row.kind,
      reference: row.reference,
      amount: money(row.amount_micro),
      currency: accountCurrency(),
      created_at: iso(row.created_ms),
    }));
    const servicing = await readServicingBooks(tx);
    return {
      ...servicing,
      orders: orders.rows.map((row) => ({
        id: row.id,
        offer_id: row.offer_id,
        booking_reference: row.booking_reference,
        type: row.type,
        state: row.state,
        ticketing: row.ticketing,
        total_amount: money(row.total_micro),
        paid_amount: money(row.paid_micro),
        currency: accountCurrency(),
        metadata: row.metadata,
        created_at: iso(row.created_ms),
      })),
      payments: payments.rows.map((row) => ({
        id: row.id,
        order_id: row.order_id,
        type: row.type,
        amount: money(row.amount_micro),
        currency: accountCurrency(),
        airline_credit_id: row.airline_credit_id,
        status: row.status,
        pays_for: row.pays_for,
        metadata: row.metadata,
        created_at: iso(row.created_ms),
      })),
      cancellations: cancellations.rows.map((row) => ({
        id: row.id,
        order_id: row.order_id,
        refund_amount: money(row.refund_micro),
        credit_refund_amount: money(row.credit_refund_micro),
        currency: accountCurrency(),
        metadata: row.metadata,
        created_at: iso(row.created_ms),
        confirmed_at: iso(row.confirmed_ms),
      })),
      refunds: balanceEntries.filter((entry) => entry.kind === "refund"),
      balanceEntries,
      ...(await readStayBooks(tx)),
      balanceMicro: BigInt(account.rows[0]?.balance_micro ?? "0"),
    };
  });
}
