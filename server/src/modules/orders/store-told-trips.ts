import { type RawBuilder, sql } from "kysely";
import { orderKey, type TripEntryKind } from "../../kernel/contracts/trip-note.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Environment } from "../../ports/identity.ts";
import { createTripRecords, insertTripEntry } from "../trip-record/index.ts";
import type { OrderEvent } from "./orders.ts";

const KINDS: Readonly<Record<string, TripEntryKind>> = {
  ticketed: "ticket",
  refunded: "money",
  reimbursed: "money",
  paid_by_escrow: "money",
  paid_by_wallet: "money",
  credit_issued: "money",
};

/** A wallet's payment of an order that the escrow has then paid, too, comes back: that is no refund by the supplier. */
export const nameEvent = ({ kind, details }: Pick<OrderEvent, "kind" | "details">): string =>
  kind === "refunded" && details.reason === "paid_by_escrow" ? "reimbursed" : kind;

/**
 * Returns the statement that writes an event to the record of its order's trips. It is part of the one that stores the event:
 * `stored` is a table with its id, its tenant and the kind of its order.
 */
export function tellStored(environment: Environment, orderId: string, event: OrderEvent): RawBuilder<unknown> {
  const trips = sql`
    select entry.tenant_id, entry.network, entry.trip_id, stored.id as event_id, stored.ordered
    from stored join trip_entry entry on entry.tenant_id = stored.tenant_id and entry.network = ${environment}
      and entry.key = ${orderKey(orderId)}`;
  const { text, ...entry } = describeEvent(orderId, event);
  return insertTripEntry(trips, {
    key: sql<string>`'order_event:' || told.event_id`,
    text: sql<string>`replace(${text(ORDERED)}::text, ${ORDERED}::text, told.ordered)`,
    ...entry,
  });
}

const ORDERED = "{ordered}";

function describeEvent(orderId: string, { details, at, ...event }: OrderEvent) {
  const kind = nameEvent({ kind: event.kind, details });
  return {
    kind: KINDS[kind] ?? ("order" as const),
    userId: undefined,
    at,
    text: (ordered: string | null) => `The ${ordered}'s order: ${kind.replaceAll("_", " ")}.`,
    details: { orderId, event: kind, ...details },
  };
}

/** Writes all events of the order to its trip's record. */
export async function tellTrips(
  db: Queryable,
  environment: Environment,
  orderId: string,
  events: readonly (OrderEvent & { id: bigint; tenantId: string | null; ordered: string | null })[],
): Promise<void> {
  const tripRecords = createTripRecords(db);
  for (const { id, tenantId, ordered, ...event } of events) {
    if (tenantId === null) continue;
    const { text, ...entry } = describeEvent(orderId, event);
    await tripRecords.appendForOrder(
      { tenantId, environment, orderId },
      { key: `order_event:${id}`, text: text(ordered), ...entry },
    );
  }
}
