import { formatDecimal, type Micro } from "../../domain/money.ts";

const MICRO_PER_CENT = 10_000n;

/**
 * Rounds the amounts to whole cents that sum to the rounded total: each is rounded down, and the missing cents go to those that
 * lost most.
 */
export function roundToCents(amounts: readonly Micro[]): { cents: readonly Micro[]; total: Micro } {
  const exact = amounts.reduce((sum, amount) => sum + amount, 0n);
  const total = floorDiv(exact + MICRO_PER_CENT / 2n, MICRO_PER_CENT);
  const cents = amounts.map((amount) => floorDiv(amount, MICRO_PER_CENT));
  const missing = Number(total - cents.reduce((sum, amount) => sum + amount, 0n));
  const lost = amounts.map((amount, index) => ({ index, loss: amount - (cents[index] ?? 0n) * MICRO_PER_CENT }));
  const raised = new Set(
    lost
      .toSorted((one, other) => Number(other.loss - one.loss))
      .slice(0, missing)
      .map(({ index }) => index),
  );
  return { cents: cents.map((amount, index) => (raised.has(index) ? amount + 1n : amount)), total };
}

export const formatCents = (cents: bigint): string => formatDecimal(cents * MICRO_PER_CENT);

/** The tax included in a price in cents, at a rate such as 19 or 7.7. */
export function taxWithin(cents: bigint, rateMicro: Micro): bigint {
  const whole = 100n * 1_000_000n + rateMicro;
  return floorDiv(2n * cents * rateMicro + whole, 2n * whole);
}

function floorDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}
