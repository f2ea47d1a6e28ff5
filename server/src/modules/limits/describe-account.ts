import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { AccountFacts } from "../../kernel/contracts/account.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { Stores } from "./context.ts";
import { KeyFees } from "./key-fees.ts";
import { type BudgetState, readBudgets } from "./read-budgets.ts";
import { type LimitsState, type PeriodState, readLimits } from "./read-limits.ts";

/** The caller's spending limits, and the budgets that cover its next spending. */
export async function describeSpending(
  stores: Pick<Stores, "budgets" | "callSpends" | "keyFees" | "spendLimits">,
  caller: Caller,
  now: Temporal.Instant,
): Promise<AccountFacts> {
  const [state, budgets, inForce] = await Promise.all([
    readLimits(stores, caller, now),
    describeBudgets(stores, caller, now),
    stores.spendLimits.inForce(caller),
  ]);
  const fees = await new KeyFees().read(stores, caller, inForce, { at: now });
  return {
    facts: {
      limits: {
        mostForNextCallUsdc: amount(state.mostForNextCall),
        key: describeLimits(state.key),
        keyFees:
          fees === undefined
            ? null
            : {
                limitUsdc: amount(fees.limit),
                usedUsdc: amount(fees.used),
                leftUsdc: amount(fees.left),
                renewsAt: fees.renewsAt.toString(),
              },
        tenant: describeLimits(state.tenant),
        counting: "usedUsdc is what calls spent; later refunds or returns are not deducted.",
      },
      budgets,
    },
    setUp: [
      {
        what: "Limits on the money that this key can move.",
        isSet: isLimited(state.key) || isLimited(state.tenant),
        how: `The operator runs npm run key -- limits --tenant ${caller.tenantId} ${caller.keyId} --per-day <USDC>, or npm run tenant -- limits for all keys of the tenant.`,
        page: "limits",
      },
    ],
  };
}

const isLimited = ({ perCall, perDay, perMonth, recipients, tools }: LimitsState): boolean =>
  [perCall, perDay.limit, perMonth.limit, recipients, tools].some((limit) => limit !== undefined);

/** The budgets that would cover a call of the caller now, with their remaining amounts. */
export async function describeBudgets(
  stores: Pick<Stores, "budgets" | "callSpends">,
  { tenantId, environment, keyId, travelerId }: Caller,
  now: Temporal.Instant,
) {
  const owner = { tenantId, environment };
  if (!(await stores.budgets.hasAny(owner))) return [];
  const budgets = await readBudgets(stores, owner, { keyId, travelerIds: [travelerId], tripId: undefined, at: now });
  return budgets.map(describeBudget);
}

function amount(micro: Micro | undefined): string | null {
  return micro === undefined ? null : formatDecimal(micro);
}

export function describeLimits({ perCall, perDay, perMonth, recipients, tools, confirmFrom }: LimitsState) {
  return {
    perCallUsdc: amount(perCall),
    perDay: describePeriod(perDay),
    perMonth: describePeriod(perMonth),
    recipients: recipients ?? null,
    tools: tools ?? null,
    confirmFromUsdc: amount(confirmFrom),
  };
}

function describePeriod({ limit, used, reserved, left, renewsAt }: PeriodState) {
  return {
    limitUsdc: amount(limit),
    usedUsdc: amount(used),
    reservedUsdc: amount(reserved),
    leftUsdc: amount(left),
    renewsAt: renewsAt.toString(),
  };
}

function describeBudget({ budgetId, costCentre, endsOn, left, ...budget }: BudgetState) {
  return {
    budgetId,
    costCentre: costCentre ?? null,
    endsOn: endsOn ?? null,
    amountUsdc: formatDecimal(budget.amount),
    leftUsdc: formatDecimal(left),
  };
}
