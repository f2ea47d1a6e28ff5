import { Failure } from "../../../domain/errors.ts";
import { newId } from "../../../domain/ids.ts";
import type { Clock } from "../../../ports/clock.ts";
import { enqueueTransfer } from "../../treasury/index.ts";
import type { Stores } from "../context.ts";

/** The most records that a transaction pays. */
const RECORDS_AT_ONCE = 10_000;
const ENVIRONMENT = "production";

export const USAGE_PURPOSE = "usage";
const KEY_PREFIX = "usage:";

export type UsageSettlementStart = "nothing_due" | "started" | "insufficient_balance";

/**
 * Stores the payment of a tenant's unsettled usage from its treasury to the collection wallet; when it ends, the records are
 * marked. If the wallet is short, the debt carries over and is retried later.
 */
export async function startUsageSettlement(
  stores: Stores,
  clock: Clock,
  tenantId: string,
): Promise<UsageSettlementStart> {
  const settlementId = newId("set_", clock.now().epochMilliseconds);
  try {
    return await stores.transaction(async ({ usageSettlements, ledger, wallets, boundChains, chainTransactions }) => {
      const { records, amount } = await usageSettlements.gather(tenantId, settlementId, RECORDS_AT_ONCE);
      if (records === 0) return "nothing_due";
      if (amount === 0n) {
        await usageSettlements.complete(settlementId);
        return "started";
      }
      const purse = { ...(await boundChains.requireHome(ENVIRONMENT)), tenantId, token: "USDC" } as const;
      const intent = { idempotencyKey: buildSettlementKey(settlementId), purpose: USAGE_PURPOSE };
      const { id } = await enqueueTransfer({ wallets, chainTransactions }, purse, "collection", amount, intent);
      await ledger.send(purse, amount, id);
      return "started";
    });
  } catch (error) {
    if (error instanceof Failure && error.code === "insufficient_balance") return "insufficient_balance";
    throw error;
  }
}

export function buildSettlementKey(settlementId: string): string {
  return `${KEY_PREFIX}${settlementId}`;
}

export function parseSettlementId(idempotencyKey: string): string {
  return idempotencyKey.slice(KEY_PREFIX.length);
}
