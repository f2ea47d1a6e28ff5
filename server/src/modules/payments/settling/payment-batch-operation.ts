import { encodeFunctionData } from "viem";
import { z } from "zod";
import { bytesOf, hasKeyForm, KEY_SIGNATURE_BYTES } from "../../../domain/key-signatures.ts";
import { StoredAddress, StoredToken } from "../../../domain/stored-fields.ts";
import { paymentBatchAbi } from "../../../generated/contracts/payment-batch.ts";
import { defineChainOperation } from "../../../kernel/contracts/chain-operation.ts";
import { requireToken } from "../../../ports/chain/chain.ts";
import { payerAuthorization } from "./payment-operation.ts";

const GAS = {
  /** Less than this is left after the items: PaymentBatch wants the most that one may use before it begins one. */
  batch: 300_000n,
  item: 110_000n,
  /** What PaymentBatch lets an item of a payer with code use, and a little more. */
  itemByContract: 265_000n,
  /** Beyond those of a key's signature: to carry it, and to copy it on its way to the payer's contract. */
  signatureByte: 18n,
};

/** Several payments to the same recipient are settled at once, each by itself, so that one that fails is one. */
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
  // A wallet with code may use as much as it likes of what PaymentBatch lets it, also with a signature of a key's form.
  async gasCeiling({ input: { payments }, site }) {
    const contracts = await site.whichHaveCode([...new Set(payments.map(({ from }) => from))]);
    let gas = GAS.batch;
    for (const { from, signature } of payments) {
      gas += hasKeyForm(signature) && !contracts.has(from) ? GAS.item : GAS.itemByContract;
      gas += GAS.signatureByte * BigInt(Math.max(0, bytesOf(signature) - KEY_SIGNATURE_BYTES));
    }
    return { gas, bound: "least" };
  },
  outcome: {
    isMovedBy: (input, { from, to, amount }) =>
      to === input.to && input.payments.some((one) => from === one.from && amount === one.amount),
    // Its contract goes on after an item that fails: what became of each is asked of the token.
    tookEffect: () => true,
  },
});
