import type { Micro } from "../../domain/money.ts";
import type { Purse } from "../ledger/index.ts";
import type { Aggregates } from "./context.ts";
import { transfer } from "./transfer-operation.ts";

export const COLLECT_PURPOSE = "capture";

/**
 * Collects at most the held amount, in the caller's transaction: the hold ends, and the money moves from the tenant's treasury
 * to the collection wallet by a chain transaction stored with it. `transferId`: the id that an answer has given that
 * transaction.
 */
export async function collect(
  { ledger, wallets, chainTransactions }: Pick<Aggregates, "ledger" | "wallets" | "chainTransactions">,
  purse: Purse,
  reference: string,
  amount: Micro,
  transferId?: string | null,
): Promise<void> {
  await ledger.capture(purse, reference, amount);
  if (amount === 0n) return;
  const { environment, token, tenantId } = purse;
  const treasury = await wallets.ensure(environment, "treasury", tenantId);
  const collection = await wallets.ensure(environment, "collection");
  await chainTransactions.enqueue({
    ...(transferId ? { id: transferId } : {}),
    environment,
    idempotencyKey: `capture:${reference}`,
    tenantId,
    callId: null,
    purpose: COLLECT_PURPOSE,
    operation: transfer.of({ token, from: treasury.address, to: collection.address, amount }),
    result: undefined,
  });
}
