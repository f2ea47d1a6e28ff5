import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { chainProvenance } from "../../treasury/index.ts";
import type { EscrowBooking } from "../../trips/index.ts";
import { asOwn, BookingWrite, bookingStepErrors, toStepAnswer, WaitingAmount } from "../bookings/booking-answer.ts";
import {
  againIfShort,
  planRelease,
  type ReleaseWay,
  releaseReservation as release,
  sayRelease,
  walletReasons,
} from "../bookings/release-reservation.ts";
import { defineTool } from "../context.ts";
import { tripStateErrors } from "../errors.ts";
import { checkEscrow } from "../escrows/trip-escrow.ts";
import { EscrowAddress, readHash } from "../input.ts";
import type { StepAnswer } from "../step-machine/take-step.ts";
import { RELEASED } from "../steps/booking-end.ts";

const Reason = z.enum(["duffel_failed", "policy_reject", "buyer_cancel", "timeout"]);

const Output = BookingWrite.extend({
  state: z.literal("cancelled"),
  returnedTo: z.enum(["trip", "wallet"]).describe("trip: its budget, free for another booking; wallet: your treasury"),
  returnedUsdc: DecimalAmount.describe("The whole reservation"),
  freeUsdc: DecimalAmount.describe("Free in the trip afterwards"),
  walletBecause: z
    .enum([...walletReasons, "cancelled_before"])
    .nullable()
    .describe("Why it went to your wallet. null: it is in the trip"),
  walletPaysUsdc: DecimalAmount.describe(
    "Your wallet's payment for an order that the reservation was meant to pay for",
  ),
  reason: Reason,
  next: z.string(),
  waitingUsdc: WaitingAmount,
});

const { trip_closed, trip_expired, trip_in_progress } = tripStateErrors;

export const releaseReservation = defineTool({
  name: "release_reservation",
  title: "Release a reservation",
  summary: "End an unconfirmed booking and return its reservation to the trip's budget, to be spent again.",
  advice: "Use it to retry after a failure; cancel_booking returns the money to your wallet instead.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z.strictObject({ bookingId: z.string(), tripId: z.string(), reason: Reason, escrowAddress: EscrowAddress }),
  output: Output,
  errors: { ...bookingStepErrors, trip_closed, trip_expired, trip_in_progress },
  example: (_today, { reservedBookingId, tripId }) => ({
    bookingId: reservedBookingId,
    tripId,
    reason: "duffel_failed" as const,
  }),
  gives: () => ({ reservedBookingId: undefined }),

  plan: ({ escrowAddress, ...named }, { stores, chain, clock, caller }) =>
    planRelease({ stores, chain, clock, caller, escrowAddress }, named),

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call, fail }) {
    await checkEscrow({ chain, stores }, { ...input, tenantId });
    const bookingId = readHash(input.bookingId);
    const tripId = readHash(input.tripId);
    if (bookingId === undefined || tripId === undefined) throw fail("booking_not_found");
    const { reason } = input;
    const wallet = await stores.wallets.findTreasury(chain.key, tenantId);
    const answer = await release(
      { chain, submission, stores, clock },
      {
        tenantId,
        callId: call.id,
        tripId,
        bookingId,
        reason,
        result: (booking, way) => ({
          ...describeRelease(booking, way),
          ...(wallet === undefined ? {} : { refundedToAddress: wallet.address }),
          reason,
          ...chainProvenance(chain, clock),
        }),
      },
    ).catch(againIfShort);
    if (RELEASED in answer.result) return toStepAnswer(answer, Output);
    const trip = await stores.trips.get(chain.environment, tripId);
    return toStepAnswer(asOwn(afterCancellation(answer, formatDecimal(trip?.free ?? 0n))), Output);
  },
});

/** If the wallet got the money, adds the answer of cancel_booking for the same step, which a later call of that tool returns. */
function describeRelease({ bookingId, tripId, reserved }: EscrowBooking, way: ReleaseWay) {
  const amount = formatDecimal(reserved);
  const isInTrip = way.walletBecause === undefined;
  return {
    bookingId,
    tripId,
    state: "cancelled",
    [RELEASED]: isInTrip ? "trip" : "wallet",
    returnedUsdc: amount,
    ...(isInTrip ? {} : { refundedUsdc: amount }),
    walletBecause: way.walletBecause ?? null,
    walletPaysUsdc: formatDecimal(way.order?.owed ?? 0n),
    next: sayRelease(way),
  };
}

/** A booking that cancel_booking ended can no longer be returned to the trip. */
function afterCancellation(answer: StepAnswer, freeUsdc: string): StepAnswer {
  const { refundedUsdc } = answer.result;
  return {
    ...answer,
    result: {
      ...answer.result,
      [RELEASED]: "wallet",
      returnedUsdc: refundedUsdc,
      freeUsdc,
      walletBecause: "cancelled_before",
      walletPaysUsdc: "0.00",
      next: "cancel_booking has returned the money to your wallet. To try again, prefund another trip.",
    },
  };
}
