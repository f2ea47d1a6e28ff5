import { z } from "zod";
import { StoredAddress, StoredHash, StoredToken } from "../../../domain/stored-fields.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import { EscrowAction, toStep } from "./escrow-action.ts";
import { eventOfStep } from "./step-event.ts";

/** A step of a trip, by the relayer, who is the escrow's operator. */
export const escrowStep = defineChainOperation({
  kind: "escrow",
  input: z.strictObject({ token: StoredToken, escrow: StoredAddress, tripId: StoredHash, action: EscrowAction }),
  encode({ input: { escrow, tripId, action }, site }) {
    requireEscrow(site.chain, escrow);
    return { to: escrow, data: toStep(action).encode(tripId) };
  },
  // What a payment uses can change between the estimate and the block, as recipients can be blocked meanwhile.
  gasCeiling: ({ input }) => ({ gas: toStep(input.action).gas, bound: "least" }),
  outcome: {
    // The contract does what it is asked, or reverts; an empty transaction asked for nothing.
    tookEffect: (_input, { isEmpty }) => !isEmpty,
    event: ({ input: { escrow, tripId, action } }) => eventOfStep(escrow, tripId, toStep(action)),
    waitsWhileStopped: true,
  },
});

/** An operation of a time when the chain had another escrow must not be signed for a contract that nobody vouches for. */
export function requireEscrow({ escrow, chainId }: Pick<Chain, "escrow" | "chainId">, wanted: Hex): void {
  if (escrow?.address === wanted) return;
  throw new Error(`the escrow of chain ${chainId} is ${escrow?.address}, not ${wanted}`);
}
