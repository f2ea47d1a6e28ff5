import type { TransactionIntent } from "../../chain/index.ts";
import type { Payment } from "../payments.ts";
import { paymentBatch } from "./payment-batch-operation.ts";
import { payment } from "./payment-operation.ts";

export const PAYMENT_PURPOSE = "payment";
export const PAYMENT_BATCH_PURPOSE = "payment_batch";

/**
 * The number of payments in a transaction: even if every payer's contract used all its gas with the longest signature, the
 * total stays below the gas limit of a transaction on any network (EIP-7825: 2^24).
 */
export const MOST_IN_BATCH = 48;

/** Prices and payments are in this token. */
const TOKEN = "USDC";

export type Settleable = Pick<Payment, "id" | "environment" | "signed">;

/** Returns the intent that settles one payment. `after`: the failed transaction before it. */
export function intentOfPayment({ id, environment, signed }: Settleable, after?: string): TransactionIntent {
  return {
    environment,
    chain: signed.network,
    idempotencyKey: after === undefined ? `payment:${id}` : `payment:${id}#${after}`,
    tenantId: null,
    callId: null,
    purpose: PAYMENT_PURPOSE,
    operation: payment.of({ token: TOKEN, to: signed.payTo, ...toAuthorization({ signed }) }),
    result: undefined,
  };
}

/**
 * Returns the intent that settles several payments to the same recipient. Each is isolated, so that one failure does not affect
 * the others.
 */
export function intentOfBatch(payments: readonly [Settleable, ...Settleable[]], batchId: string): TransactionIntent {
  const [{ environment, signed }] = payments;
  return {
    environment,
    chain: signed.network,
    idempotencyKey: `payments:${batchId}`,
    tenantId: null,
    callId: null,
    purpose: PAYMENT_BATCH_PURPOSE,
    operation: paymentBatch.of({ token: TOKEN, to: signed.payTo, payments: payments.map(toAuthorization) }),
    result: undefined,
  };
}

function toAuthorization({ signed }: Pick<Payment, "signed">) {
  const { payer, amount, validAfter, validBefore, nonce, signature } = signed;
  return { from: payer, amount, validAfter, validBefore, nonce, signature };
}
