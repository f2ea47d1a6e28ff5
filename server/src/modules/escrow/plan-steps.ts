import { Failure } from "../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import { EMPTY_PLAN, final, type Plan, planOrRefusal, usdcMovements } from "../../kernel/plan.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Caller } from "../../kernel/tool.ts";
import type { Chain } from "../../ports/chain.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Booking } from "../bookings/index.ts";
import { stepOf } from "./apply-step.ts";
import {
  type BookingAction,
  findReservation,
  findSameStep,
  type IsSameStep,
  requireBooking,
  requireReserved,
  requireRoom,
  requireState,
  sameAs,
} from "./booking-steps.ts";
import {
  type CommitRequest,
  type CommittedAmounts,
  requireVendor,
  sayReturn,
  warnOfExpiry,
  warnOfPaidOrder,
} from "./commit-booking.ts";
import { findCoveredBooking, requireCovering } from "./covered-orders.ts";
import { escrowFailure, shortOfBudget } from "./errors.ts";
import type { EscrowBooking } from "./escrow-bookings.ts";
import { readHash, requireEscrow } from "./input.ts";
import { chooseWay, findRelease, foresayRelease } from "./release-reservation.ts";
import { isExpired, requireFunded, requireOpen, requireTakingSteps } from "./steps.ts";
import { payouts, spendable } from "./trip-money.ts";
import { requireNothingReturning } from "./trip-steps.ts";
import type { Trip } from "./trips.ts";

/** What steps of bookings move in the escrow, as plans say it. A call that will be refused, or that was made before, moves nothing. */

interface Asked {
  stores: Pick<Stores, "escrowBookings" | "chainTransactions" | "chainNetworks" | "trips">;
  chain: Chain;
  caller: Caller;
  escrowAddress?: string | undefined;
}

interface TripAsked {
  stores: Pick<Stores, "trips">;
  caller: Caller;
}

/**
 * The caller's booking, when this step can be taken of it. Undefined: it is under way or was taken. Throws what the call will be told
 * where it is not possible.
 */
async function bookingBefore(
  { stores, chain, caller, escrowAddress }: Asked,
  named: string,
  actionOf: (bookingId: Hex) => BookingAction,
  { tripId, isSame }: { tripId?: Hex | undefined; isSame?: IsSameStep } = {},
): Promise<EscrowBooking | undefined> {
  requireEscrow(chain, escrowAddress);
  const bookingId = readHash(named);
  if (bookingId === undefined) throw escrowFailure("booking_not_found");
  const { tenantId, environment } = caller;
  const booking = await requireBooking(stores, environment, { tenantId, bookingId, tripId });
  const action = actionOf(bookingId);
  const known = await findSameStep(stores, booking, stepOf(action), isSame ?? sameAs(action));
  if (known !== undefined) return undefined;
  requireState(booking, action.name);
  return booking;
}

/**
 * With the reason why no new step of the trip can be stored now, where there is one. The movements stay in the plan: what stopped the
 * network may be over when the call runs, and gates have to judge it all the same.
 */
async function withRefusal(
  { stores, chain }: { stores: Pick<Stores, "chainNetworks">; chain: Chain },
  trip: Trip | undefined,
  plan: Plan,
): Promise<Plan> {
  if (trip === undefined) return plan;
  try {
    await requireTakingSteps({ chainNetworks: stores.chainNetworks, chain }, trip);
    return plan;
  } catch (error) {
    if (error instanceof Failure) return { ...plan, refusal: error };
    throw error;
  }
}

const tripOf = ({ stores }: Asked, { network, tripId }: EscrowBooking) => stores.trips.get(network, tripId);

async function requireTrip({ stores, caller }: TripAsked, named: string): Promise<Trip> {
  const tripId = readHash(named);
  const trip = tripId && (await stores.trips.find(caller.tenantId, caller.environment, tripId));
  if (trip === undefined) throw escrowFailure("trip_not_found");
  return trip;
}

/** Holding a part of a trip's budget. */
export function planReservation(
  asked: TripAsked & Asked & { clock: Clock },
  { tripId: named, amount, bookingId }: { tripId: string; amount: Micro; bookingId: Hex | undefined },
): Promise<Plan> {
  return planOrRefusal(async () => {
    const { stores, chain, caller, clock, escrowAddress } = asked;
    requireEscrow(chain, escrowAddress);
    const trip = await requireTrip(asked, named);
    const { tripId } = trip;
    const existing = bookingId && (await stores.escrowBookings.find(caller.tenantId, caller.environment, bookingId));
    const known = await findReservation(stores, existing, { tripId, amount });
    const movements = usdcMovements([amount, "trip_budget", "booking_reservation"]);
    const plan = { movements, tripId, irreversible: [] };
    if (known !== undefined) return plan;
    requireRoom(trip, amount, clock);
    return await withRefusal(asked, trip, plan);
  });
}

/** A fee for something that an agent did, out of what is free. */
export function planLog(
  asked: TripAsked & Pick<Asked, "stores" | "chain" | "escrowAddress"> & { clock: Clock },
  { tripId, fee }: { tripId: string; fee: Micro },
): Promise<Plan> {
  return planOrRefusal(async () => {
    requireEscrow(asked.chain, asked.escrowAddress);
    const trip = await requireTrip(asked, tripId);
    requireOpen(trip, asked.clock);
    if (spendable(trip) < fee) throw shortOfBudget(fee, spendable(trip));
    return await withRefusal(asked, trip, {
      movements: usdcMovements([fee, "trip_budget", "treasury"]),
      irreversible: [final("the record on the chain")],
    });
  });
}

/** Amounts and payee are fixed now; the settlement moves the money, and until then the booking can be cancelled. */
export function planCommit(
  asked: Asked & { stores: Pick<Stores, "bookings" | "orders" | "wallets" | "trips">; clock: Clock },
  request: Pick<CommitRequest, "vendor" | "itineraryHash" | "isSame"> & { bookingId: string },
  price: () => Promise<CommittedAmounts>,
): Promise<Plan> {
  return planOrRefusal(async () => {
    const { vendor, itineraryHash, isSame } = request;
    const none = { vendorAmount: 0n, markup: 0n, serviceFee: 0n };
    const actionOf = (bookingId: Hex) => ({ name: "commit", bookingId, vendor, ...none, itineraryHash }) as const;
    const booking = await bookingBefore(asked, request.bookingId, actionOf, { isSame });
    if (booking === undefined) return EMPTY_PLAN;
    const trip = await asked.stores.trips.get(booking.network, booking.tripId);
    requireVendor(asked.chain, trip, vendor);
    const { vendorAmount, markup, serviceFee } = await price();
    if (trip !== undefined && isExpired(trip, asked.clock)) throw escrowFailure("trip_expired");
    requireReserved(booking, vendorAmount + markup + serviceFee);
    await requireCovering(asked.stores, booking, { ...actionOf(booking.bookingId), vendorAmount });
    const isCover = (await findCoveredBooking(asked.stores, booking)) !== undefined;
    const cost = usdcMovements([vendorAmount, "booking_reservation", vendor, "cost"]).map((movement) => ({
      ...movement,
      ...(isCover ? { isCounted: true as const } : {}),
    }));
    const later = usdcMovements(
      [markup, "booking_reservation", "treasury", "markup"],
      [serviceFee, "booking_reservation", "collection", "service_fee"],
    );
    const bought = { vendor, itineraryHash };
    const returned = await sayReturn(asked.stores, booking, bought);
    return await withRefusal(asked, trip, {
      movements: [...cost, ...later].map((movement) => ({ ...movement, isLater: true })),
      boughtHash: itineraryHash,
      tripId: booking.tripId,
      irreversible: (await warnOfPaidOrder(asked.stores, booking, bought)).map(final),
      remarks: [...returned, ...(await warnOfExpiry(asked.stores, trip, bought))],
    });
  });
}

export function planSettlement(
  asked: Asked & { stores: Pick<Stores, "bookings" | "orders" | "wallets"> },
  bookingId: string,
): Promise<Plan> {
  return planOrRefusal(async () => {
    const booking = await bookingBefore(asked, bookingId, (id) => ({ name: "settle", bookingId: id }));
    if (booking?.vendor === undefined) return EMPTY_PLAN;
    const { vendor, itineraryHash } = booking;
    const remarks = await sayReturn(asked.stores, booking, { vendor, itineraryHash });
    const plan = { ...settlementOf(booking, vendor), ...(remarks.length === 0 ? {} : { remarks }) };
    return await withRefusal(asked, await tripOf(asked, booking), plan);
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

export function planCancellation(
  asked: Asked & { stores: Pick<Stores, "bookings" | "wallets"> },
  { bookingId, tripId: named, reason }: { bookingId: string; tripId: string; reason: string },
): Promise<Plan> {
  return planOrRefusal(async () => {
    const tripId = readHash(named);
    if (tripId === undefined) throw escrowFailure("booking_not_found");
    const actionOf = (id: Hex) => ({ name: "cancel", bookingId: id, reason }) as const;
    const booking = await bookingBefore(asked, bookingId, actionOf, { tripId });
    if (booking === undefined) return EMPTY_PLAN;
    await requireCovering(asked.stores, booking, actionOf(booking.bookingId));
    const covered = await findCoveredBooking(asked.stores, booking);
    return await withRefusal(asked, await tripOf(asked, booking), {
      movements: usdcMovements([booking.reserved, "booking_reservation", "treasury"]),
      boughtHash: booking.itineraryHash,
      irreversible: [final("the booking is over")],
      ...(covered === undefined || covered.cover === 0n ? {} : { remarks: [sayWalletPays(covered)] }),
    });
  });
}

export function planRelease(
  asked: Asked & TripAsked & { stores: Pick<Stores, "bookings" | "wallets" | "ledger">; clock: Clock },
  { bookingId: named, tripId }: { bookingId: string; tripId: string },
): Promise<Plan> {
  return planOrRefusal(async () => {
    const { stores, chain, caller, clock, escrowAddress } = asked;
    requireEscrow(chain, escrowAddress);
    const [bookingId, ofTrip] = [readHash(named), readHash(tripId)];
    if (bookingId === undefined || ofTrip === undefined) throw escrowFailure("booking_not_found");
    const { tenantId, environment } = caller;
    const booking = await requireBooking(stores, environment, { tenantId, bookingId, tripId: ofTrip });
    if ((await findRelease(stores, booking)) !== undefined) return EMPTY_PLAN;
    const trip = await requireTrip(asked, tripId);
    const way = await chooseWay(stores, { chain, clock }, trip, booking);
    const { walletBecause, order } = way;
    // What a cancellation leaves to pay was counted when the budget left the wallet; a budget that is free again can be spent besides.
    const owed = walletBecause === undefined ? (order?.owed ?? 0n) : 0n;
    return await withRefusal(asked, trip, {
      movements: usdcMovements(
        [booking.reserved, "booking_reservation", walletBecause === undefined ? "trip_budget" : "treasury"],
        [owed, "treasury", "collection", "cost"],
      ),
      boughtHash: booking.itineraryHash,
      tripId: ofTrip,
      irreversible: [final("the booking is over")],
      remarks: foresayRelease(way),
    });
  });
}

const sayWalletPays = ({ orderId, cover }: Booking) =>
  `The reservation pays for the order ${orderId}. Cancelled, it pays nothing, and the wallet pays the ${formatDecimal(cover)} USDC that the order has cost and the supplier has not given back.`;

/** That it is ticketed moves nothing. */
export function planTicketing(asked: Asked, bookingId: string, ticketHash: Hex): Promise<Plan> {
  return planOrRefusal(async () => {
    const booking = await bookingBefore(asked, bookingId, (id) => ({ name: "confirm", bookingId: id, ticketHash }));
    const plan = { movements: [], boughtHash: ticketHash, irreversible: [] };
    return booking === undefined ? plan : await withRefusal(asked, await tripOf(asked, booking), plan);
  });
}

export function planClosing(asked: TripAsked & Pick<Asked, "stores" | "chain">, tripId: string): Promise<Plan> {
  return planOrRefusal(async () => {
    const trip = await requireTrip(asked, tripId);
    requireFunded(trip);
    if (trip.state === "closed") return EMPTY_PLAN;
    const isUnderWay = trip.pending?.step === "close";
    if (!isUnderWay && (trip.pending !== undefined || trip.promised > 0n)) throw escrowFailure("trip_in_progress");
    if (!isUnderWay) await requireNothingReturning(asked.stores, trip);
    const plan = {
      movements: usdcMovements([trip.free, "trip_budget", "treasury"]),
      irreversible: [final("the trip takes no new bookings")],
    };
    return isUnderWay ? plan : await withRefusal(asked, trip, plan);
  });
}
