import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { Stores } from "../context.ts";
import { startUsageSettlement } from "./settle-usage.ts";

const TENANTS_AT_ONCE = 100;

export interface SettleUsageOptions {
  stores: Stores;
  submission: Pick<ChainSubmission, "wake">;
  clock: Clock;
  log: Log;
}

/** Starts the payment of all tenants' unsettled usage and returns how many were started. Safe to run concurrently. */
export async function settleUsage(options: SettleUsageOptions): Promise<number> {
  const { stores, submission } = options;
  if ((await stores.boundChains.findHome("production"))?.stoppedBecause !== undefined) return 0;
  let started = 0;
  // Visits every tenant each time, so that tenants who cannot pay do not block the others.
  for (let last = ""; ; ) {
    const tenants = await stores.usageSettlements.listDue(last, TENANTS_AT_ONCE);
    for (const tenantId of tenants) started += await settleTenant(options, tenantId);
    last = tenants.at(-1) ?? last;
    if (tenants.length < TENANTS_AT_ONCE) break;
  }
  if (started > 0) submission.wake();
  return started;
}

/** A payment covers a limited number of records, so there may be several. */
async function settleTenant({ stores, clock, log }: SettleUsageOptions, tenantId: string): Promise<number> {
  for (let started = 0; ; started += 1) {
    const start = await startUsageSettlement(stores, clock, tenantId);
    if (start === "insufficient_balance") log.warn({ tenantId }, "a tenant's treasury does not cover its usage");
    if (start !== "started") return started;
  }
}
