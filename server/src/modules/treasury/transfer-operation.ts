import { encodeFunctionData } from "viem";
import { z } from "zod";
import { splitSignature } from "../../domain/key-signatures.ts";
import type { Micro } from "../../domain/money.ts";
import { StoredAddress, StoredInteger, StoredToken } from "../../domain/stored-fields.ts";
import { stablecoinAbi } from "../../generated/contracts/stablecoin.ts";
import { defineChainOperation } from "../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../ports/chain/chain.ts";
import type { OperationCall, TokenAuthorization } from "../../ports/chain/chain-operation.ts";
import type { ChainTransaction } from "../../ports/chain/chain-transactions.ts";
import type { Purse } from "../ledger/index.ts";
import type { Aggregates } from "./context.ts";

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
      args: [from, to, value, validAfter, validBefore, nonce, ...splitSignature(signature)],
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

interface TransferIntent {
  idempotencyKey: string;
  purpose: string;
  /** Set where an answer has already named the transaction. */
  id?: string | null | undefined;
}

/** Stores a transfer between a tenant's treasury and the collection wallet, in the caller's transaction. */
export async function enqueueTransfer(
  { wallets, chainTransactions }: Pick<Aggregates, "wallets" | "chainTransactions">,
  { environment, chain, token, tenantId }: Purse,
  to: "treasury" | "collection",
  amount: Micro,
  { id, ...intent }: TransferIntent,
): Promise<ChainTransaction> {
  const { address: treasury } = await wallets.ensure({ environment, chain }, "treasury", tenantId);
  const { address: collection } = await wallets.ensure({ environment, chain }, "collection");
  const ends = to === "collection" ? { from: treasury, to: collection } : { from: collection, to: treasury };
  return await chainTransactions.enqueue({
    ...intent,
    ...(id ? { id } : {}),
    environment,
    chain,
    tenantId,
    // The outcome of a call does not follow from that of the transfer.
    callId: null,
    operation: transfer.of({ token, ...ends, amount }),
    result: undefined,
  });
}
