import type { Micro } from "../../domain/money.ts";
import { atMost, type OrderRecord, paidFor } from "../orders/index.ts";
import type { Aggregates } from "./context.ts";

/** How the supplier's refund for an order is split. */
export interface RefundParts {
  /** To the wallet: at most what it has paid. */
  back: Micro;
  /** From the rest: the amount that a reservation in escrow no longer owes. */
  released: Micro;
}

/** Shared by quotes and refunds, so that they agree. */
export async function splitRefund(
  aggregates: Pick<Aggregates, "bookings" | "servicingActions" | "orders">,
  order: Pick<OrderRecord, "bookingId" | "environment" | "orderId">,
  refund: Micro,
): Promise<RefundParts> {
  const back = atMost(refund, await paidFor(aggregates, order));
  const owed = (await aggregates.bookings.get(order.bookingId))?.cover ?? 0n;
  return { back, released: atMost(refund - back, owed) };
}
