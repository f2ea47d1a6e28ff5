import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import { EMPTY_PLAN, final, type Plan, planOrRefusal, usdcMovements } from "../../kernel/plan.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Caller } from "../../kernel/tool.ts";
import type { Clock } from "../../ports/clock.ts";
import { requireBooking, requireReserved, requireRoom, wrongState } from "./booking-steps.ts";
import { type CommitRequest, type CommittedAmounts, warnOfPaidOrder } from "./commit-booking.ts";
import { escrowFailure } from "./errors.ts";
import type { EscrowBooking } from "./escrow-bookings.ts";
import { readHash } from "./input.ts";
import { requireFunded } from "./steps.ts";
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

/**
 * The caller's booking, when it is in one of these states and no other step is under way. Undefined: it is under way, or beyond
 * them, and the call may be one that was made before. Throws what the call will be told of a booking that is not there or not so
 * far.
 */
async function bookingIn(
  { stores, caller }: Asked,
  named: string,
  states: readonly EscrowBooking["state"][],
  notYet: readonly EscrowBooking["state"][] = [],
): Promise<EscrowBooking | undefined> {
  const bookingId = readHash(named);
  if (bookingId === undefined) throw escrowFailure("booking_not_found");
  const { tenantId, environment } = caller;
  const booking = await requireBooking(stores, environment, { tenantId, bookingId });
  if (booking.pending !== undefined) return undefined;
  if (notYet.includes(booking.state)) throw wrongState(booking);
  return states.includes(booking.state) ? booking : undefined;
}

/** Holding a part of a trip's budget. `isNew`: no booking has the id that the call names. */
export function planReservation(
  { stores, caller, clock }: TripAsked & { stores: Asked["stores"]; clock: Clock },
  { tripId: named, amount, bookingId }: { tripId: string; amount: Micro; bookingId: Hex | undefined },
): Promise<Plan> {
  return planOrRefusal(async () => {
    const { tenantId, environment } = caller;
    const tripId = readHash(named);
    const trip = tripId === undefined ? undefined : await stores.trips.find(tenantId, environment, tripId);
    if (trip === undefined) throw escrowFailure("trip_not_found");
    const known =
      bookingId === undefined ? undefined : await stores.escrowBookings.find(tenantId, environment, bookingId);
    if (known === undefined) requireRoom(trip, amount, clock);
    return {
      movements: usdcMovements([amount, "trip_budget", "booking_reservation"]),
      tripId: trip.tripId,
      irreversible: [],
    };
  });
}

/** Amounts and payee are fixed now; the settlement moves the money, and until then the booking can be cancelled. */
export function planCommit(
  asked: Asked & { stores: Pick<Stores, "orders" | "wallets"> },
  { bookingId, vendor, itineraryHash }: Pick<CommitRequest, "vendor" | "itineraryHash"> & { bookingId: string },
  price: () => Promise<CommittedAmounts>,
): Promise<Plan> {
  return planOrRefusal(async () => {
    const booking = await bookingIn(asked, bookingId, ["reserved"], ["cancelled"]);
    if (booking === undefined) return EMPTY_PLAN;
    const { vendorAmount, markup, serviceFee } = await price();
    requireReserved(booking, vendorAmount + markup + serviceFee);
    const later = usdcMovements(
      [vendorAmount, "booking_reservation", vendor, "cost"],
      [markup, "booking_reservation", "treasury", "markup"],
      [serviceFee, "booking_reservation", "collection", "service_fee"],
    );
    return {
      movements: later.map((movement) => ({ ...movement, isLater: true })),
      boughtHash: itineraryHash,
      tripId: booking.tripId,
      irreversible: (await warnOfPaidOrder(asked.stores, booking, { vendor, itineraryHash })).map(final),
    };
  });
}

export function planSettlement(asked: Asked, bookingId: string): Promise<Plan> {
  return planOrRefusal(async () => {
    const booking = await bookingIn(asked, bookingId, ["confirmed"], ["reserved", "committed", "cancelled"]);
    return booking?.vendor === undefined ? EMPTY_PLAN : settlementOf(booking, booking.vendor);
  });
}

function settlementOf(booking: EscrowBooking, vendor: Hex): Plan {
  const { vendorPaid, refunded } = payouts(booking);
  return {
    movements: usdcMovements(
      [vendorPaid, "booking_reservation", vendor, "cost"],
      [booking.markup, "booking_reservation", "treasury", "markup"],
      [refunded, "booking_reservation", "treasury", "rest"],
      [booking.serviceFee, "booking_reservation", "collection", "service_fee"],
    ),
    boughtHash: booking.itineraryHash,
    irreversible: [final("the booking is paid out")],
  };
}

export function planCancellation(asked: Asked, bookingId: string): Promise<Plan> {
  return planOrRefusal(async () => {
    const booking = await bookingIn(asked, bookingId, ["reserved", "committed", "confirmed"], ["settled"]);
    if (booking === undefined) return EMPTY_PLAN;
    return {
      movements: usdcMovements([booking.reserved, "booking_reservation", "treasury"]),
      boughtHash: booking.itineraryHash,
      irreversible: [final("the booking is over")],
    };
  });
}

/** That it is ticketed moves nothing. */
export function planTicketing(asked: Asked, bookingId: string, ticketHash: Hex): Promise<Plan> {
  return planOrRefusal(async () => {
    await bookingIn(asked, bookingId, ["committed"], ["reserved", "cancelled"]);
    return { movements: [], boughtHash: ticketHash, irreversible: [] };
  });
}

export function planClosing({ stores, caller }: TripAsked, named: string): Promise<Plan> {
  return planOrRefusal(async () => {
    const tripId = readHash(named);
    const trip = tripId && (await stores.trips.find(caller.tenantId, caller.environment, tripId));
    if (trip === undefined) throw escrowFailure("trip_not_found");
    requireFunded(trip);
    if (trip.state === "closed") return EMPTY_PLAN;
    if (trip.pending === undefined && trip.promised > 0n) throw escrowFailure("trip_in_progress");
    return {
      movements: usdcMovements([trip.free, "trip_budget", "treasury"]),
      irreversible: [final("the trip takes no new bookings")],
    };
  });
}
