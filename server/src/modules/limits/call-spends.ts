import type { Micro } from "../../domain/money.ts";
import type { Spender, SpendOwner } from "./spend-limits.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "limits.callSpends": CallSpends;
  }
}

/** Somewhere that a call's spending is counted. */
export interface CountedIn {
  /** `tenant`, or `key:` or `budget:` and its id. */
  account: string;
  /** A day (2026-11-22), a month (2026-11), ESCROWED, or all the time of a budget. */
  period: string;
}

/**
 * What an account has put into the escrow and not yet fixed to be paid out. It was counted when it left the treasury, and is not
 * counted again when this account then commits it to somebody; what others have put there is.
 */
export const ESCROWED = "escrowed";

/** What a call spends, in micro-USDC. */
export interface Spend {
  /** Leaves the treasury wallet, without what goes into the escrow. */
  paid: Micro;
  /** Goes from the treasury wallet into the escrow. */
  escrowed: Micro;
  /** Is fixed to be paid out of the escrow to somebody else than the tenant. */
  committed: Micro;
  /** True: the supplier says the price while the call runs, and `price` is told then. */
  isOpen: boolean;
  /** Of the trip in escrow that is committed of. */
  tripId: string | undefined;
  /** Users for whom it is, beside who asked. Each one's budgets count all of it, as nobody says what share is whose. */
  travelerIds: readonly string[];
  /** Where amounts were of another token. */
  conversions: readonly Conversion[];
}

/** How an amount of another token was counted in USDC. */
export interface Conversion {
  token: string;
  amount: string;
  usdc: string;
  rate: string;
  source: string;
  asOf: string;
}

/** What of a call its spending is counted by. */
export interface SpendingCall {
  id: string;
  startedAt: Temporal.Instant;
  travelerId: string;
}

export interface Usage extends CountedIn {
  /** What calls have used and what calls under way have reserved. */
  used: Micro;
  /** The part of it that is reserved. */
  reserved: Micro;
}

/**
 * What calls spend, counted in the transaction that makes it so. A call's spending is reserved with the call, and afterwards follows
 * what the call does outside: it is used when that is done, and comes back when that failed or nothing was done. All of it
 * locks in one order: the ledger's accounts, the call, its spending, and then counters, the tenant's first.
 */
export interface CallSpends {
  /** With the call's own row; also from the budgets that cover it. Throws Failure `spend_limit_exceeded`. */
  reserve(spender: Spender, call: SpendingCall, spend: Spend): Promise<void>;
  /** What an open spending comes to, or a known one after all. Too much: as `reserve`. Nothing for calls that count nowhere. */
  price(callId: string, amount: Micro): Promise<void>;
  /** Something is about to be done outside. What had come back, as the call was taken for dead, is taken again. */
  open(callId: string): Promise<void>;
  done(callId: string): Promise<void>;
  failed(callId: string): Promise<void>;
  /** Gives back what a call has reserved that ended and did nothing outside. Changes nothing while that is open. */
  settle(callId: string): Promise<void>;
  /** Calls that ended and still have something reserved. */
  listUnsettled(limit: number): Promise<readonly string[]>;
  /** What is used of each, reservations included, by `counterKey`. */
  counters(owner: SpendOwner, counted: readonly CountedIn[]): Promise<ReadonlyMap<string, Micro>>;
  usage(owner: SpendOwner, counted: readonly CountedIn[]): Promise<readonly Usage[]>;
  prune(before: Temporal.Instant): Promise<void>;
}
