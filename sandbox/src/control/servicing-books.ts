// The part of the supplier's books that tells what happened to orders after they were made, with the caller's metadata.
import { toIso } from "../clock.ts";
import { accountCurrency } from "../currencies.ts";
import { formatMoney } from "../money.ts";
import type { BookedService } from "../seats/booked.ts";
import type { Queryable } from "../storage/database.ts";

type ChangeEntry = {
  id: string;
  order_id: string;
  change_micro: string;
  new_total_micro: string;
  penalty_micro: string;
  refund_micro: string;
  credit_refund_micro: string;
  payment_id: string | null;
  metadata: Record<string, string>;
  created_ms: string;
  confirmed_ms: string | null;
};
type ServiceEntry = { id: string; services: BookedService[]; metadata: Record<string, string> };
type ScheduleEntry = { id: string; order_id: string; action_taken: string | null; metadata: Record<string, string> };
type CreditEntry = {
  id: string;
  airline: string;
  amount_micro: string;
  user_id: string | null;
  order_id: string | null;
  spent_on: string | null;
  spent_ms: string | null;
  invalidated_ms: string | null;
  created_ms: string;
};

const money = (micro: string) => formatMoney(BigInt(micro));
const iso = (ms: string | null) => (ms === null ? null : toIso(Number(ms)));

export async function readServicingBooks(tx: Queryable) {
  const changes = await tx.query<ChangeEntry>(
    "SELECT change.*, orders.metadata FROM order_changes AS change JOIN orders ON orders.id = change.order_id ORDER BY change.seq",
  );
  const services = await tx.query<ServiceEntry>(
    "SELECT id, services, metadata FROM orders WHERE services <> '[]' ORDER BY seq",
  );
  const schedule = await tx.query<ScheduleEntry>(
    "SELECT change.*, orders.metadata FROM airline_initiated_changes AS change JOIN orders ON orders.id = change.order_id ORDER BY change.seq",
  );
  const credits = await tx.query<CreditEntry>(
    `SELECT credit.*, (SELECT order_id FROM payments WHERE airline_credit_id = credit.id AND status = 'succeeded' ORDER BY seq DESC LIMIT 1) AS spent_on
     FROM airline_credits AS credit ORDER BY credit.seq`,
  );
  return {
    changes: changes.rows.map((row) => ({
      id: row.id,
      order_id: row.order_id,
      change_amount: money(row.change_micro),
      new_total_amount: money(row.new_total_micro),
      penalty_amount: money(row.penalty_micro),
      refund_amount: money(row.refund_micro),
      credit_refund_amount: money(row.credit_refund_micro),
      currency: accountCurrency(),
      payment_id: row.payment_id,
      metadata: row.metadata,
      created_at: iso(row.created_ms),
      confirmed_at: iso(row.confirmed_ms),
    })),
    services: services.rows.flatMap((row) =>
      row.services.map((service) => ({
        id: service.id,
        order_id: row.id,
        type: service.type,
        quantity: service.quantity,
        amount: money(service.totalMicro),
        currency: accountCurrency(),
        metadata: row.metadata,
      })),
    ),
    airlineInitiatedChanges: schedule.rows.map((row) => ({
      id: row.id,
      order_id: row.order_id,
      action_taken: row.action_taken,
      metadata: row.metadata,
    })),
    credits: credits.rows.map((row) => ({
      id: row.id,
      airline: row.airline,
      amount: money(row.amount_micro),
      currency: accountCurrency(),
      user_id: row.user_id,
      /** The order whose end or change issued it; null when it was entered by hand. */
      order_id: row.order_id,
      spent_on_order_id: row.spent_on,
      spent_at: iso(row.spent_ms),
      invalidated_at: iso(row.invalidated_ms),
      created_at: iso(row.created_ms),
    })),
  };
}
