import { encodeFunctionData } from "viem";
import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { StoredAddress, StoredHash, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import { tripEscrowAbi } from "../../../generated/contracts/trip-escrow.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import type { OperationCall, TokenAuthorization } from "../../../ports/chain/chain-operation.ts";
import { storeGuestMail } from "../../invitations/index.ts";
import { FurtherEscrow, requireEscrow } from "../step-machine/step-operation.ts";
import type { OfTrip, TripStepOutcome } from "../steps/step.ts";

const Prefund = z.strictObject({
  token: StoredToken,
  escrow: StoredAddress,
  isFurther: FurtherEscrow,
  tripId: StoredHash,
  terms: z.strictObject({
    funder: StoredAddress,
    budget: StoredInteger,
    expiresAt: StoredInteger,
    claimSigner: StoredAddress,
    metadataHash: StoredHash,
    salt: StoredHash,
  }),
});

/** Moves a trip's budget into the escrow from its funder's wallet, which signs it. */
export const tripPrefund = defineChainOperation({
  kind: "trip_prefund",
  input: Prefund,
  authorize,
  encode(call, signature) {
    const { escrow, terms } = call.input;
    requireEscrow(call.site.chain, call.input);
    const { validAfter, validBefore } = authorize(call);
    const args = [terms, validAfter, validBefore, signature] as const;
    const data = encodeFunctionData({ abi: tripEscrowAbi, functionName: "prefundWithAuthorization", args });
    return { to: escrow, data };
  },
  gasCeiling: () => ({ gas: 300_000n }),
  outcome: {
    outgoing: ({ terms }) => ({ from: terms.funder, amount: terms.budget }),
    isMovedBy: ({ escrow, terms }, { from, to, amount }) =>
      from === terms.funder && to === escrow && amount === terms.budget,
  },
});

function authorize({ input, deadline }: OperationCall<z.output<typeof Prefund>>): TokenAuthorization {
  const { token, escrow, tripId, terms } = input;
  // The escrow accepts no trip after its expiry.
  const validBefore = terms.expiresAt < deadline ? terms.expiresAt : deadline;
  return {
    kind: "token",
    primaryType: "ReceiveWithAuthorization",
    token,
    from: terms.funder,
    to: escrow,
    value: terms.budget,
    validAfter: 0n,
    validBefore,
    nonce: tripId,
  };
}

/** Not a step of the operator, but its end is recorded like those of steps. */
export const fundStep: OfTrip & TripStepOutcome = {
  of: "trip",
  storedAs: "fund",
  apply: ({ budget }) => ({ state: "funded", free: budget }),
  alongside: (records, trip) => storeGuestMail(records, trip),
  undo: { state: "failed" },
  note({ before }) {
    const budgetUsdc = formatDecimal(before.budget);
    return { text: `The trip was funded with ${budgetUsdc} USDC.`, details: { budgetUsdc } };
  },
};
