import type { TripEntryKind } from "../../kernel/contracts/trip-note.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Environment } from "../../ports/identity.ts";
import { createTripRecords } from "../trip-record/index.ts";
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

/** Writes the order's events to its trip's record, in the transaction that stores them. */
export async function tellTrips(
  db: Queryable,
  environment: Environment,
  orderId: string,
  events: readonly (OrderEvent & { id: bigint; tenantId: string | null; ordered: string | null })[],
): Promise<void> {
  const tripRecords = createTripRecords(db);
  for (const { id, tenantId, ordered, details, at, ...event } of events) {
    if (tenantId === null) continue;
    const kind = nameEvent({ kind: event.kind, details });
    await tripRecords.appendForOrder(
      { tenantId, environment, orderId },
      {
        key: `order_event:${id}`,
        kind: KINDS[kind] ?? "order",
        userId: undefined,
        at,
        text: `The ${ordered}'s order: ${kind.replaceAll("_", " ")}.`,
        details: { orderId, event: kind, ...details },
      },
    );
  }
}
