import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";

/** A pool's rates are US dollars for one euro, times this. */
export const POOL_RATE_UNIT = 10n ** 18n;

/** The terms of the operator's pool, which exchanges USDC and EURC. */
export interface PoolTerms {
  isPaused: boolean;
  /** Signs the rates that the pool takes. */
  quoter: Hex;
  /** Taken off the rate, in hundredths of a percent. */
  spreadBps: bigint;
  /** The pool takes no rate outside of this band. */
  leastRate: bigint;
  mostRate: bigint;
  tokens: Readonly<Record<TokenSymbol, PoolToken>>;
}

interface PoolToken {
  /** The most of it that one swap takes in. */
  mostPerSwap: Micro;
  /** Swaps can still pay this out. */
  available: Micro;
}
