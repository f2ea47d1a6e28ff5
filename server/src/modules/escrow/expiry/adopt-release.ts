import type { Hex } from "../../../domain/tokens.ts";
import { TRIP_CLOSED } from "../../../kernel/contracts/run-events.ts";
import type { BookingOnChain, TripOnChain } from "../../../ports/chain/escrow-contract.ts";
import type { EscrowBooking, Trip } from "../../trips/index.ts";
import type { Stores } from "../context.ts";
import { payBackOrder } from "../orders/pay-back-order.ts";
import { payUncovered } from "../orders/pay-uncovered.ts";
import { giveBackFree, giveBackHeld, payOut, payouts } from "../records/trip-money.ts";

/** What somebody else released, as anybody may after a trip's expiry, is written down without a transaction of ours. */

const openStates: ReadonlySet<EscrowBooking["state"]> = new Set(["reserved", "committed", "confirmed"]);

/** Whether the chain can still end it, and no step of ours is under way that may be doing so. */
export function isOpen({ state, pending }: Pick<EscrowBooking, "state" | "pending">): boolean {
  return openStates.has(state) && pending === undefined;
}

/** Whether nothing of ours is about to take from what is free. */
export function isIdle({ pending, promised }: Pick<Trip, "pending" | "promised">): boolean {
  return pending === undefined && promised === 0n;
}

/**
 * `there` was read before: a step of ours that it shows is under way still, or has been written down, when the trip is locked.
 * False: there was nothing to write down.
 */
export async function adoptRelease(
  stores: Stores,
  { environment, tripId }: Pick<Trip, "environment" | "tripId">,
  there: Pick<TripOnChain, "isClosed">,
): Promise<boolean> {
  if (!there.isClosed) return false;
  return await stores.transaction(async ({ trips, runEvents }) => {
    const trip = await trips.lock(environment, tripId);
    if (trip === undefined || trip.free === 0n || !isIdle(trip)) return false;
    await trips.change(environment, tripId, { ...giveBackFree(trip), state: "closed" });
    await runEvents.raise({ tenantId: trip.tenantId, environment, name: TRIP_CLOSED, subject: tripId, resolution: {} });
    return true;
  });
}

/** The same of a booking. What could not be paid out and waits is not known here. */
export async function adoptReleasedBooking(
  stores: Stores,
  { environment, tripId, tenantId }: Pick<Trip, "environment" | "tripId" | "tenantId">,
  bookingId: Hex,
  { state }: Pick<BookingOnChain, "state">,
): Promise<boolean> {
  if (state !== "settled" && state !== "cancelled") return false;
  return await stores.transaction(async (aggregates) => {
    const { trips, escrowBookings } = aggregates;
    const trip = await trips.lock(environment, tripId);
    const booking = await escrowBookings.find(tenantId, environment, bookingId);
    if (trip === undefined || booking === undefined || booking.tripId !== tripId || !isOpen(booking)) return false;
    const isSettled = state === "settled";
    const paid = isSettled ? payouts(booking) : { refunded: booking.reserved };
    await escrowBookings.change({ tenantId, environment, bookingId }, { state, ...paid });
    await trips.change(environment, tripId, isSettled ? payOut(trip, booking) : giveBackHeld(trip, booking));
    const ended = { tenantId, environment, bookingId };
    await (isSettled ? payBackOrder(aggregates, ended) : payUncovered(aggregates, ended));
    return true;
  });
}
