import { encodeFunctionData } from "viem";
import { z } from "zod";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { final, usdcMovements } from "../../../kernel/contracts/call-plan.ts";
import { escrowFailure } from "../errors.ts";
import { requireNothingPromised } from "../records/trip-state.ts";
import { emitted } from "./escrow-event.ts";
import { defineTripStep, PAYMENT_GAS } from "./step.ts";
import { endTrip } from "./trip-end.ts";

const fields = z.strictObject({ name: z.literal("close") });

/** Returns the free budget; nothing new is reserved. */
export const closeStep = defineTripStep({ fields }, () => ({
  ...endTrip,
  encode: (tripId) => encodeFunctionData({ abi, functionName: "close", args: [tripId] }),
  gas: 110_000n + PAYMENT_GAS,
  events: [emitted("TripClosed", {})],

  async require(trip, { escrowBookings }) {
    requireNothingPromised(trip);
    // A closing states its payout, which a concurrent return to the trip would change.
    const bookings = await escrowBookings.listOfTrip(trip.environment, trip.tripId);
    if (bookings.some(({ pending }) => pending?.step === "return")) throw escrowFailure("trip_in_progress");
  },
  plan: (trip) => ({
    movements: usdcMovements([trip.free, "trip_budget", "treasury"]),
    irreversible: [final("the trip takes no new bookings")],
  }),
}));
