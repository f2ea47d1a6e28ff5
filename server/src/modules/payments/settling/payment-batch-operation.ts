import { encodeFunctionData } from "viem";
import { z } from "zod";
import { countBytes, hasKeyForm, KEY_SIGNATURE_BYTES } from "../../../domain/key-signatures.ts";
import { StoredAddress, StoredToken } from "../../../domain/stored-fields.ts";
import { paymentBatchAbi } from "../../../generated/contracts/payment-batch.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import { payerAuthorization } from "./payment-operation.ts";

const GAS = {
  /** The contract's fixed gas: PaymentBatch checks before each item that its maximum remains. */
  batch: 300_000n,
  item: 110_000n,
  /** The gas that PaymentBatch allows an item whose payer is a contract, plus a margin. */
  itemByContract: 265_000n,
  /** For bytes beyond a plain key's signature: their calldata, and copying them to the payer's contract. */
  signatureByte: 18n,
};

/** Settles several payments to the same recipient at once. Each is isolated, so that one failure does not affect the others. */
export const paymentBatch = defineChainOperation({
  kind: "payment_batch",
  input: z.strictObject({
    token: StoredToken,
    to: StoredAddress,
    payments: z.array(z.strictObject(payerAuthorization)).min(1).readonly(),
  }),
  encode({ input: { token, to, payments }, site: { chain } }) {
    if (chain.paymentBatch === undefined) {
      throw new Error(`chain ${chain.chainId} has no contract for batches of payments`);
    }
    const items = payments.map(({ amount, ...rest }) => ({ ...rest, value: amount }));
    const args = [requireToken(chain, token).address, to, items] as const;
    return {
      to: chain.paymentBatch,
      data: encodeFunctionData({ abi: paymentBatchAbi, functionName: "settle", args }),
    };
  },
  // A contract wallet may use all gas that PaymentBatch allows it, even with a signature in the form of a key's.
  async gasCeiling({ input: { payments }, site }) {
    const contracts = await site.whichHaveCode([...new Set(payments.map(({ from }) => from))]);
    let gas = GAS.batch;
    for (const { from, signature } of payments) {
      gas += hasKeyForm(signature) && !contracts.has(from) ? GAS.item : GAS.itemByContract;
      gas += GAS.signatureByte * BigInt(Math.max(0, countBytes(signature) - KEY_SIGNATURE_BYTES));
    }
    return { gas, bound: "least" };
  },
  outcome: {
    isMovedBy: (input, { from, to, amount }) =>
      to === input.to && input.payments.some((one) => from === one.from && amount === one.amount),
    // The contract continues after a failed item: the token is asked about each payment.
    tookEffect: () => true,
  },
});
