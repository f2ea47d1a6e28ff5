import { formatDecimal } from "../../../domain/money.ts";
import { atMost, PAID_BY_ESCROW, paidFor } from "../../orders/index.ts";
import { refund } from "../../treasury/index.ts";
import type { EscrowBooking } from "../../trips/index.ts";
import type { Aggregates } from "../context.ts";

/**
 * Pays an order only once: of a settled booking's payment to the service, the amount that the reservation owes for the
 * order stays. The rest goes back to the wallet; if another reservation or none paid the order, at most the order's
 * cost to the wallet. Runs once per booking, in the transaction that stores the settlement.
 */
export async function payBackOrder(aggregates: Aggregates, booking: EscrowBooking): Promise<void> {
  if ((await payBack(aggregates, booking)) === "nothing") withoutReturn.add(booking);
}

/** Bookings of which nothing comes back to the wallet, as their settlement has just found out. */
export const withoutReturn = new WeakSet<EscrowBooking>();

async function payBack(aggregates: Aggregates, booking: EscrowBooking): Promise<"nothing" | "refunded" | "known"> {
  const { bookings, orders, wallets } = aggregates;
  const { tenantId, environment, bookingId } = booking;
  if (booking.state !== "settled" || booking.itineraryHash === undefined) return "nothing";
  if (booking.vendor !== (await wallets.ensure(booking, "collection")).address) return "nothing";
  const order = await orders.findBoughtByItinerary(tenantId, environment, booking.itineraryHash);
  if (order === undefined) return "nothing";
  const { orderId } = order;
  const seen = { at: booking.updatedAt, source: "reconciliation" } as const;
  const paidUsdc = formatDecimal(booking.vendorPaid);
  const paid = { kind: "paid_by_escrow", key: bookingId, details: { escrowBookingId: bookingId, paidUsdc }, ...seen };
  if (!(await orders.record(environment, orderId, paid))) return "known";
  const isCover = order.booking.escrowBookingId === bookingId;
  const rest = booking.vendorPaid - (await bookings.reduceCover(order.bookingId, booking.vendorPaid));
  // Before this payment, which the order as read above does not know.
  const back = isCover ? rest : atMost(rest, await paidFor(aggregates, order, order));
  if (back === 0n) return "nothing";
  const details = { reason: "paid_by_escrow", escrowBookingId: bookingId, refundedUsdc: formatDecimal(back) };
  await orders.record(environment, orderId, { kind: "refunded", key: `escrow:${bookingId}`, details, ...seen });
  await refund(
    aggregates,
    { tenantId, environment, chain: booking.chain, token: "USDC" },
    `${PAID_BY_ESCROW}${order.bookingId}:${bookingId}`,
    back,
  );
  return "refunded";
}
