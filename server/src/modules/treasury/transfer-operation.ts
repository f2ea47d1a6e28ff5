import { encodeFunctionData } from "viem";
import { z } from "zod";
import { vrsOf } from "../../domain/key-signatures.ts";
import { StoredAddress, StoredInteger, StoredToken } from "../../domain/stored-fields.ts";
import { stablecoinAbi } from "../../generated/contracts/stablecoin.ts";
import { defineChainOperation } from "../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../ports/chain/chain.ts";
import type { OperationCall, TokenAuthorization } from "../../ports/chain/chain-operation.ts";

const Transfer = z.strictObject({
  token: StoredToken,
  from: StoredAddress,
  to: StoredAddress,
  amount: StoredInteger,
});

/** Sends money from one of our wallets to any address. The wallet signs it and needs no gas. */
export const transfer = defineChainOperation({
  kind: "transfer",
  input: Transfer,
  authorize,
  encode(call, signature) {
    const { from, to, value, validAfter, validBefore, nonce } = authorize(call);
    const data = encodeFunctionData({
      abi: stablecoinAbi,
      functionName: "transferWithAuthorization",
      args: [from, to, value, validAfter, validBefore, nonce, ...vrsOf(signature)],
    });
    return { to: requireToken(call.site.chain, call.input.token).address, data };
  },
  gasCeiling: () => ({ gas: 130_000n }),
  outcome: {
    outgoing: ({ from, amount }) => ({ from, amount }),
    isMovedBy: (input, { from, to, amount }) => from === input.from && to === input.to && amount === input.amount,
  },
});

function authorize({ input, nonce, deadline }: OperationCall<z.output<typeof Transfer>>): TokenAuthorization {
  const { token, from, to, amount } = input;
  return {
    kind: "token",
    primaryType: "TransferWithAuthorization",
    token,
    from,
    to,
    value: amount,
    validAfter: 0n,
    validBefore: deadline,
    nonce,
  };
}
