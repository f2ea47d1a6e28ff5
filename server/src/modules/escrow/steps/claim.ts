import { encodeFunctionData } from "viem";
import { z } from "zod";
import { StoredAddress, StoredBytes, StoredInteger } from "../../../domain/stored-fields.ts";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { escrowFailure } from "../errors.ts";
import { isExpired } from "../records/trip-state.ts";
import { emitted } from "./escrow-event.ts";
import { defineTripStep } from "./step.ts";

const fields = z.strictObject({
  name: z.literal("claim"),
  guest: StoredAddress,
  deadline: StoredInteger,
  signature: StoredBytes,
});

/** Binds the guest's wallet to the trip. Anybody can send it: the claim signer's signature counts. */
export const claimStep = defineTripStep({ fields }, ({ guest, deadline, signature }) => ({
  encode: (tripId) => encodeFunctionData({ abi, functionName: "claim", args: [tripId, guest, deadline, signature] }),
  // Enough for a signer that is a contract.
  gas: 200_000n,
  events: [emitted("TripClaimed", { guest })],
  refusals: { AlreadyClaimed: "already_claimed", TripExpired: "trip_expired" },
  // Its deadline and signature are new in every call.
  meaning: { guest },

  require(trip, { clock }) {
    if (trip.guestWallet !== undefined) throw escrowFailure("already_claimed");
    if (isExpired(trip, clock)) throw escrowFailure("trip_expired");
  },
  apply: (_trip, { createdAt }) => ({ guestWallet: guest, claimedAt: createdAt }),
  // Workflow runs wait for the guest to claim the trip.
  async alongside({ runEvents }, { tenantId, environment, tripId }) {
    const resolution = { status: "claimed", guestWallet: guest };
    await runEvents.raise({ tenantId, environment, name: "trip_claimed", subject: tripId, resolution });
  },
  note: () => ({ kind: "claim", text: "The guest claimed the trip.", details: { guestWallet: guest } }),
  additions: ({ createdAt }) => ({ claimedAt: createdAt.toString() }),
}));
