import type { Micro } from "../../domain/money.ts";
import type { Purse } from "../ledger/index.ts";
import type { Aggregates } from "./context.ts";
import { transfer } from "./transfer-operation.ts";

/** Of the transaction that gives back what a reference names. */
export const keyOfRefund = (reference: string): string => `refund:${reference}`;

export const REFUND_PURPOSE = "refund";

/**
 * Gives back what was taken, in the caller's transaction and once for a reference: from the collection wallet to the tenant's
 * treasury, by a chain transaction that is stored with it. `transferId`: what an answer
 * has called that transaction.
 */
export async function refund(
  { ledger, wallets, chainTransactions }: Pick<Aggregates, "ledger" | "wallets" | "chainTransactions">,
  purse: Purse,
  reference: string,
  amount: Micro,
  transferId?: string | null,
): Promise<void> {
  if (amount === 0n) return;
  const { environment, token, tenantId } = purse;
  await ledger.refund(purse, amount, reference);
  const treasury = await wallets.ensure(environment, "treasury", tenantId);
  const collection = await wallets.ensure(environment, "collection");
  await chainTransactions.enqueue({
    ...(transferId ? { id: transferId } : {}),
    environment,
    idempotencyKey: keyOfRefund(reference),
    tenantId,
    callId: null,
    purpose: REFUND_PURPOSE,
    operation: transfer.of({ token, from: collection.address, to: treasury.address, amount }),
    result: undefined,
  });
}
