import type { Micro } from "../../domain/money.ts";
import type { Purse } from "../ledger/index.ts";
import type { Aggregates } from "./context.ts";
import { enqueueTransfer } from "./transfer-operation.ts";

export const COLLECT_PURPOSE = "capture";

/**
 * Collects at most the held amount, in the caller's transaction: the hold ends, and the money moves from the tenant's treasury
 * to the collection wallet by a chain transaction stored with it. `transferId`: the id that an answer has given that
 * transaction.
 */
export async function collect(
  aggregates: Pick<Aggregates, "ledger" | "wallets" | "chainTransactions">,
  purse: Purse,
  reference: string,
  amount: Micro,
  transferId?: string | null,
): Promise<void> {
  await aggregates.ledger.capture(purse, reference, amount);
  if (amount === 0n) return;
  const key = { idempotencyKey: `capture:${reference}`, purpose: COLLECT_PURPOSE, id: transferId };
  await enqueueTransfer(aggregates, purse, "collection", amount, key);
}
