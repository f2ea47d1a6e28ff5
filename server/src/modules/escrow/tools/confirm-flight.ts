import { z } from "zod";
import { chainProvenance } from "../../treasury/index.ts";
import { BookingWrite, bookingStepErrors, toStepAnswer } from "../bookings/booking-answer.ts";
import { defineTool } from "../context.ts";
import { checkEscrow } from "../escrows/trip-escrow.ts";
import { EscrowAddress, Hash, readHash, requireHash } from "../input.ts";
import { planBookingStep } from "../step-machine/plan-step.ts";
import { takeBookingStep } from "../step-machine/take-booking-step.ts";

const Output = BookingWrite.extend({ ticketOrderHash: z.string() });

export const confirmFlight = defineTool({
  name: "confirm_flight",
  aliases: ["confirm_ticketing"],
  title: "Confirm ticketing",
  summary: "Record that a committed booking was ticketed; for a stay, pass the hash of its confirmation.",
  advice:
    "Call it after commit_booking or confirm_booking, once ticketed. ticketOrderHash comes from read_order or book_stay. Next: settle_booking.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock"],
  input: z.strictObject({ bookingId: z.string(), ticketOrderHash: Hash, escrowAddress: EscrowAddress }),
  output: Output,
  errors: bookingStepErrors,
  example: (_today, { committedBookingId }) => ({
    bookingId: committedBookingId,
    ticketOrderHash: `0x${"19".repeat(32)}`,
  }),
  gives: ({ bookingId }) => ({ ticketedBookingId: bookingId, committedBookingId: undefined }),

  plan: ({ bookingId, ticketOrderHash, escrowAddress }, { stores, chain, clock, caller }) =>
    planBookingStep(
      { stores, chain, clock, caller, escrowAddress },
      { bookingId, action: (id) => ({ name: "confirm", bookingId: id, ticketHash: requireHash(ticketOrderHash) }) },
    ),

  async run(input, { chain, submission, stores, clock, caller: { tenantId }, call, fail }) {
    await checkEscrow({ chain, stores }, { ...input, tenantId });
    const bookingId = readHash(input.bookingId);
    if (bookingId === undefined) throw fail("booking_not_found");
    const ticketHash = requireHash(input.ticketOrderHash);
    const answer = await takeBookingStep(
      { chain, submission, stores, clock },
      {
        tenantId,
        callId: call.id,
        action: { name: "confirm", bookingId, ticketHash },
        result: ({ tripId }) => ({
          bookingId,
          tripId,
          state: "confirmed",
          ticketOrderHash: ticketHash,
          ...chainProvenance(chain, clock),
        }),
      },
    );
    return toStepAnswer(answer, Output);
  },
});
