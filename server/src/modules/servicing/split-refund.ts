import type { Micro } from "../../domain/money.ts";
import { atMost, type OrderRecord, paidFor } from "../orders/index.ts";
import type { Aggregates } from "./context.ts";

/** Where money goes that the supplier gives back for an order. */
export interface RefundParts {
  /** To the wallet: at most what it has paid. */
  back: Micro;
  /** Of the rest, what a reservation in escrow owes for the order: it owes that no more. */
  released: Micro;
}

/** For a quote as for what really comes back, so that both say the same. */
export async function splitRefund(
  aggregates: Pick<Aggregates, "bookings" | "servicingActions" | "orders">,
  order: Pick<OrderRecord, "bookingId" | "environment" | "orderId">,
  refund: Micro,
): Promise<RefundParts> {
  const back = atMost(refund, await paidFor(aggregates, order));
  const owed = (await aggregates.bookings.get(order.bookingId))?.cover ?? 0n;
  return { back, released: atMost(refund - back, owed) };
}
