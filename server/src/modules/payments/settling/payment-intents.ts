import type { TransactionIntent } from "../../chain/index.ts";
import type { Payment } from "../payments.ts";
import { paymentBatch } from "./payment-batch-operation.ts";
import { payment } from "./payment-operation.ts";

export const PAYMENT_PURPOSE = "payment";
export const PAYMENT_BATCH_PURPOSE = "payment_batch";

/**
 * So many payments are settled by one transaction: if every payer's own contract used all it may, and every signature was as long
 * as one may be, it would still ask for less gas than one transaction may on any network (EIP-7825: 2^24).
 */
export const MOST_IN_BATCH = 48;

/** Payments are in this token: what a call costs is said in it. */
const TOKEN = "USDC";

type Settleable = Pick<Payment, "id" | "environment" | "signed">;

/** What settles one payment. `after`: the transaction that failed to. */
export function intentOfPayment({ id, environment, signed }: Settleable, after?: string): TransactionIntent {
  return {
    environment,
    idempotencyKey: after === undefined ? `payment:${id}` : `payment:${id}#${after}`,
    tenantId: null,
    callId: null,
    purpose: PAYMENT_PURPOSE,
    operation: payment.of({ token: TOKEN, to: signed.payTo, ...authorizationOf({ signed }) }),
    result: undefined,
  };
}

/** What settles several payments to the same recipient at once; each by itself, so that one that fails is one. */
export function intentOfBatch(payments: readonly [Settleable, ...Settleable[]], batchId: string): TransactionIntent {
  const [{ environment, signed }] = payments;
  return {
    environment,
    idempotencyKey: `payments:${batchId}`,
    tenantId: null,
    callId: null,
    purpose: PAYMENT_BATCH_PURPOSE,
    operation: paymentBatch.of({ token: TOKEN, to: signed.payTo, payments: payments.map(authorizationOf) }),
    result: undefined,
  };
}

function authorizationOf({ signed }: Pick<Payment, "signed">) {
  const { payer, amount, validAfter, validBefore, nonce, signature } = signed;
  return { from: payer, amount, validAfter, validBefore, nonce, signature };
}
