import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { chainProvenance } from "../../treasury/index.ts";
import { asOwn, BookingWrite, bookingStepErrors, toStepAnswer, WaitingAmount } from "../bookings/booking-answer.ts";
import { defineTool } from "../context.ts";
import { checkEscrow } from "../escrows/trip-escrow.ts";
import { EscrowAddress, readHash } from "../input.ts";
import { planBookingStep } from "../step-machine/plan-step.ts";
import { takeBookingStep } from "../step-machine/take-booking-step.ts";
import { RELEASED } from "../steps/booking-end.ts";

const Reason = z.enum(["duffel_failed", "policy_reject", "buyer_cancel", "timeout"]);

const Output = BookingWrite.extend({
  refundedUsdc: DecimalAmount.describe("The whole reservation, returned to your treasury"),
  refundedTo: z.literal("treasury").default("treasury").describe("Your wallet, not the trip's budget"),
  refundedToAddress: z.string().optional().describe("Address of the treasury wallet"),
  reason: Reason,
  waitingUsdc: WaitingAmount,
});

export const cancelBooking = defineTool({
  name: "cancel_booking",
  title: "Cancel a booking",
  summary:
    "Cancel an unsettled booking and return its whole reservation to your treasury wallet. The supplier's order is cancelled separately.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z.strictObject({ bookingId: z.string(), tripId: z.string(), reason: Reason, escrowAddress: EscrowAddress }),
  output: Output,
  errors: bookingStepErrors,
  example: (_today, { reservedBookingId, tripId }) => ({
    bookingId: reservedBookingId,
    tripId,
    reason: "buyer_cancel" as const,
  }),
  gives: () => ({ reservedBookingId: undefined }),

  plan: ({ escrowAddress, bookingId, tripId, reason }, { stores, chain, clock, caller }) =>
    planBookingStep(
      { stores, chain, clock, caller, escrowAddress },
      { bookingId, tripId, action: (id) => ({ name: "cancel", bookingId: id, reason }) },
    ),

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call, fail }) {
    await checkEscrow({ chain, stores }, { ...input, tenantId });
    const bookingId = readHash(input.bookingId);
    const tripId = readHash(input.tripId);
    if (bookingId === undefined || tripId === undefined) throw fail("booking_not_found");
    const { reason } = input;
    const wallet = await stores.wallets.findTreasury(chain.key, tenantId);
    const answer = await takeBookingStep(
      { chain, submission, stores, clock },
      {
        tenantId,
        callId: call.id,
        tripId,
        action: { name: "cancel", bookingId, reason },
        details: { cancelReason: reason },
        result: ({ reserved }) => ({
          bookingId,
          tripId,
          state: "cancelled",
          refundedUsdc: formatDecimal(reserved),
          ...(wallet === undefined ? {} : { refundedToAddress: wallet.address }),
          reason,
          ...chainProvenance(chain, clock),
        }),
      },
    );
    return toStepAnswer(RELEASED in answer.result ? asOwn(answer) : answer, Output);
  },
});
