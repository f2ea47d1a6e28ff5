import type { Micro } from "../../domain/money.ts";
import { type Budget, budgetCounter, type CoveredUse } from "./budgets.ts";
import type { Stores } from "./context.ts";
import type { SpendOwner } from "./spend-limits.ts";

export interface BudgetState extends Budget {
  used: Micro;
  /** For calls with an open outcome. */
  reserved: Micro;
  left: Micro;
}

/** The tenant's budgets and their current rest, in micro-USDC; with `use`, only those that would cover such a call. */
export async function readBudgets(
  { budgets, callSpends }: Pick<Stores, "budgets" | "callSpends">,
  owner: SpendOwner,
  use?: CoveredUse,
): Promise<readonly BudgetState[]> {
  const found = use === undefined ? await budgets.list(owner) : await budgets.covering(owner, use);
  if (found.length === 0) return [];
  const usage = await callSpends.usage(owner, found.map(budgetCounter));
  return found.map((budget, index) => {
    const { used, reserved } = usage[index] ?? { used: 0n, reserved: 0n };
    return { ...budget, used: used - reserved, reserved, left: budget.amount - used };
  });
}
