import { encodeFunctionData } from "viem";
import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { StoredHash, StoredInteger } from "../../../domain/stored-fields.ts";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { final, usdcMovements } from "../../../kernel/contracts/call-plan.ts";
import { payActionFee } from "../records/trip-money.ts";
import { emitted } from "./escrow-event.ts";
import { defineTripStep, PAYMENT_GAS, toWord } from "./step.ts";

const fields = z.strictObject({
  name: z.literal("log"),
  actionId: StoredHash,
  actionType: z.string(),
  fee: StoredInteger,
});

/** Records an agent's action for the trip, for a fee, once per call. */
export const logStep = defineTripStep({ fields }, ({ actionId, actionType, fee }) => ({
  encode(tripId) {
    const args = [tripId, actionId, toWord(actionType), fee] as const;
    return encodeFunctionData({ abi, functionName: "logAction", args });
  },
  gas: 140_000n + PAYMENT_GAS,
  events: [emitted("ActionLogged", { actionId })],
  refusals: { TripExpired: "trip_expired", TripIsClosed: "trip_closed", InsufficientFree: "insufficient_budget" },
  takes: fee,
  // Each call has a new id.
  meaning: { actionType, fee },

  plan: () => ({
    movements: usdcMovements([fee, "trip_budget", "treasury"]),
    irreversible: [final("the record on the chain")],
  }),
  apply: (trip) => payActionFee(trip, fee),
  async alongside({ trips }, { environment, tripId }, transactionHash) {
    await trips.recordAction(environment, tripId, { actionId, actionType, fee, transactionHash });
  },
  note() {
    const feeUsdc = formatDecimal(fee);
    return { text: `An agent action was logged for ${feeUsdc} USDC.`, details: { actionId, actionType, feeUsdc } };
  },
}));
