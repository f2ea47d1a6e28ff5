import { encodeFunctionData } from "viem";
import { z } from "zod";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { requireNothingPromised } from "../records/trip-state.ts";
import { emitted } from "./escrow-event.ts";
import { defineTripStep, PAYMENT_GAS } from "./step.ts";
import { endTrip } from "./trip-end.ts";

const fields = z.strictObject({ name: z.literal("release") });

/** Returns the free budget after the trip's expiry. Anybody can send it. */
export const releaseStep = defineTripStep({ fields }, () => ({
  ...endTrip,
  encode: (tripId) => encodeFunctionData({ abi, functionName: "release", args: [tripId] }),
  gas: 110_000n + PAYMENT_GAS,
  events: [emitted("TripClosed", {})],

  require: requireNothingPromised,
}));
