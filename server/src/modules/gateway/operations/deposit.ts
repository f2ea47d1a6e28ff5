import { encodeFunctionData } from "viem";
import { z } from "zod";
import { StoredAddress, StoredInteger, StoredToken } from "../../../domain/stored-fields.ts";
import { gatewayWalletAbi } from "../../../generated/contracts/gateway-wallet.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import type { OperationCall, TokenAuthorization } from "../../../ports/chain/chain-operation.ts";
import { requireContract } from "./gateway-contracts.ts";

const Deposit = z.strictObject({
  token: StoredToken,
  from: StoredAddress,
  /** The wallet contract. */
  wallet: StoredAddress,
  amount: StoredInteger,
});

/** Pays from one of our wallets into the Gateway, where it counts as the wallet's own. The wallet signs it and needs no gas. */
export const deposit = defineChainOperation({
  kind: "gateway_deposit",
  input: Deposit,
  authorize,
  encode(call, signature) {
    const { from, value, validAfter, validBefore, nonce } = authorize(call);
    const { token, wallet } = call.input;
    const { chain } = call.site;
    const data = encodeFunctionData({
      abi: gatewayWalletAbi,
      functionName: "depositWithAuthorization",
      args: [requireToken(chain, token).address, from, value, validAfter, validBefore, nonce, signature],
    });
    return { to: requireContract(chain, "wallet", wallet), data };
  },
  gasCeiling: () => ({ gas: 220_000n }),
  outcome: {
    outgoing: ({ from, amount }) => ({ from, amount }),
    isMovedBy: (input, { from, to, amount }) => from === input.from && to === input.wallet && amount === input.amount,
  },
});

function authorize({ input, nonce, deadline }: OperationCall<z.output<typeof Deposit>>): TokenAuthorization {
  const { token, from, wallet, amount } = input;
  return {
    kind: "token",
    primaryType: "ReceiveWithAuthorization",
    token,
    from,
    to: wallet,
    value: amount,
    validAfter: 0n,
    validBefore: deadline,
    nonce,
  };
}
