import { type Amount, isMoney, type NumberStyle } from "./amounts.ts";
import type { Choice } from "./choose-total.ts";
import type { NumberedRow } from "./entries.ts";
import { withRole } from "./ledger.ts";

/**
 * The reason to suspect that an amount was read incompletely although everything adds up: the same part may be missing
 * from all amounts.
 */
export function whyIncomplete(
  { verdict: { total }, ledger }: Choice,
  rows: readonly NumberedRow[],
  style: NumberStyle,
): string | undefined {
  const { amount } = total;
  if (style.places !== 3 && style.decimalSign === undefined && amount.values.length > 1 && isOneOfThousand(amount))
    return "The separator in the total may mark thousands or decimals.";
  if (amount.row.source === "text" || style.places === 0) return undefined;
  const summed = [amount, ...withRole(ledger.entries, "item").map((entry) => entry.amount)];
  if (summed.some(endsInSign)) return "The decimals of an amount were not read.";
  const isWhole = (one: Amount) => one.places === 0 && !/[.,]-/.test(printed(one));
  if (isWhole(amount) && hasInkAfter(amount)) return "The decimals of the total may not have been read.";
  const money = rows.flatMap(({ amounts }) => amounts.filter((one) => isMoney(one, style)));
  return isWhole(amount) && [...summed, ...money].every(isWhole)
    ? "All amounts were read without decimals, which this currency has."
    : undefined;
}

const printed = ({ row, start, end }: Amount): string => row.text.slice(start, end);

/** `1.250`; two such signs separate thousands. */
const isOneOfThousand = (amount: Amount): boolean => /^\D{0,6}\d{1,3}[.,]\d{3}\D{0,6}$/.test(printed(amount));

const endsInSign = (amount: Amount): boolean =>
  amount.places === 0 && /\d[.,]$/.test(amount.row.text.slice(amount.start, amount.end).trimEnd());

/** It is followed by characters that are no currency, such as misread digits. */
function hasInkAfter({ row, end, currency }: Amount): boolean {
  const rest = row.text
    .slice(end)
    .replace(currency?.text ?? "", "")
    .trim();
  return rest !== "" && !/^[\p{Sc}\p{L}*()]{1,4}$/u.test(rest);
}
