import { encodeFunctionData } from "viem";
import { z } from "zod";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import { StoredHash, StoredInteger } from "../../../domain/stored-fields.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { type CallPlan, usdcMovements } from "../../../kernel/contracts/call-plan.ts";
import { hold } from "../records/trip-money.ts";
import { emitted } from "./escrow-event.ts";
import { defineBookingStep } from "./step.ts";

const fields = z.strictObject({ name: z.literal("reserve"), bookingId: StoredHash, amount: StoredInteger });

/** Reserves a part of the trip's budget for a booking. */
export const reserveStep = defineBookingStep({ fields, startsFrom: [] }, ({ bookingId, amount }) => ({
  encode: (tripId) => encodeFunctionData({ abi, functionName: "reserve", args: [tripId, bookingId, amount] }),
  gas: 120_000n,
  events: [emitted("BookingReserved", { bookingId, amount })],
  refusals: { TripExpired: "trip_expired", TripIsClosed: "trip_closed", InsufficientFree: "insufficient_budget" },
  takes: amount,

  apply: ({ trip }) => ({ booking: { state: "reserved" }, trip: hold(trip, amount) }),
  note({ reserved }) {
    const reservedUsdc = formatDecimal(reserved);
    return { text: `${reservedUsdc} USDC were reserved for a booking.`, details: { reservedUsdc } };
  },
}));

/** Also for a repeated call. Releasing or cancelling the booking returns it. */
export function planReserving(amount: Micro, tripId: Hex): CallPlan {
  return { movements: usdcMovements([amount, "trip_budget", "booking_reservation"]), tripId, irreversible: [] };
}
