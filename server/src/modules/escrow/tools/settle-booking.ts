import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { chainProvenance } from "../../treasury/index.ts";
import { BookingWrite, bookingStepErrors, toStepAnswer, WaitingAmount } from "../bookings/booking-answer.ts";
import { defineTool } from "../context.ts";
import { checkEscrow } from "../escrows/trip-escrow.ts";
import { EscrowAddress, readHash } from "../input.ts";
import { payouts } from "../records/trip-money.ts";
import { planBookingStep } from "../step-machine/plan-step.ts";
import { takeBookingStep } from "../step-machine/take-booking-step.ts";

const Output = BookingWrite.extend({
  vendorPaidUsdc: DecimalAmount,
  feePaidUsdc: DecimalAmount.describe("Your markup and the service's fee"),
  refundedUsdc: DecimalAmount.describe("The rest of the reservation, to your treasury"),
  waitingUsdc: WaitingAmount,
  walletReturn: z
    .object({
      amountUsdc: DecimalAmount,
      orderId: z.string(),
      transferId: z.string(),
      txHash: z.string().nullable().describe("null: pending; call read_transaction with transferId"),
    })
    .nullable()
    .default(null)
    .describe("Returned to your wallet, which had paid the order; null: it had paid nothing"),
  tripFreeUsdc: DecimalAmount.nullable().default(null).describe("Left in the trip; close_trip returns it"),
});

export const settleBooking = defineTool({
  name: "settle_booking",
  title: "Settle a booking",
  summary: "Pay out a confirmed booking: vendor, fees, and the remainder to your treasury.",
  advice: "Last step, after confirm_flight; it cannot be undone. A repeat pays nothing and returns replayed.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z.strictObject({ bookingId: z.string(), escrowAddress: EscrowAddress }),
  output: Output,
  errors: bookingStepErrors,
  example: (_today, { ticketedBookingId }) => ({ bookingId: ticketedBookingId }),
  gives: ({ bookingId }) => ({ settledBookingId: bookingId }),

  plan: ({ bookingId, escrowAddress }, { stores, chain, clock, caller }) =>
    planBookingStep(
      { stores, chain, clock, caller, escrowAddress },
      { bookingId, action: (id) => ({ name: "settle", bookingId: id }) },
    ),

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call, fail }) {
    await checkEscrow({ chain, stores }, { ...input, tenantId });
    const bookingId = readHash(input.bookingId);
    if (bookingId === undefined) throw fail("booking_not_found");
    const answer = await takeBookingStep(
      { chain, submission, stores, clock },
      {
        tenantId,
        callId: call.id,
        action: { name: "settle", bookingId },
        result(booking) {
          const { vendorPaid, feePaid, refunded } = payouts(booking);
          return {
            bookingId,
            tripId: booking.tripId,
            state: "settled",
            vendorPaidUsdc: formatDecimal(vendorPaid),
            feePaidUsdc: formatDecimal(feePaid),
            refundedUsdc: formatDecimal(refunded),
            ...chainProvenance(chain, clock),
          };
        },
      },
    );
    return toStepAnswer(answer, Output);
  },
});
