import { encodeFunctionData } from "viem";
import { z } from "zod";
import { StoredHash } from "../../../domain/stored-fields.ts";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { payBackOrder } from "../orders/pay-back-order.ts";
import { payUncovered } from "../orders/pay-uncovered.ts";
import { cancel, noteCancellation, noteSettlement, settle } from "./booking-end.ts";
import { emitted } from "./escrow-event.ts";
import { defineBookingStep, PAYMENT_GAS } from "./step.ts";

const fields = z.strictObject({ name: z.literal("release_booking"), bookingId: StoredHash });

/** After expiry and grace, by anybody: confirmed bookings are settled, the others cancelled. */
export const releaseBookingStep = defineBookingStep(
  { fields, storedAs: "release", startsFrom: ["reserved", "committed", "confirmed"] },
  ({ bookingId }) => ({
    encode: (tripId) => encodeFunctionData({ abi, functionName: "releaseBooking", args: [tripId, bookingId] }),
    // It can be a settlement.
    gas: 220_000n + 3n * PAYMENT_GAS,
    events: [emitted("BookingSettled", { bookingId }), emitted("BookingCancelled", { bookingId })],
    coverRules: {},

    apply: (context) => (context.booking.state === "confirmed" ? settle(context) : cancel(context)),
    note: (booking) => (booking.state === "settled" ? noteSettlement(booking) : noteCancellation(booking)),
    async afterwards(aggregates, booking) {
      await payBackOrder(aggregates, booking);
      await payUncovered(aggregates, booking);
    },
  }),
);
