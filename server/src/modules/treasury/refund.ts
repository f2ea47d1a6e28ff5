import type { Micro } from "../../domain/money.ts";
import type { Purse } from "../ledger/index.ts";
import type { Aggregates } from "./context.ts";
import { transfer } from "./transfer-operation.ts";

/** The idempotency key of the refund with this reference. */
export const keyOfRefund = (reference: string): string => `refund:${reference}`;

export const REFUND_PURPOSE = "refund";

/**
 * Refunds in the caller's transaction, once per reference: from the collection wallet to the tenant's treasury by a chain
 * transaction stored with it. `transferId`: the id that an answer has given that transaction.
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
