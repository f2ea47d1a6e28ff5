import { Failure, invalidInput } from "../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { TokenSymbol } from "../../domain/tokens.ts";
import { POOL_RATE_UNIT, type PoolTerms } from "../../ports/chain/swap-pool.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FxRates, RateTable } from "../../ports/fx.ts";
import type { Environment } from "../../ports/identity.ts";
import { convert, isRateStale, warnOfOldRate } from "../treasury/index.ts";
import { otherToken } from "./swap-operation.ts";

export interface SwapWish {
  token: TokenSymbol;
  amount: Micro;
}

export interface SwapQuote extends SwapWish {
  toToken: TokenSymbol;
  /** The pool pays this at its terms; the swap has no effect for less. */
  amountOut: Micro;
  /** As the pool takes it: US dollars for one euro, times 1e18. */
  poolRate: bigint;
  /** Units of the other token for one of this, before the spread. */
  rate: string;
  rateSource: string;
  rateAsOf: string;
  /** The rate is out of date. */
  rateWarning: string | undefined;
  spreadBps: number;
  /** The most of the token that the pool exchanges at once now. */
  most: Micro;
}

/** A quote is open for as long as a busy network takes to carry it out. */
export const QUOTE_SECONDS = 300;

const BASIS_POINTS = 10_000n;
/** From the millionths of a rate table to the pool's unit. */
const RATE_SCALE = POOL_RATE_UNIT / 1_000_000n;

export const quoteErrors = {
  rate_not_available: "There is currently no rate between euro and US dollar. Nothing was done; call again later.",
  rate_stale: "The newest rate between euro and US dollar is too old to swap at. Nothing was done; call again later.",
  swap_not_available:
    "The pool is not swapping at the moment: its operator has paused it, or today's rate is outside the operator's limits. Nothing was done; call again later.",
  swap_amount_too_large:
    "The pool does not swap this much at once. mostAmount is the most it would swap now: swap that, and the rest later.",
} as const;

export interface QuotePorts {
  fx: FxRates;
  clock: Clock;
}

/** Throws Failure with a code of `quoteErrors`, or `invalid_input` for an amount that is too small to give anything. */
export async function quoteSwap(
  { fx, clock }: QuotePorts,
  environment: Environment,
  terms: PoolTerms,
  wish: SwapWish,
): Promise<SwapQuote> {
  // Shared by all waiting callers, so no single caller can abort it.
  const table = await fx.table(new AbortController().signal);
  if (isRateStale(table.provenance, fx.terms, environment, clock.now())) throw refuse("rate_stale");
  const quote = { ...quoteBy(table, terms, wish), rateWarning: warnOfOldRate(table.provenance.asOf, clock.now()) };
  const isOpen = !terms.isPaused && quote.poolRate >= terms.leastRate && quote.poolRate <= terms.mostRate;
  if (!isOpen || quote.most === 0n) throw refuse("swap_not_available");
  if (wish.amount > quote.most) {
    const { token } = wish;
    throw new Failure("swap_amount_too_large", {
      detail: quoteErrors.swap_amount_too_large,
      extra: { mostAmount: formatDecimal(quote.most), token },
    });
  }
  if (quote.amountOut === 0n) {
    throw invalidInput([{ path: "amount", message: `is too small: it would give no ${quote.toToken}. Swap more` }]);
  }
  return quote;
}

function quoteBy(table: RateTable, terms: PoolTerms, { token, amount }: SwapWish): Omit<SwapQuote, "rateWarning"> {
  const toToken = otherToken(token);
  const dollars = table.perEuro.get("USD");
  const conversion = convert(table, amount, token, toToken);
  if (dollars === undefined || conversion === undefined) throw refuse("rate_not_available");
  const poolRate = dollars * RATE_SCALE;
  // SwapPool.amountOutFor, which rounds down.
  const share = BASIS_POINTS - terms.spreadBps;
  const [multiplier, divisor] =
    token === "EURC"
      ? [poolRate * share, POOL_RATE_UNIT * BASIS_POINTS]
      : [POOL_RATE_UNIT * share, poolRate * BASIS_POINTS];
  const { mostPerSwap } = terms.tokens[token];
  const { available } = terms.tokens[toToken];
  // The largest amount for which the pool pays no more than it has.
  const mostByInventory = ((available + 1n) * divisor - 1n) / multiplier;
  return {
    token,
    amount,
    toToken,
    amountOut: (amount * multiplier) / divisor,
    poolRate,
    rate: conversion.rate,
    rateSource: table.provenance.source,
    rateAsOf: table.provenance.asOf,
    spreadBps: Number(terms.spreadBps),
    most: mostByInventory < mostPerSwap ? mostByInventory : mostPerSwap,
  };
}

function refuse(code: keyof typeof quoteErrors): Failure {
  return new Failure(code, { detail: quoteErrors[code] });
}
