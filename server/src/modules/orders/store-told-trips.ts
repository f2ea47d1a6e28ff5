import { type RawBuilder, sql } from "kysely";
import { orderKey, type TripEntryKind } from "../../kernel/contracts/trip-note.ts";
import type { Environment } from "../../ports/identity.ts";
import { insertTripEntries, selectTrip, type TripOwner } from "../trip-record/index.ts";
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

/** The same in a statement. */
const NAME = sql`case when kind = 'refunded' and details ->> 'reason' = 'paid_by_escrow' then 'reimbursed' else kind end`;

/** `events` selects the trips and, of each event, `id`, `kind`, `details`, `at` and the kind of its order as `ordered`. */
function tell(events: RawBuilder<unknown>, orderId: string): RawBuilder<unknown> {
  return insertTripEntries(sql`
    select tenant_id, network, trip_id, 'order_event:' || id as key,
      coalesce(${JSON.stringify(KINDS)}::jsonb ->> name, 'order') as kind,
      'The ' || ordered || '''s order: ' || replace(name, '_', ' ') || '.' as text,
      jsonb_build_object('orderId', ${orderId}::text, 'event', name) || details as details, at
    from (select *, ${NAME} as name from (${events}) event) named
    order by id`);
}

/**
 * Returns the statement that writes an event to the record of its order's trips. It is part of the one that stores the event:
 * `stored` is a table with its id, kind, details and time, its tenant and the kind of its order.
 */
export function tellStored(environment: Environment, orderId: string): RawBuilder<unknown> {
  return tell(
    sql`
      select entry.tenant_id, entry.network, entry.trip_id, stored.id, stored.kind, stored.details, stored.at, stored.ordered
      from stored join trip_entry entry on entry.tenant_id = stored.tenant_id and entry.network = ${environment}
        and entry.key = ${orderKey(orderId)}`,
    orderId,
  );
}

/** Returns the statement that writes all events of the trip's order to its record. */
export function tellTrip(trip: TripOwner, orderId: string, ordered: string): RawBuilder<unknown> {
  return tell(
    sql`
      select trip.tenant_id, trip.network, trip.trip_id, id, kind, details, at, ${ordered}::text as ordered
      from order_event join (${selectTrip(trip)}) trip on order_event.network = trip.network
      where order_event.order_id = ${orderId}`,
    orderId,
  );
}
