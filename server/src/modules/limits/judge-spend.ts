import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Allowance } from "../../kernel/contracts/preview-answer.ts";
import { type Budget, budgetCounter, findBudgetId } from "./budgets.ts";
import { type CountedIn, ESCROWED, type Spend } from "./call-spends.ts";
import { amountExceeded, budgetExceeded, type Limited } from "./limit-exceeded.ts";
import { formatPeriod, keyAccount, type LimitedPeriod, periodLength, renewalInstant } from "./periods.ts";
import type { LimitsInForce, Spender } from "./spend-limits.ts";

/** The tenant's come first, the order in which several are locked. */
const LIMITED: readonly Limited[] = ["tenant", "key"];
const PERIODS: readonly LimitedPeriod[] = ["perDay", "perMonth"];

export interface Counted extends CountedIn {
  limited: Limited;
  /** Undefined: for money in escrow, or a budget. */
  limit: LimitedPeriod | undefined;
  /** A budget of a trip, which counts committed money, whoever put it into the escrow. */
  isOfTrip?: boolean;
}

/** The limits on a spending. */
export interface Bounds {
  inForce: LimitsInForce;
  /** The budgets that cover it. */
  budgets: readonly Budget[];
}

/** The counters of a call's spending, in locking order. */
export function countedIn({ keyId }: Spender, at: Temporal.Instant): readonly Counted[] {
  const accounts = ["tenant", keyAccount(keyId)];
  return accounts.flatMap((account) =>
    [...PERIODS.map((limit) => formatPeriod(limit, at)), ESCROWED].map((period) => countedAs(account, period)),
  );
}

/** The limit for an account and a period. */
export function countedAs(account: string, period: string): Counted {
  const limit = PERIODS.find((one) => periodLength[one] === period.length);
  return { account, period, limited: account === "tenant" ? "tenant" : "key", limit };
}

export function countedInBudget(budget: Budget): Counted {
  const { account, period } = budgetCounter(budget);
  return { ...countedAs(account, period), isOfTrip: budget.tripIds !== undefined };
}

export function isEscrowed({ period }: CountedIn): boolean {
  return period === ESCROWED;
}

/** The used amount of each, by `counterKey`. */
export type Counters = ReadonlyMap<string, Micro>;

export function counterKey({ account, period }: CountedIn): string {
  return `${account} ${period}`;
}

export interface SpendLine extends Counted {
  amount: Micro;
}

/** The amounts that a spending adds to its counters. */
export function listLines(counted: readonly Counted[], counters: Counters, spend: Spend): readonly SpendLine[] {
  const { paid, escrowed, committed } = spend;
  return counted.map((one) => {
    if (one.isOfTrip === true) return { ...one, amount: paid + committed };
    // A budget counts like its tenant.
    const account = findBudgetId(one) === undefined ? one.account : "tenant";
    const waiting = counters.get(counterKey({ account, period: ESCROWED })) ?? 0n;
    const covered = smaller(committed, waiting > 0n ? waiting : 0n);
    return { ...one, amount: isEscrowed(one) ? escrowed - covered : paid + escrowed + committed - covered };
  });
}

/** The sum of a call's amounts. */
export function totalSpend({ paid, escrowed, committed }: Spend): Micro {
  return paid + escrowed + committed;
}

/** Throws Failure for the limit of one call. */
export function requireSmallEnough(spender: Spender, inForce: LimitsInForce, needed: Micro): void {
  for (const limited of LIMITED) {
    const most = inForce[limited].perCall;
    if (most !== undefined && needed > most) throw amountExceeded(spender, { limited, limit: "perCall", most, needed });
  }
}

/**
 * Throws Failure for the limit of a day, a month or a budget. `isOpen`: more may be requested later, so something must be left.
 */
export function requireRoom(
  spender: Spender,
  { inForce, budgets }: Bounds,
  counters: Counters,
  { lines, isOpen }: { lines: readonly SpendLine[]; isOpen: boolean },
): void {
  for (const line of lines) {
    const { limited, limit, amount } = line;
    const { budget, most } = findBound(line, { inForce, budgets });
    if (most === undefined) continue;
    const used = counters.get(counterKey(line)) ?? 0n;
    const isUnknown = isOpen && amount === 0n;
    if (isUnknown ? used < most : amount <= 0n || used + amount <= most) continue;
    const needed = isUnknown ? undefined : amount;
    if (budget !== undefined) throw budgetExceeded(budget, { used, needed });
    if (limit !== undefined) {
      throw amountExceeded(spender, { limited, limit, most, needed }, { used, renewsAt: renewalInstant(line) });
    }
  }
}

/** The limit of a line. */
function findBound(
  line: SpendLine,
  { inForce, budgets }: Bounds,
): { budget: Budget | undefined; most: Micro | undefined } {
  const { limited, limit } = line;
  const budget = budgets.find(({ budgetId }) => budgetId === findBudgetId(line));
  return { budget, most: budget?.amount ?? (limit === undefined ? undefined : inForce[limited][limit]) };
}

/** The limits of a single call, each of which has the full amount. */
export function allowancesOfCall(inForce: LimitsInForce, { isOpen }: Spend): Allowance[] {
  return LIMITED.flatMap((limited) => {
    const most = inForce[limited].perCall;
    if (most === undefined) return [];
    const left = formatDecimal(most);
    return [{ name: `${limited} perCall`, token: "USDC", left, leftAfter: isOpen ? null : left }];
  });
}

/** The rest of each limit and budget that a call's spending counts in, before and after it. */
export function listAllowances(
  bounds: Bounds,
  counters: Counters,
  { lines, isOpen }: { lines: readonly SpendLine[]; isOpen: boolean },
): Allowance[] {
  return lines.flatMap((line) => {
    const { budget, most } = findBound(line, bounds);
    if (most === undefined) return [];
    const left = most - (counters.get(counterKey(line)) ?? 0n);
    const leftAfter = isOpen ? null : formatDecimal(left - (line.amount > 0n ? line.amount : 0n));
    const name = budget === undefined ? `${line.limited} ${line.limit}` : `budget ${budget.budgetId}`;
    return [{ name, token: "USDC", left: formatDecimal(left), leftAfter }];
  });
}

function smaller(one: Micro, other: Micro): Micro {
  return one < other ? one : other;
}
