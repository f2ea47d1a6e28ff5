import type { Micro } from "../../domain/money.ts";
import type { CountedIn } from "./call-spends.ts";
import type { SpendOwner } from "./spend-limits.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "limits.budgets": Budgets;
  }
}

/** Money set aside for calls. Every budget that covers a call must have room for its spending, and is reduced by it. */
export interface Budget {
  /** Chosen by the tenant. */
  budgetId: string;
  amount: Micro;
  /** The tenant's accounting label; irrelevant for coverage. */
  costCentre: string | undefined;
  /** Undefined here and below: any. */
  keyIds: readonly string[] | undefined;
  travelerIds: readonly string[] | undefined;
  tripIds: readonly string[] | undefined;
  /** UTC dates in ISO 8601; both are inclusive. */
  startsOn: string | undefined;
  endsOn: string | undefined;
}

/** The facts of a call that decide which budgets cover it. */
export interface CoveredUse {
  keyId: string;
  /** The caller, and everyone for whom it is. */
  travelerIds: readonly string[];
  /** The escrow trip whose money is committed; undefined: none, and no budget of a trip covers it. */
  tripId: string | undefined;
  at: Temporal.Instant;
}

export const MOST_BUDGETS = 1_000;
const BUDGETED = "budget";

export function budgetCounter({ budgetId }: Pick<Budget, "budgetId">): CountedIn {
  return { account: `budget:${budgetId}`, period: BUDGETED };
}

/** Undefined: it does not count for a budget. */
export function findBudgetId({ account, period }: CountedIn): string | undefined {
  return period === BUDGETED ? account.slice("budget:".length) : undefined;
}

export interface Budgets {
  list(owner: SpendOwner): Promise<readonly Budget[]>;
  /** Whether the tenant has any budgets. Concurrent requests are batched. */
  hasAny(owner: SpendOwner): Promise<boolean>;
  find(owner: SpendOwner, budgetIds: readonly string[]): Promise<readonly Budget[]>;
  covering(owner: SpendOwner, use: CoveredUse): Promise<readonly Budget[]>;
  /** Replaces or creates the budget with this id. Failure `conflict` if more than its amount is used or reserved. Audited. */
  put(owner: SpendOwner, budget: Budget, actor: string): Promise<void>;
}
