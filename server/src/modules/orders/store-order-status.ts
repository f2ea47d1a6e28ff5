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

const EVENTS = sql`order_event where order_event.network = booking.network and order_event.order_id = booking.order_id
  and order_event.kind = 'refunded'`;
const REFUNDED = sql<string>`coalesce((
  select sum((order_event.details->>'refundedUsdc')::numeric) from ${EVENTS}), 0)::text`;

/**
 * By wallet and trips' budgets together: what the booking and its changes were paid with, less refunds and what reservations no
 * longer owe. What the wallet got back because a budget has paid too is no refund. A late refund is among what was released.
 */
export const COST = sql<string>`case when state = 'booked' then greatest(0,
  coalesce((result->>'chargedUsdc')::numeric, 0) + coalesce((result->>'coveredUsdc')::numeric, 0)
  + coalesce((
    select sum(coalesce((action.result->>'chargedUsdc')::numeric, 0) - coalesce((action.result->>'releasedUsdc')::numeric, 0))
    from servicing_action as action
    where action.network = booking.network and action.order_id = booking.order_id and action.state = 'done'), 0)
  - coalesce((
    select sum((order_event.details->>'refundedUsdc')::numeric + coalesce((order_event.details->>'releasedUsdc')::numeric, 0))
    from ${EVENTS} and order_event.details->>'reason' is distinct from 'paid_by_escrow' and order_event.key not like '%:late'), 0))
  else 0 end::text`;

/** Whether an order was ever paid, what came back, and what it has cost. */
export const PAID = [
  sql<boolean>`state = 'booked'`.as("wasPaid"),
  REFUNDED.as("refundedUsdc"),
  COST.as("costUsdc"),
] as const;
