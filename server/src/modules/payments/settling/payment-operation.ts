import { encodeFunctionData } from "viem";
import { z } from "zod";
import { hasKeyForm, splitSignature } from "../../../domain/key-signatures.ts";
import { StoredAddress, StoredBytes, StoredHash, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import { stablecoinAbi } from "../../../generated/contracts/stablecoin.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../../ports/chain/chain.ts";

/** An EIP-3009 authorization in our favor, signed by a payer; times are Unix seconds. */
export const payerAuthorization = {
  from: StoredAddress,
  amount: StoredInteger,
  validAfter: StoredInteger,
  validBefore: StoredInteger,
  nonce: StoredHash,
  signature: StoredBytes,
};

/** Settles one payment by its payer's signature; we sign nothing but the transaction. */
export const payment = defineChainOperation({
  kind: "payment",
  input: z.strictObject({ token: StoredToken, to: StoredAddress, ...payerAuthorization }),
  authorize: ({ input: { token, from, to, amount, validAfter, validBefore, nonce } }) => ({
    kind: "token",
    primaryType: undefined,
    token,
    from,
    to,
    value: amount,
    validAfter,
    validBefore,
    nonce,
  }),
  encode({ input, site }) {
    const { token, from, to, amount, validAfter, validBefore, nonce, signature } = input;
    const args = [from, to, amount, validAfter, validBefore, nonce] as const;
    const call = { abi: stablecoinAbi, functionName: "transferWithAuthorization" } as const;
    const data = hasKeyForm(signature)
      ? encodeFunctionData({ ...call, args: [...args, ...splitSignature(signature)] })
      : encodeFunctionData({ ...call, args: [...args, signature] });
    return { to: requireToken(site.chain, token).address, data };
  },
  // Covers contract wallets as well, whose signature check costs more.
  gasCeiling: () => ({ gas: 400_000n, bound: "most" }),
  outcome: {
    isMovedBy: (input, { from, to, amount }) => from === input.from && to === input.to && amount === input.amount,
  },
});
