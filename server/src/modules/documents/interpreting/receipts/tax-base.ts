import type { Micro } from "../../../../domain/money.ts";
import { firstValue, type NumberStyle } from "./amounts.ts";
import { absolute, type Entries, type Entry, roundingTolerance, taxInGross, taxOnNet } from "./entries.ts";
import type { Role } from "./labels.ts";

const PARTS: readonly Role[] = ["item", "tip", "service", "discount", "deposit"];
/** With more, some combination always fits. */
const MOST_PARTS = 8;

/**
 * Whether the only rated tax is that rate of no amount on the document: neither of the net amount nor of the total,
 * with or without amounts that may be untaxed.
 */
export function isRateOfNothing(
  { entries, taxRows }: Entries,
  style: NumberStyle,
  total: Micro,
  nets: readonly Micro[],
): boolean {
  const [only, ...others] = taxRows.filter(({ rate, tax }) => rate !== undefined && tax !== undefined);
  if (only?.rate === undefined || only.tax === undefined || others.length > 0) return false;
  if (only.net !== undefined || only.gross !== undefined) return false;
  const { rate } = only;
  const tax = absolute(firstValue(only.tax));
  const parts = entries.filter(({ role }) => PARTS.includes(role)).map((entry) => absolute(firstValue(entry.amount)));
  // Some round the tax of each line.
  const tolerance = roundingTolerance(style) + (style.places === 0 ? 0n : 5_000n * BigInt(parts.length));
  const isNear = (value: Micro) => absolute(value - tax) <= tolerance;
  const whole = absolute(total);
  const bases = [whole, whole - tax, sumOfItems(entries), ...nets.map(absolute)];
  if (parts.length > MOST_PARTS) return taxOnNet(whole, rate) + tolerance < tax;
  const sums = parts.reduce<readonly Micro[]>((all, part) => all.flatMap((sum) => [sum, sum + part]), [0n]);
  return !bases.some((base) =>
    sums.some((sum) => isNear(taxOnNet(base - sum, rate)) || isNear(taxInGross(base - sum, rate))),
  );
}

const sumOfItems = (entries: readonly Entry[]): Micro =>
  entries.reduce((sum, { role, amount }) => (role === "item" ? sum + firstValue(amount) : sum), 0n);
