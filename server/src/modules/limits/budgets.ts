import type { Micro } from "../../domain/money.ts";
import type { CountedIn } from "./call-spends.ts";
import type { SpendOwner } from "./spend-limits.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "limits.budgets": Budgets;
  }
}

/** Money that is set aside for calls. Every budget that covers a call must have room for what it spends, and is used by it. */
export interface Budget {
  /** The tenant's own word for it. */
  budgetId: string;
  amount: Micro;
  /** What the tenant books it to; says nothing of what it covers. */
  costCentre: string | undefined;
  /** Undefined here and below: any. */
  keyIds: readonly string[] | undefined;
  travelerIds: readonly string[] | undefined;
  tripIds: readonly string[] | undefined;
  /** Days in UTC, as ISO 8601 has them; both belong to it. */
  startsOn: string | undefined;
  endsOn: string | undefined;
}

/** What of a call decides which budgets cover it. */
export interface CoveredUse {
  keyId: string;
  /** Who asked, and everybody for whom it is. */
  travelerIds: readonly string[];
  /** The trip in escrow that money is committed of; undefined: none, and no budget of a trip covers it. */
  tripId: string | undefined;
  at: Temporal.Instant;
}

export const MOST_BUDGETS = 1_000;
const BUDGETED = "budget";

export function counterOf({ budgetId }: Pick<Budget, "budgetId">): CountedIn {
  return { account: `budget:${budgetId}`, period: BUDGETED };
}

/** Undefined: it does not count for a budget. */
export function budgetIdOf({ account, period }: CountedIn): string | undefined {
  return period === BUDGETED ? account.slice("budget:".length) : undefined;
}

export interface Budgets {
  list(owner: SpendOwner): Promise<readonly Budget[]>;
  /** Whether the tenant has set any. Those who ask at the same moment ask together. */
  hasAny(owner: SpendOwner): Promise<boolean>;
  find(owner: SpendOwner, budgetIds: readonly string[]): Promise<readonly Budget[]>;
  covering(owner: SpendOwner, use: CoveredUse): Promise<readonly Budget[]>;
  /** Replaces the one of this id, or makes it. Failure `conflict` when more than its amount is used or reserved. Audited. */
  put(owner: SpendOwner, budget: Budget, actor: string): Promise<void>;
}
