import type { Micro } from "../../domain/money.ts";
import type { Spender, SpendOwner } from "./spend-limits.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "limits.callSpends": CallSpends;
  }
}

/** A counter of calls' spending. */
export interface CountedIn {
  /** `tenant`, or `key:` or `budget:` with an id. */
  account: string;
  /** A day (2026-11-22), a month (2026-11), ESCROWED, or the whole time of a budget. */
  period: string;
}

/**
 * An account's money in escrow that is not committed yet. It was counted when it left the treasury, and is not counted again
 * when this account commits it; money that others put there is.
 */
export const ESCROWED = "escrowed";

/** The spending of a call, in micro-USDC. */
export interface Spend {
  /** Leaves the treasury wallet for anything but the escrow. */
  paid: Micro;
  /** Goes from the treasury wallet into the escrow. */
  escrowed: Micro;
  /** Becomes payable from the escrow to somebody other than the tenant. */
  committed: Micro;
  /** True: the supplier tells the price while the call runs, and `price` is called then. */
  isOpen: boolean;
  /** The escrow trip whose money is committed. */
  tripId: string | undefined;
  /** Users for whom it is, besides the caller. Each one's budgets count the full amount, as shares are unknown. */
  travelerIds: readonly string[];
  /** For amounts in another token. */
  conversions: readonly Conversion[];
}

/** The conversion of another token's amount to USDC. */
export interface Conversion {
  token: string;
  amount: string;
  usdc: string;
  rate: string;
  source: string;
  asOf: string;
}

/** The facts of a call by which its spending is counted. */
export interface SpendingCall {
  id: string;
  startedAt: Temporal.Instant;
  travelerId: string;
}

export interface Usage extends CountedIn {
  /** The amount that calls have used, and that pending calls have reserved. */
  used: Micro;
  /** The reserved part of it. */
  reserved: Micro;
}

/**
 * Counts calls' spending, in the transaction that causes it. A call reserves its spending, which then follows the call's
 * effect: it is used when the effect is done, and returned when it failed or nothing was done. Locks are always taken in this
 * order: the ledger's accounts, the call, its spending, and then counters, the tenant's first.
 */
export interface CallSpends {
  /** Reserves in the transaction of the call's row, including budgets that cover it. Throws Failure `spend_limit_exceeded`. */
  reserve(spender: Spender, call: SpendingCall, spend: Spend): Promise<void>;
  /**
   * Sets the price of an open spending, or corrects a known one. Too much: like `reserve`. Does nothing for calls that are not
   * counted.
   */
  price(callId: string, amount: Micro): Promise<void>;
  /** An effect is about to begin. Reserves again what was returned because the call counted as dead. */
  open(callId: string): Promise<void>;
  failed(callId: string): Promise<void>;
  /** Returns the reservation of a call that ended without an effect. Changes nothing while the effect is open. */
  settle(callId: string): Promise<void>;
  /** Ended calls that still have a reservation. */
  listUnsettled(limit: number): Promise<readonly string[]>;
  /** The used amount of each, including reservations, by `counterKey`. */
  counters(owner: SpendOwner, counted: readonly CountedIn[]): Promise<ReadonlyMap<string, Micro>>;
  usage(owner: SpendOwner, counted: readonly CountedIn[]): Promise<readonly Usage[]>;
  prune(before: Temporal.Instant): Promise<void>;
}
