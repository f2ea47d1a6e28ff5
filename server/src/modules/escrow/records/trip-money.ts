import type { Micro } from "../../../domain/money.ts";
import type { EscrowBooking, Trip, TripChange } from "../../trips/index.ts";

/** Movements of steps between the parts of a trip's budget, equal to the contract's. Each sums to zero. */

/** Free money that no transaction in progress takes. */
export const spendable = ({ free, promised }: Trip): Micro => free - promised;

export const promise = ({ promised }: Trip, amount: Micro): TripChange => ({ promised: promised + amount });

export const breakPromise = ({ promised }: Trip, amount: Micro): TripChange => ({ promised: promised - amount });

export const hold = (trip: Trip, amount: Micro): TripChange => ({
  ...breakPromise(trip, amount),
  free: trip.free - amount,
  held: trip.held + amount,
});

export const payActionFee = (trip: Trip, fee: Micro): TripChange => ({
  ...breakPromise(trip, fee),
  free: trip.free - fee,
  actionFeePaid: trip.actionFeePaid + fee,
});

export const giveBackFree = (trip: Trip): TripChange => ({ free: 0n, refunded: trip.refunded + trip.free });

type Amounts = Pick<EscrowBooking, "reserved" | "vendorAmount" | "markup" | "serviceFee">;

/** A settlement's payouts; `refunded` is the rest of the reservation. */
export function payouts({ reserved, vendorAmount, markup, serviceFee }: Amounts) {
  const feePaid = markup + serviceFee;
  return { vendorPaid: vendorAmount, feePaid, refunded: reserved - vendorAmount - feePaid };
}

export const payOut = (trip: Trip, booking: Amounts): TripChange => ({
  held: trip.held - booking.reserved,
  vendorPaid: trip.vendorPaid + booking.vendorAmount,
  markupPaid: trip.markupPaid + booking.markup,
  serviceFeePaid: trip.serviceFeePaid + booking.serviceFee,
  refunded: trip.refunded + payouts(booking).refunded,
});

/** A booking's reserved money becomes free for another one. */
export const freeHeld = (trip: Trip, { reserved }: Amounts): TripChange => ({
  held: trip.held - reserved,
  free: trip.free + reserved,
});

export const giveBackHeld = (trip: Trip, { reserved }: Amounts): TripChange => ({
  held: trip.held - reserved,
  refunded: trip.refunded + reserved,
});
