import { firstValue } from "./amounts.ts";
import type { Choice } from "./choose-total.ts";
import { absolute, type Entry } from "./entries.ts";
import { listTaxSums, sumEntries, valueOfEntry, withRole } from "./ledger.ts";

/** The lines with their fees and discounts, from top to bottom, and whether they add up to the document's sum. */
export function linesWithCharges({ verdict, ledger }: Choice): { lines: readonly Entry[]; addUp: boolean } {
  const { total, value, lines } = verdict;
  const charges = withRole(ledger.entries, "service", "discount")
    .filter(({ at }) => at < total.at && !lines.some((line) => line.at === at))
    .map((entry) => (entry.role === "discount" ? negative(entry) : entry));
  const all = [...lines, ...charges].toSorted((one, other) => one.at - other.at);
  const others = [
    0n,
    ...withRole(ledger.entries, "tip", "rounding").map(valueOfEntry),
    sumEntries(withRole(ledger.entries, "tip", "rounding")),
  ];
  const taxes = [0n, ...listTaxSums(ledger).map((tax) => tax.value)];
  const ends = new Set([
    ...withRole(ledger.entries, "net").map(valueOfEntry),
    ...others.flatMap((other) => taxes.map((tax) => value - other - tax)),
  ]);
  const comesOut = (entries: readonly Entry[]) => ends.has(sumEntries(entries));
  if (comesOut(all)) return { lines: all, addUp: true };
  // Not every named discount was subtracted.
  const isKnown = verdict.linesAgree || lines.length === 0;
  return comesOut(lines) ? { lines, addUp: true } : { lines: all, addUp: isKnown && charges.length === 0 };
}

function negative(entry: Entry): Entry {
  return { ...entry, amount: { ...entry.amount, values: [-absolute(firstValue(entry.amount))] } };
}
