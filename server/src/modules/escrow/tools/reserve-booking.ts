import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { chainProvenance, TokenAmount } from "../../treasury/index.ts";
import { BookingWrite, toStepAnswer } from "../bookings/booking-answer.ts";
import { defineTool } from "../context.ts";
import { bookingErrors, budgetErrors, stepErrors, tripStateErrors } from "../errors.ts";
import { checkEscrow } from "../escrows/trip-escrow.ts";
import { EscrowAddress, Hash, readHash, requireAmount, requireHash } from "../input.ts";
import { planReservation } from "../step-machine/plan-step.ts";
import { takeReservation } from "../step-machine/take-booking-step.ts";

const Output = BookingWrite.extend({ reservedUsdc: DecimalAmount });

const { booking_in_progress, wrong_state } = bookingErrors;

export const reserveBooking = defineTool({
  name: "reserve_booking",
  title: "Reserve a booking",
  summary: "Reserve part of a trip's budget in escrow for a booking: its maximum cost, including fees.",
  advice:
    "Next: commit_booking, or confirm_booking with a price. release_reservation returns it to the trip, cancel_booking to the wallet.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock", "random"],
  input: z.strictObject({
    tripId: z.string(),
    upperBoundUsdc: TokenAmount,
    bookingId: Hash.optional().describe("Your own, 0x and 64 hex digits; default: random"),
    escrowAddress: EscrowAddress,
  }),
  output: Output,
  errors: { ...stepErrors, ...tripStateErrors, ...budgetErrors, booking_in_progress, wrong_state },
  example: (_today, { tripId }) => ({ tripId, upperBoundUsdc: "250.00" }),
  gives: ({ bookingId }) => ({ reservedBookingId: bookingId }),

  plan: ({ tripId, upperBoundUsdc, bookingId, escrowAddress }, { stores, chain, clock, caller }) =>
    planReservation(
      { stores, chain, clock, caller, escrowAddress },
      {
        tripId,
        amount: requireAmount(upperBoundUsdc),
        bookingId: bookingId === undefined ? undefined : requireHash(bookingId),
      },
    ),

  async run(input, { chain, submission, stores, clock, random, caller: { tenantId }, call, fail }) {
    await checkEscrow({ chain, stores }, { ...input, tenantId });
    const tripId = readHash(input.tripId);
    if (tripId === undefined) throw fail("trip_not_found");
    const amount = requireAmount(input.upperBoundUsdc);
    const answer = await takeReservation(
      { chain, submission, stores, clock },
      {
        tenantId,
        callId: call.id,
        tripId,
        bookingId: input.bookingId === undefined ? undefined : requireHash(input.bookingId),
        random,
        amount,
        result: (bookingId) => ({
          bookingId,
          tripId,
          state: "reserved",
          reservedUsdc: formatDecimal(amount),
          ...chainProvenance(chain, clock),
        }),
      },
    );
    return toStepAnswer(answer, Output);
  },
});
