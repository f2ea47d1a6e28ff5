import { formatDecimal } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Environment } from "../../../ports/identity.ts";
import { type Booking, ledgerReference } from "../../bookings/index.ts";
import { collect } from "../../treasury/index.ts";
import type { Aggregates, Stores } from "../context.ts";

interface EndedReservation {
  tenantId: string;
  environment: Environment;
  bookingId: Hex;
}

/**
 * The wallet takes the place of a reservation that was to pay for an order and has ended without: what it held has come back to the
 * wallet or to the trip, and what the order has cost and the supplier has not given back is taken from the wallet. Under the lock of the trip, in the
 * transaction that stores the end. While the wallet has less, it stays owed, and a job tries again.
 */
export async function payUncovered(
  aggregates: Aggregates,
  { tenantId, environment, bookingId }: EndedReservation,
): Promise<void> {
  const { escrowBookings, bookings, ledger } = aggregates;
  const reservation = await escrowBookings.find(tenantId, environment, bookingId);
  if (reservation?.state !== "cancelled") return;
  const booking = await bookings.findCovered(tenantId, environment, bookingId, "lock");
  if (booking === undefined || booking.cover === 0n) return;
  const purse = { tenantId, environment, token: "USDC" } as const;
  if ((await ledger.balance(purse)).available < booking.cover) return;
  await ledger.hold(purse, booking.cover, ledgerReference(booking));
  if (booking.state === "booked") await charge(aggregates, reservation.updatedAt, booking);
  // The end of the booking captures or releases the hold, as that of every booking that the wallet pays.
  else await bookings.setCover(booking.id, { cover: 0n, escrowBookingId: undefined });
}

async function charge(
  aggregates: Aggregates,
  at: Temporal.Instant,
  { id, tenantId, environment, orderId, cover, escrowBookingId }: Booking,
): Promise<void> {
  const { bookings, orders } = aggregates;
  await collect(aggregates, { tenantId, environment, token: "USDC" }, ledgerReference({ id }), cover);
  await bookings.setCover(id, { cover: 0n, coverCharged: cover });
  if (orderId === undefined || escrowBookingId === undefined) return;
  const details = { escrowBookingId, paidUsdc: formatDecimal(cover) };
  const paid = { kind: "paid_by_wallet", key: escrowBookingId, details, at, source: "reconciliation" } as const;
  await orders.record(environment, orderId, paid);
}

const BATCH = 50;

/** Of reservations whose end found too little in the wallet. */
export async function payAllUncovered(stores: Stores, environment: Environment): Promise<void> {
  for (const { tenantId, escrowBookingId: bookingId } of await stores.bookings.listUncovered(environment, BATCH)) {
    const reservation = bookingId && (await stores.escrowBookings.find(tenantId, environment, bookingId));
    if (!reservation) continue;
    await stores.transaction(async (aggregates) => {
      await aggregates.trips.lock(environment, reservation.tripId);
      await payUncovered(aggregates, reservation);
    });
  }
}
