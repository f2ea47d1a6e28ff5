import { formatDecimal } from "../../../domain/money.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { EscrowBooking, Trip } from "../../trips/index.ts";
import { giveBackHeld, payOut, payouts } from "../records/trip-money.ts";
import type { BookingStep, StepNote } from "./step.ts";

/** Shared by the steps that end a booking. */

/** The member that distinguishes the stored answer of `release_reservation` from that of `cancel_booking`. */
export const RELEASED = "returnedTo";

export const settle: BookingStep["apply"] = ({ booking, trip, left }) => ({
  booking: { state: "settled", ...payouts(booking), waiting: left },
  trip: payOut(trip, booking),
});

export const cancel: BookingStep["apply"] = ({ booking, trip, left }) => ({
  booking: { state: "cancelled", refunded: booking.reserved, waiting: left },
  trip: giveBackHeld(trip, booking),
});

export function noteSettlement(booking: EscrowBooking): StepNote {
  const [vendorPaidUsdc, feePaidUsdc] = [formatDecimal(booking.vendorPaid), formatDecimal(booking.feePaid)];
  const refundedUsdc = formatDecimal(booking.refunded);
  return {
    text: `A booking was settled: ${vendorPaidUsdc} USDC to its vendor, ${feePaidUsdc} USDC in fees, ${refundedUsdc} USDC back.`,
    details: { vendorPaidUsdc, feePaidUsdc, refundedUsdc },
  };
}

export function noteCancellation({ returned, refunded }: EscrowBooking): StepNote {
  if (returned > 0n) {
    const returnedToTripUsdc = formatDecimal(returned);
    const text = `A booking was cancelled, and ${returnedToTripUsdc} USDC went back into the trip's budget.`;
    return { text, details: { returnedToTripUsdc } };
  }
  const refundedUsdc = formatDecimal(refunded);
  return { text: `A booking was cancelled, and ${refundedUsdc} USDC were returned.`, details: { refundedUsdc } };
}

/** The amount that the token refused to pay out and the escrow keeps for its recipient. */
export function tellWaiting({ waiting }: EscrowBooking): Record<string, unknown> {
  return waiting === 0n ? {} : { waitingUsdc: formatDecimal(waiting) };
}

/** The trip's free budget afterwards, for `release_reservation`. */
export function tellFree({ free }: Trip, { result }: ChainTransaction): Record<string, unknown> {
  return result === undefined || !(RELEASED in result) ? {} : { freeUsdc: formatDecimal(free) };
}
