import { formatDecimal } from "../../../domain/money.ts";
import type { Environment } from "../../../ports/identity.ts";
import { type Booking, ledgerReference } from "../../bookings/index.ts";
import type { Purse } from "../../ledger/index.ts";
import { collect, findHomePurse } from "../../treasury/index.ts";
import type { EscrowBooking } from "../../trips/index.ts";
import type { Aggregates, Stores } from "../context.ts";

/**
 * The wallet pays for an order whose reservation ended without paying: the reservation's money has returned to the
 * wallet or the trip, so the order's cost less the supplier's refunds is taken from the wallet. Runs under the trip's
 * lock, in the transaction that stores the end. If the wallet is short, the debt remains, and a job tries again.
 */
export async function payUncovered(
  aggregates: Aggregates,
  { tenantId, environment, bookingId, state, updatedAt }: EscrowBooking,
): Promise<void> {
  const { bookings, ledger } = aggregates;
  if (state !== "cancelled") return;
  const booking = await bookings.findCovered(tenantId, environment, bookingId, "lock");
  if (booking === undefined || booking.cover === 0n) return;
  const purse = await findHomePurse(aggregates, { tenantId, environment });
  if ((await ledger.balance(purse)).available < booking.cover) return;
  await ledger.hold(purse, booking.cover, ledgerReference(booking));
  if (booking.state === "booked") await charge(aggregates, purse, updatedAt, booking);
  // The end of the booking captures or releases the hold, as for every booking paid by the wallet.
  else await bookings.setCover(booking.id, { cover: 0n, escrowBookingId: undefined });
}

async function charge(
  aggregates: Aggregates,
  purse: Purse,
  at: Temporal.Instant,
  { id, environment, orderId, cover, escrowBookingId }: Booking,
): Promise<void> {
  const { bookings, orders } = aggregates;
  await collect(aggregates, purse, ledgerReference({ id }), cover);
  await bookings.setCover(id, { cover: 0n, coverCharged: cover });
  if (orderId === undefined || escrowBookingId === undefined) return;
  const details = { escrowBookingId, paidUsdc: formatDecimal(cover) };
  const paid = { kind: "paid_by_wallet", key: escrowBookingId, details, at, source: "reconciliation" } as const;
  await orders.record(environment, orderId, paid);
}

const BATCH = 50;

/** Retries reservations at whose end the wallet was short. */
export async function payAllUncovered(stores: Stores, environment: Environment): Promise<void> {
  for (const { tenantId, escrowBookingId: bookingId } of await stores.bookings.listUncovered(environment, BATCH)) {
    if (bookingId === undefined) continue;
    await stores.transaction(async (aggregates) => {
      const reserved = await aggregates.trips.lockOfBooking(tenantId, environment, bookingId);
      if (reserved !== undefined) await payUncovered(aggregates, reserved.booking);
    });
  }
}
