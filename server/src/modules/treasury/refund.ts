import type { Micro } from "../../domain/money.ts";
import type { Purse } from "../ledger/index.ts";
import type { Aggregates } from "./context.ts";
import { enqueueTransfer } from "./transfer-operation.ts";

/** The idempotency key of the refund with this reference. */
export const keyOfRefund = (reference: string): string => `refund:${reference}`;

export const REFUND_PURPOSE = "refund";

/**
 * Refunds in the caller's transaction, once per reference: from the collection wallet to the tenant's treasury by a chain
 * transaction stored with it. `transferId`: the id that an answer has given that transaction.
 */
export async function refund(
  aggregates: Pick<Aggregates, "ledger" | "wallets" | "chainTransactions">,
  purse: Purse,
  reference: string,
  amount: Micro,
  transferId?: string | null,
): Promise<void> {
  if (amount === 0n) return;
  await aggregates.ledger.refund(purse, amount, reference);
  const key = { idempotencyKey: keyOfRefund(reference), purpose: REFUND_PURPOSE, id: transferId };
  await enqueueTransfer(aggregates, purse, "treasury", amount, key);
}
