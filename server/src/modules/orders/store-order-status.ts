import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { OrderRecord } from "./orders.ts";

/** A hold lapses at its end, even if the supplier was not asked since. */
export const statusAt = (now: Temporal.Instant) =>
  sql<OrderRecord["status"]>`case when state = 'on_hold' and hold_until <= ${now.toString()}::timestamptz
    then 'lapsed' else order_status end`;

/** The column is named as well, as it has an index. A lapsed hold may be stored as it was before. */
export function hasStatus(
  row: ExpressionBuilder<Database, "booking">,
  now: Temporal.Instant,
  status: OrderRecord["status"],
): Expression<SqlBool>[] {
  const stored = status === "lapsed" ? (["held", "lapsed", "cancelled"] as const) : [status];
  return [row("orderStatus", "in", stored), row(statusAt(now), "=", status)];
}

const REFUNDED = sql<string>`coalesce((
  select sum((order_event.details->>'refundedUsdc')::numeric) from order_event
  where order_event.network = booking.network and order_event.order_id = booking.order_id
    and order_event.kind = 'refunded'), 0)::text`;
/** Whether an order was ever paid, and what came back. */
export const PAID = [sql<boolean>`state = 'booked'`.as("wasPaid"), REFUNDED.as("refundedUsdc")] as const;
