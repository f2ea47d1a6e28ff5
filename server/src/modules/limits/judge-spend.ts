import type { Micro } from "../../domain/money.ts";
import { type CountedIn, ESCROWED, type Spend } from "./call-spends.ts";
import { amountExceeded, type Limited } from "./limit-exceeded.ts";
import { keyAccount, type LimitedPeriod, lengthOf, periodOf, renewalOf } from "./periods.ts";
import type { LimitsInForce, Spender } from "./spend-limits.ts";

/** The tenant's come first: whoever locks several of a tenant does it in this order. */
const LIMITED: readonly Limited[] = ["tenant", "key"];
const PERIODS: readonly LimitedPeriod[] = ["perDay", "perMonth"];

interface Counted extends CountedIn {
  limited: Limited;
  /** Undefined: of what is in the escrow. */
  limit: LimitedPeriod | undefined;
}

/** Where a call's spending is counted, in the order in which it is locked. */
export function countedIn({ keyId }: Spender, at: Temporal.Instant): readonly Counted[] {
  const accounts = ["tenant", keyAccount(keyId)];
  return accounts.flatMap((account) =>
    [...PERIODS.map((limit) => periodOf(limit, at)), ESCROWED].map((period) => countedAs(account, period)),
  );
}

/** What an account and a period say of the limit that holds for them. */
export function countedAs(account: string, period: string): Counted {
  const limit = PERIODS.find((one) => lengthOf[one] === period.length);
  return { account, period, limited: account === "tenant" ? "tenant" : "key", limit };
}

export function isEscrowed({ period }: CountedIn): boolean {
  return period === ESCROWED;
}

/** What is used of each, by `counterKey`. */
export type Counters = ReadonlyMap<string, Micro>;

export function counterKey({ account, period }: CountedIn): string {
  return `${account} ${period}`;
}

export interface SpendLine extends Counted {
  amount: Micro;
}

/** What a spending adds to each counter. */
export function linesOf(counted: readonly Counted[], counters: Counters, spend: Spend): readonly SpendLine[] {
  const { paid, escrowed, committed } = spend;
  return counted.map((one) => {
    const waiting = counters.get(counterKey({ account: one.account, period: ESCROWED })) ?? 0n;
    const covered = smaller(committed, waiting > 0n ? waiting : 0n);
    const isEscrow = one.limit === undefined;
    return { ...one, amount: isEscrow ? escrowed - covered : paid + escrowed + committed - covered };
  });
}

/** What all of a call's amounts come to. */
export function totalOf({ paid, escrowed, committed }: Spend): Micro {
  return paid + escrowed + committed;
}

/** Throws Failure for one call's limit. */
export function requireSmallEnough(spender: Spender, inForce: LimitsInForce, needed: Micro): void {
  for (const limited of LIMITED) {
    const most = inForce[limited].perCall;
    if (most !== undefined && needed > most) throw amountExceeded(spender, { limited, limit: "perCall", most, needed });
  }
}

/** Throws Failure for a day's or a month's limit. `isOpen`: more may be asked for later, so something must be left. */
export function requireRoom(
  spender: Spender,
  inForce: LimitsInForce,
  counters: Counters,
  { lines, isOpen }: { lines: readonly SpendLine[]; isOpen: boolean },
): void {
  for (const line of lines) {
    const { limited, limit, amount } = line;
    const most = limit === undefined ? undefined : inForce[limited][limit];
    if (limit === undefined || most === undefined) continue;
    const used = counters.get(counterKey(line)) ?? 0n;
    const fits = isOpen && amount === 0n ? used < most : amount <= 0n || used + amount <= most;
    if (fits) continue;
    const needed = isOpen && amount === 0n ? undefined : amount;
    throw amountExceeded(spender, { limited, limit, most, needed }, { used, renewsAt: renewalOf(line) });
  }
}

function smaller(one: Micro, other: Micro): Micro {
  return one < other ? one : other;
}
