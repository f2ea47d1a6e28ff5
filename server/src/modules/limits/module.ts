import { defineJob } from "../../kernel/contracts/job.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import { defineModule } from "./context.ts";
import { describeBudgets, describeSpending } from "./describe-account.ts";
import { KeyFees } from "./key-fees.ts";
import * as spendLimits from "./migrations/0022-spend-limits.ts";
import * as budgets from "./migrations/0023-budgets.ts";
import * as budgetChangesAreTold from "./migrations/0075-budget-changes-are-told.ts";
import * as rulesVersion from "./migrations/0077-rules-version.ts";
import * as feeLimits from "./migrations/0130-fee-limits.ts";
import * as confirmedSpending from "./migrations/0150-confirmed-spending.ts";
import * as limitsAreTold from "./migrations/0186-limits-are-told.ts";
import { budgetRoutes } from "./routes.ts";
import { pruneSpends, settleSpends } from "./settle-spends.ts";
import { SpendGate } from "./spend-gate.ts";
import { createBudgets } from "./store-budgets.ts";
import { SPENDS_USED, StoredCallSpends, UNSETTLED_SPENDS } from "./store-call-spends.ts";
import { createSpendLimits } from "./store-limits.ts";
import { createBudgetPersons } from "./store-persons.ts";
import { spendLimitEvents } from "./tenant-events.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    /** The budgets that would cover a call of the caller now. */
    "limits.remainingBudgets"(caller: Caller): ReturnType<typeof describeBudgets>;
  }
}

const PRUNE_MILLISECONDS = 60_000;

export const limitsModule = defineModule({
  name: "limits",
  routes: budgetRoutes,
  stores: ({ db, clock }) => ({
    spendLimits: createSpendLimits(db, clock),
    budgets: createBudgets(db, clock),
    callSpends: new StoredCallSpends(db, clock),
  }),
  personRecords: ({ db }) => createBudgetPersons(db),
  migrations: {
    "0022-spend-limits": spendLimits,
    "0023-budgets": budgets,
    "0075-budget-changes-are-told": budgetChangesAreTold,
    "0077-rules-version": rulesVersion,
    "0130-fee-limits": feeLimits,
    "0150-confirmed-spending": confirmedSpending,
    "0186-limits-are-told": limitsAreTold,
  },
  tenantEvents: spendLimitEvents,
  ports: ({ stores, clock, tenantMemory }) => {
    const hasAny = tenantMemory.remember((owner) => stores.budgets.hasAny(owner));
    const remaining = { budgets: { ...stores.budgets, hasAny }, callSpends: stores.callSpends };
    return { remainingBudgets: (caller) => describeBudgets(remaining, caller, clock.now()) };
  },
  account: ({ stores, clock }, caller) => describeSpending(stores, caller, clock.now()),
  effectFollower: {
    opened: ({ callSpends }, callId) => callSpends.open(callId),
    doneWith: SPENDS_USED,
    failed: ({ callSpends }, callId) => callSpends.failed(callId),
  },
  gates: ({ stores, fx }) => [new SpendGate({ stores, fx, fees: new KeyFees() })],
  jobs: ({ stores, clock, log }) => [
    defineJob({
      name: "settle-spends",
      queue: UNSETTLED_SPENDS,
      run: () => settleSpends(stores, log),
    }),
    defineJob({
      name: "prune-spends",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => pruneSpends(stores, clock),
    }),
  ],
});
