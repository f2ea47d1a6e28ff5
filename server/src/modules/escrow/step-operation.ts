import { z } from "zod";
import { StoredAddress, StoredHash, StoredToken } from "../../domain/stored-fields.ts";
import type { Hex } from "../../domain/tokens.ts";
import { defineChainOperation } from "../../kernel/chain-operation.ts";
import type { Chain } from "../../ports/chain.ts";
import { encodeAction } from "./encode-action.ts";
import { EscrowAction } from "./escrow-action.ts";
import { eventOfStep } from "./step-events.ts";

/** So much the contract wants to be left when it begins a payment, and lets a payment use that is refused. */
const PAYMENT_GAS = 102_000n;

/** What pays may need for each payment as much as it gets. */
const GAS: Readonly<Record<EscrowAction["name"], bigint>> = {
  // Also by a signer with code of its own.
  claim: 200_000n,
  reserve: 120_000n,
  commit: 120_000n,
  confirm: 60_000n,
  settle: 220_000n + 3n * PAYMENT_GAS,
  cancel: 115_000n + PAYMENT_GAS,
  return: 80_000n,
  log: 140_000n + PAYMENT_GAS,
  close: 110_000n + PAYMENT_GAS,
  release: 110_000n + PAYMENT_GAS,
  // It can be a settlement.
  release_booking: 220_000n + 3n * PAYMENT_GAS,
};

/** A step of a trip, by the relayer, who is the escrow's operator. */
export const escrowStep = defineChainOperation({
  kind: "escrow",
  input: z.strictObject({ token: StoredToken, escrow: StoredAddress, tripId: StoredHash, action: EscrowAction }),
  encode({ input: { escrow, tripId, action }, site }) {
    requireEscrow(site.chain, escrow);
    return { to: escrow, data: encodeAction(tripId, action) };
  },
  // What a payment uses can change between the estimate and the block, as recipients can be blocked meanwhile.
  gasCeiling: ({ input }) => ({ gas: GAS[input.action.name], bound: "least" }),
  outcome: {
    // The contract does what it is asked, or reverts; an empty transaction asked for nothing.
    tookEffect: (_input, { isEmpty }) => !isEmpty,
    event: ({ input: { escrow, tripId, action } }) => eventOfStep(escrow, tripId, action),
    waitsWhileStopped: true,
  },
});

/** An operation of a time when the network had another escrow must not be signed for a contract that nobody vouches for. */
export function requireEscrow({ escrow, chainId }: Pick<Chain, "escrow" | "chainId">, wanted: Hex): void {
  if (escrow?.address === wanted) return;
  throw new Error(`the escrow of chain ${chainId} is ${escrow?.address}, not ${wanted}`);
}
