import { encodeFunctionData } from "viem";
import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { StoredHash } from "../../../domain/stored-fields.ts";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { final, usdcMovements } from "../../../kernel/contracts/call-plan.ts";
import type { Booking } from "../../bookings/index.ts";
import { payUncovered } from "../orders/pay-uncovered.ts";
import { cancel, noteCancellation, tellFree, tellWaiting } from "./booking-end.ts";
import { emitted } from "./escrow-event.ts";
import { defineBookingStep, PAYMENT_GAS, toWord } from "./step.ts";

/** The contract's event has the reason itself, or its hash if it is longer than 32 bytes. */
const fields = z.strictObject({ name: z.literal("cancel"), bookingId: StoredHash, reason: z.string() });

/** Returns the whole reservation to the funder. */
export const cancelStep = defineBookingStep(
  { fields, startsFrom: ["reserved", "committed", "confirmed"] },
  ({ bookingId, reason }) => ({
    encode(tripId) {
      return encodeFunctionData({ abi, functionName: "cancel", args: [tripId, bookingId, toWord(reason)] });
    },
    gas: 115_000n + PAYMENT_GAS,
    events: [emitted("BookingCancelled", { bookingId })],
    refusals: { WrongState: "wrong_state" },
    // A booking cancelled for another reason counts as the same step.
    meaning: {},
    coverRules: {},

    async plan({ booking, covered }) {
      return {
        movements: usdcMovements([booking.reserved, "booking_reservation", "treasury"]),
        boughtHash: booking.itineraryHash,
        irreversible: [final("the booking is over")],
        ...(covered === undefined || covered.cover === 0n ? {} : { remarks: [sayWalletPays(covered)] }),
      };
    },
    apply: cancel,
    note: noteCancellation,
    afterwards: payUncovered,
    additions: async (_stores, { trip, booking }, transaction) => ({
      ...tellWaiting(booking),
      ...tellFree(trip, transaction),
    }),
  }),
);

const sayWalletPays = ({ orderId, cover }: Booking) =>
  `The reservation pays for the order ${orderId}. If it is cancelled, the wallet pays the ${formatDecimal(cover)} USDC that the order has cost and the supplier has not refunded.`;
