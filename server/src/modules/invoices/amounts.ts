import { formatDecimal, type Micro } from "../../domain/money.ts";

const MICRO_PER_CENT = 10_000n;
const MOST_PLACES = 2;

/** The decimal places of the currency's amounts on an invoice: those of ISO 4217, and at most two, as e-invoices allow. */
export const countPlaces = (currency: string): number => {
  const { maximumFractionDigits = MOST_PLACES } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return Math.min(maximumFractionDigits, MOST_PLACES);
};

/** The smallest amount of the currency, in hundredths: 1 for dollars, 100 for yen. */
export const smallestCents = (currency: string): bigint => 10n ** BigInt(MOST_PLACES - countPlaces(currency));

/**
 * Rounds the amounts to whole smallest units, in hundredths, that sum to the rounded total: each is rounded down, and the
 * missing units go to those that lost most.
 */
export function roundToCents(amounts: readonly Micro[], smallest: bigint): { cents: readonly bigint[]; total: bigint } {
  const unit = MICRO_PER_CENT * smallest;
  const exact = amounts.reduce((sum, amount) => sum + amount, 0n);
  const total = floorDiv(exact + unit / 2n, unit);
  const units = amounts.map((amount) => floorDiv(amount, unit));
  const missing = Number(total - units.reduce((sum, amount) => sum + amount, 0n));
  const lost = amounts.map((amount, index) => ({ index, loss: amount - (units[index] ?? 0n) * unit }));
  const raised = new Set(
    lost
      .toSorted((one, other) => Number(other.loss - one.loss))
      .slice(0, missing)
      .map(({ index }) => index),
  );
  return {
    cents: units.map((amount, index) => (raised.has(index) ? amount + 1n : amount) * smallest),
    total: total * smallest,
  };
}

export const formatCents = (cents: bigint, places = MOST_PLACES): string =>
  formatDecimal(cents * MICRO_PER_CENT, places);

/** The tax included in a price in hundredths, at a rate such as 19 or 7.7, in whole smallest units. */
export function taxWithin(cents: bigint, rateMicro: Micro, smallest: bigint): bigint {
  const whole = (100n * 1_000_000n + rateMicro) * smallest;
  return floorDiv(2n * cents * rateMicro + whole, 2n * whole) * smallest;
}

function floorDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}
