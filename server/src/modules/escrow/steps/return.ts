import { encodeFunctionData } from "viem";
import { z } from "zod";
import { StoredHash } from "../../../domain/stored-fields.ts";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { endHoldForOrder } from "../orders/hold-for-order.ts";
import { payUncovered } from "../orders/pay-uncovered.ts";
import { freeHeld } from "../records/trip-money.ts";
import { noteCancellation, tellFree, tellWaiting } from "./booking-end.ts";
import { emitted } from "./escrow-event.ts";
import { defineBookingStep, toWord } from "./step.ts";

/** The contract's event has the reason itself, or its hash if it is longer than 32 bytes. */
const fields = z.strictObject({ name: z.literal("return"), bookingId: StoredHash, reason: z.string() });

/**
 * Ends an unconfirmed booking and frees its reserved money in its trip. If that is impossible, release_reservation
 * cancels instead: `release-reservation.ts` decides and plans.
 */
export const returnStep = defineBookingStep(
  { fields, startsFrom: ["reserved", "committed"] },
  ({ bookingId, reason }) => ({
    encode(tripId) {
      return encodeFunctionData({ abi, functionName: "returnToTrip", args: [tripId, bookingId, toWord(reason)] });
    },
    gas: 80_000n,
    events: [emitted("BookingReturned", { bookingId })],
    refusals: { TripExpired: "trip_expired", TripIsClosed: "trip_closed", WrongState: "wrong_state" },
    meaning: {},
    coverRules: {},

    apply: ({ booking, trip }) => ({
      booking: { state: "cancelled", returned: booking.reserved },
      trip: freeHeld(trip, booking),
    }),
    note: noteCancellation,
    async afterwards(aggregates, booking, transaction) {
      await endHoldForOrder(aggregates, transaction);
      await payUncovered(aggregates, booking);
    },
    afterUndoing: endHoldForOrder,
    additions: async (_stores, { trip, booking }, transaction) => ({
      ...tellWaiting(booking),
      ...tellFree(trip, transaction),
    }),
  }),
);
