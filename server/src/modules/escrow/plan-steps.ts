import { Failure } from "../../domain/errors.ts";
import { EMPTY_PLAN, final, type Plan, usdcMovements } from "../../kernel/plan.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Caller } from "../../kernel/tool.ts";
import type { CommitRequest, CommittedAmounts } from "./commit-booking.ts";
import type { EscrowBooking } from "./escrow-bookings.ts";
import { readHash } from "./input.ts";
import { payouts } from "./trip-money.ts";

/** What steps of bookings move in the escrow, as plans say it. A call that will be refused, or that was made before, moves nothing. */

interface Asked {
  stores: Pick<Stores, "escrowBookings">;
  caller: Caller;
}

interface TripAsked {
  stores: Pick<Stores, "trips">;
  caller: Caller;
}

/** The caller's booking, when it is in one of these states and no other step is under way. */
async function bookingIn(
  { stores, caller }: Asked,
  bookingId: string,
  states: readonly EscrowBooking["state"][],
): Promise<EscrowBooking | undefined> {
  const id = readHash(bookingId);
  const booking =
    id === undefined ? undefined : await stores.escrowBookings.find(caller.tenantId, caller.environment, id);
  return booking !== undefined && booking.pending === undefined && states.includes(booking.state) ? booking : undefined;
}

/** Amounts and payee are fixed now; the settlement moves the money, and until then the booking can be cancelled. */
export async function planCommit(
  asked: Asked,
  { bookingId, vendor, itineraryHash }: Pick<CommitRequest, "vendor" | "itineraryHash"> & { bookingId: string },
  price: () => Promise<CommittedAmounts>,
): Promise<Plan> {
  const booking = await bookingIn(asked, bookingId, ["reserved"]);
  if (booking === undefined) return EMPTY_PLAN;
  try {
    const { vendorAmount, markup, serviceFee } = await price();
    const later = usdcMovements(
      [vendorAmount, "booking_reservation", vendor],
      [markup, "booking_reservation", "treasury"],
      [serviceFee, "booking_reservation", "collection"],
    );
    return {
      movements: later.map((movement) => ({ ...movement, isLater: true })),
      boughtHash: itineraryHash,
      tripId: booking.tripId,
      irreversible: [],
    };
  } catch (error) {
    // There is no such price: the call will be told why.
    if (error instanceof Failure) return EMPTY_PLAN;
    throw error;
  }
}

export async function planSettlement(asked: Asked, bookingId: string): Promise<Plan> {
  const booking = await bookingIn(asked, bookingId, ["confirmed"]);
  if (booking?.vendor === undefined) return EMPTY_PLAN;
  const { vendorPaid, refunded } = payouts(booking);
  return {
    movements: usdcMovements(
      [vendorPaid, "booking_reservation", booking.vendor],
      [booking.markup + refunded, "booking_reservation", "treasury"],
      [booking.serviceFee, "booking_reservation", "collection"],
    ),
    boughtHash: booking.itineraryHash,
    irreversible: [final("the booking is paid out")],
  };
}

export async function planCancellation(asked: Asked, bookingId: string): Promise<Plan> {
  const booking = await bookingIn(asked, bookingId, ["reserved", "committed", "confirmed"]);
  if (booking === undefined) return EMPTY_PLAN;
  return {
    movements: usdcMovements([booking.reserved, "booking_reservation", "treasury"]),
    boughtHash: booking.itineraryHash,
    irreversible: [final("the booking is over")],
  };
}

export async function planClosing({ stores, caller }: TripAsked, tripId: string): Promise<Plan> {
  const id = readHash(tripId);
  const trip = id === undefined ? undefined : await stores.trips.find(caller.tenantId, caller.environment, id);
  if (trip?.state !== "funded" || trip.pending !== undefined || trip.promised > 0n) return EMPTY_PLAN;
  return {
    movements: usdcMovements([trip.free, "trip_budget", "treasury"]),
    irreversible: [final("the trip takes no new bookings")],
  };
}
