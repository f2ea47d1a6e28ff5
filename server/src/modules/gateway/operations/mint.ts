import { encodeFunctionData, getAbiItem, toEventSelector } from "viem";
import { z } from "zod";
import { StoredAddress, StoredBytes, StoredHash, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import { gatewayMinterAbi } from "../../../generated/contracts/gateway-minter.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import { requireContract } from "./gateway-contracts.ts";

const ATTESTATION_USED = toEventSelector(getAbiItem({ abi: gatewayMinterAbi, name: "AttestationUsed" }));
const NOBODY = "0x0000000000000000000000000000000000000000";

/**
 * Delivers an attestation of the operator, which mints the money on this chain. The relayer sends it, but anybody may, and the minter
 * takes each transfer once.
 */
export const mint = defineChainOperation({
  kind: "gateway_mint",
  input: z.strictObject({
    token: StoredToken,
    minter: StoredAddress,
    recipient: StoredAddress,
    amount: StoredInteger,
    specHash: StoredHash,
    attestation: StoredBytes,
    signature: StoredBytes,
  }),
  encode({ input: { minter, attestation, signature }, site }) {
    const args = [attestation, signature] as const;
    const data = encodeFunctionData({ abi: gatewayMinterAbi, functionName: "gatewayMint", args });
    return { to: requireContract(site.chain, "minter", minter), data };
  },
  gasCeiling: () => ({ gas: 300_000n }),
  outcome: {
    isMovedBy: (input, { from, to, amount }) => from === NOBODY && to === input.recipient && amount === input.amount,
    event: ({ input: { minter, specHash } }) => ({
      address: minter,
      topics: [ATTESTATION_USED, null, null, specHash],
    }),
  },
});
