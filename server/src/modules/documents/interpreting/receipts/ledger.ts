import { MICRO_PER_UNIT, type Micro } from "../../../../domain/money.ts";
import { type Amount, firstValue, type NumberStyle } from "./amounts.ts";
import { absolute, type Entry, roundingTolerance, type TaxRow, taxInGross, taxOnNet } from "./entries.ts";
import type { Role } from "./labels.ts";
import { isRateOfNothing } from "./tax-base.ts";

/** All amounts of a document, by role. */
export interface Ledger {
  entries: readonly Entry[];
  taxRows: readonly TaxRow[];
  style: NumberStyle;
}

export type Problem = "lines_disagree" | "totals_disagree" | "taxes_disagree" | "several_totals";

/** The evidence for a total in the document's other amounts. */
export interface Verdict {
  total: Entry;
  value: Micro;
  /** Sums that equal this total. */
  confirmations: number;
  problems: ReadonlySet<Problem>;
  /** The rows that were added up. */
  lines: readonly Entry[];
  linesAgree: boolean;
  net: Amount | undefined;
  /** The taxes that the sums needed. */
  tax: TaxSum | undefined;
  /** Supported only by a repetition of the same amount, which may be misread in the same way. */
  isOnlyRepeated: boolean;
}

export const valueOfEntry = (entry: Entry): Micro => firstValue(entry.amount);
export const sumEntries = (entries: readonly Entry[]): Micro =>
  entries.reduce((sum, entry) => sum + valueOfEntry(entry), 0n);
export const withRole = (entries: readonly Entry[], ...roles: readonly Role[]): Entry[] =>
  entries.filter(({ role }) => roles.includes(role));

interface TaxSum {
  value: Micro;
  amounts: readonly Amount[];
  /** A sum or a rate confirms it. */
  isProven: boolean;
}

/** The possible tax sums of a document: of all rates, or as one row says. */
export function listTaxSums({ entries, taxRows }: Ledger): TaxSum[] {
  const ofRates = taxRows.flatMap(({ tax }) => (tax === undefined ? [] : [tax]));
  const others = withRole(entries, "tax").map(({ amount }) => amount);
  const groups = [ofRates, [...ofRates, ...others], others, ...others.map((one) => [one])].filter(
    (group) => group.length > 0,
  );
  return groups.map((amounts) => ({
    value: amounts.reduce((sum, amount) => sum + firstValue(amount), 0n),
    amounts,
    isProven: true,
  }));
}

/** The additions and deductions between two rows. */
function adjustments(entries: readonly Entry[], from: number, to: number): Micro {
  return entries
    .filter(({ at }) => at > from && at < to)
    .reduce((sum, entry) => {
      const value = valueOfEntry(entry);
      if (entry.role === "discount") return sum - absolute(value);
      return entry.role === "tip" || entry.role === "service" || entry.role === "rounding" ? sum + value : sum;
    }, 0n);
}

interface Match {
  tax: TaxSum | undefined;
  /** Whether it is known how the taxes are included. */
  isTaxKnown: boolean;
}

/** Whether a sum and the taxes equal the total. */
function matchSum(sum: Micro, total: Micro, ledger: Ledger): Match | undefined {
  const sums = listTaxSums(ledger);
  const added = sums.find(({ value }) => value !== 0n && sum + value === total);
  if (added !== undefined) return { tax: added, isTaxKnown: true };
  if (sum !== total) return undefined;
  if (sums.every(({ value }) => value === 0n)) return { tax: sums[0], isTaxKnown: true };
  const included = includedTax(total, ledger, sums);
  return { tax: included, isTaxKnown: included !== undefined };
}

/** The taxes, if they can only be included in the total. */
function includedTax(total: Micro, { entries, taxRows, style }: Ledger, sums: readonly TaxSum[]): TaxSum | undefined {
  const nets = withRole(entries, "net", "base");
  const byNet = sums.find(({ value }) => nets.some((net) => valueOfEntry(net) + value === total));
  if (byNet !== undefined) return byNet;
  const [first] = sums;
  const rated = taxRows.filter(({ rate, tax }) => rate !== undefined && tax !== undefined);
  if (first === undefined) return undefined;
  if (rated.length > 0) {
    const fit = ratesFit(total, rated, style);
    const sumOfRated = rated.reduce((sum, { tax }) => sum + orZero(tax), 0n);
    // A tax besides those of the rates has an unread rate, or is their sum.
    if (withRole(entries, "tax").some((entry) => valueOfEntry(entry) !== sumOfRated)) return undefined;
    const sum = sums.find(({ amounts }) => amounts.length === rated.length) ?? first;
    return fit === "no" ? undefined : { ...sum, isProven: fit === "exactly" };
  }
  const taxes = withRole(entries, "tax");
  const totals = withRole(entries, "total", "due");
  const isSaid = taxes.every(
    ({ isIncluded, at }) => isIncluded || totals.some((one) => valueOfEntry(one) === total && one.at < at),
  );
  return isSaid && absolute(first.value) * 3n < absolute(total) ? { ...first, isProven: false } : undefined;
}

/** Whether taxes can be included in a total by their rates; `exactly` means to the last place. */
function ratesFit(total: Micro, rated: readonly TaxRow[], style: NumberStyle): "exactly" | "about" | "no" {
  const tolerance = roundingTolerance(style);
  let least = 0n;
  let most = 0n;
  for (const { rate = 0n, tax, net, gross } of rated) {
    if (tax === undefined) continue;
    const value = firstValue(tax);
    if (net !== undefined || gross !== undefined) {
      const base = gross === undefined ? orZero(net) + value : firstValue(gross);
      const difference = absolute(taxInGross(base, rate) - value);
      if (difference > tolerance) return "no";
      least += base;
      most = difference > most ? difference : most;
    } else if (rate > 0n) {
      const difference = absolute(taxInGross(total, rate) - value);
      if (rated.length === 1) return difference > tolerance ? "no" : difference * 3n > tolerance ? "about" : "exactly";
      least += ((absolute(value) - tolerance / 2n) * (100n * MICRO_PER_UNIT + rate)) / rate;
      most = tolerance;
    }
  }
  if (absolute(least) > absolute(total)) return "no";
  return most * 3n > tolerance ? "about" : "exactly";
}

/** Adds up the document in every possible way, and compares with a total. */
export function judgeTotal(total: Entry, value: Micro, ledger: Ledger, items: ItemSets): Verdict {
  const { entries, taxRows } = ledger;
  const problems = new Set<Problem>();
  let confirmations = 0;
  let repeated = 0;
  let unknownTax = false;
  let tax: TaxSum | undefined;
  const note = (match: Match | undefined, strength = 1): boolean => {
    if (match === undefined) return false;
    confirmations += strength;
    if (match.isTaxKnown) tax ??= match.tax;
    else unknownTax = true;
    return true;
  };

  const nets = withRole(entries, "net");
  const netMatch = matchNets(nets, total, value, ledger);
  if (netMatch !== undefined) note(netMatch.match);
  const earlier = compareEarlier(total, value, entries);
  confirmations += earlier.sums;
  repeated += earlier.again;
  const paid = comparePayments(total, value, entries);
  if (paid === "sum") confirmations += 1;
  if (paid === "again") repeated += 1;
  if (paid === "other") problems.add("totals_disagree");
  if (sumOfRates(taxRows) === value && (taxRows.length > 1 || taxRows.some(({ gross }) => gross === undefined)))
    confirmations += 1;

  const lines = matchLines(
    total,
    value,
    ledger,
    confirmations + repeated > 0 ? [...items.likely, ...items.spare] : items.likely,
  );
  const isSameAgain = lines.items.length === 1 && sumEntries(lines.items) === value;
  note(lines.match, isSameAgain ? 0 : 1);
  if (lines.match !== undefined && isSameAgain) repeated += 1;
  if (lines.items.length > 0 && !lines.agree) problems.add("lines_disagree");
  if (nets.length > 0 && netMatch === undefined && !(lines.match !== undefined && netsAreParts(nets, ledger)))
    problems.add("totals_disagree");
  if (confirmations === 0) tax ??= includedTax(value, ledger, listTaxSums(ledger));
  if (unknownTax && tax === undefined) problems.add("taxes_disagree");
  if (brokenRates(ledger) || isRateOfNothing(ledger, ledger.style, value, nets.map(valueOfEntry)))
    problems.add("taxes_disagree");
  if (tipIsOpen(total, value, entries)) problems.add("several_totals");
  return {
    total,
    value,
    confirmations: confirmations + repeated,
    problems,
    lines: lines.items,
    linesAgree: lines.agree,
    net: netMatch?.net?.amount,
    tax,
    isOnlyRepeated: confirmations === 0 && repeated > 0,
  };
}

/** The base of all rates together, if it and the taxes equal the total. */
export function netOfRates(
  { entries, taxRows }: Ledger,
  total: Micro,
): { value: Micro; amounts: readonly Amount[] } | undefined {
  const amounts = taxRows.flatMap(({ net }) => (net === undefined ? [] : [net]));
  const value = amounts.reduce((sum, amount) => sum + firstValue(amount), 0n);
  const taxes = taxRows.reduce((sum, { tax }) => sum + orZero(tax), 0n);
  const isWhole = amounts.length === taxRows.length && value + taxes + sumEntries(withRole(entries, "tip")) === total;
  return isWhole && amounts.length > 0 ? { value, amounts } : undefined;
}

/** A net amount, or the sum of all, with the amounts that follow. */
function matchNets(
  nets: readonly Entry[],
  total: Entry,
  value: Micro,
  ledger: Ledger,
): { match: Match; net: Entry | undefined } | undefined {
  for (const net of nets.toReversed()) {
    const between = net.at < total.at ? adjustments(ledger.entries, net.at, total.at) : 0n;
    const levies = sumEntries(withRole(ledger.entries, "item").filter(({ at }) => at > net.at && at < total.at));
    const match =
      matchSum(valueOfEntry(net) + between, value, ledger) ??
      matchSum(valueOfEntry(net) + between + levies, value, ledger);
    // A subtotal followed by a discount is not the document's net amount.
    const isNet =
      match?.tax !== undefined && valueOfEntry(net) + match.tax.value + sumTips(ledger.entries, net, total) === value;
    if (match !== undefined) return { match, net: isNet ? net : undefined };
    const withTax = listTaxSums(ledger).find((sum) => valueOfEntry(net) + sum.value === value);
    if (withTax !== undefined && between === 0n) return { match: { tax: withTax, isTaxKnown: true }, net };
  }
  if (nets.length < 2) return undefined;
  const last = Math.max(...nets.map(({ at }) => at));
  const match = matchSum(sumEntries(nets) + adjustments(ledger.entries, last, total.at), value, ledger);
  return match === undefined ? undefined : { match, net: undefined };
}

const sumTips = (entries: readonly Entry[], net: Entry, total: Entry): Micro =>
  sumEntries(withRole(entries, "tip", "rounding").filter(({ at }) => at > net.at && at < total.at));

/** Subtotals of parts of a document, each smaller than the whole. */
const netsAreParts = (nets: readonly Entry[], { taxRows }: Ledger): boolean => nets.length > 1 && taxRows.length === 0;

/** Rows that may be the items. One row may be left out only if the total is already known. */
export interface ItemSets {
  likely: readonly (readonly Entry[])[];
  spare: readonly (readonly Entry[])[];
}

/** The first set of rows that adds up to the total or to a net amount; else the first set. */
function matchLines(total: Entry, value: Micro, ledger: Ledger, itemSets: readonly (readonly Entry[])[]) {
  const adjusted = adjustments(ledger.entries, -1, total.at);
  const nets = withRole(ledger.entries, "net");
  for (const items of itemSets) {
    if (items.length === 0) continue;
    const sum = sumEntries(items);
    const match = matchSum(sum + adjusted, value, ledger);
    if (match !== undefined) return { items, match, agree: true };
    const agree = nets.some(
      (net) => valueOfEntry(net) === sum || valueOfEntry(net) === sum + adjustments(ledger.entries, -1, net.at),
    );
    if (agree) return { items, match, agree };
    const beforeNet = nets.map((net) => items.filter(({ at }) => at < net.at));
    if (beforeNet.some((some, index) => some.length > 0 && sumEntries(some) === orZero(nets[index]?.amount)))
      return { items, match, agree: true };
  }
  return { items: itemSets[0] ?? [], match: undefined, agree: false };
}

/** An earlier total: the same again, or lower by a tip or a rounding. */
function compareEarlier(total: Entry, value: Micro, entries: readonly Entry[]): { again: number; sums: number } {
  const others = withRole(entries, "total", "vague_total").filter((other) => other !== total && other.amount.isClean);
  const isAgain = others.some((other) => valueOfEntry(other) === value && other.amount.row !== total.amount.row);
  const isMore = others.some(
    (other) =>
      other.at < total.at &&
      adjustments(entries, other.at, total.at) !== 0n &&
      valueOfEntry(other) + adjustments(entries, other.at, total.at) === value,
  );
  return { again: isAgain ? 1 : 0, sums: isMore ? 1 : 0 };
}

/** Whether the payments add up to the total, repeat it, or differ; undefined if there are none. */
function comparePayments(total: Entry, value: Micro, entries: readonly Entry[]): "sum" | "again" | "other" | undefined {
  const paid = withRole(entries, "cash", "card").filter(({ amount }) => amount.isClean);
  const deposits = withRole(entries, "deposit");
  const change = absoluteSum(withRole(entries, "change"));
  const dues = withRole(entries, "due").filter((due) => due !== total);
  const payments = [...paid, ...deposits];
  const positive = absolute(value);
  for (const due of dues) {
    const left = valueOfEntry(due);
    const before = [
      absoluteSum(payments) - change,
      absoluteSum(deposits),
      ...deposits.map((one) => absolute(valueOfEntry(one))),
    ];
    const isSum = before.some((sum) => sum !== 0n && positive - sum === left);
    if (isSum) return left === 0n && payments.length === 1 ? "again" : "sum";
    if (left === value) return "again";
  }
  if (dues.some((due) => valueOfEntry(due) !== 0n && valueOfEntry(due) !== value)) return "other";
  if (payments.length === 0) return undefined;
  const sums = [absoluteSum(paid), absoluteSum(payments), ...payments.map((one) => absolute(valueOfEntry(one)))];
  // Cash is counted before the change, which may not have been read.
  const isCashOnly = paid.every(({ role }) => role === "cash") && change === 0n;
  if (sums.some((sum) => sum - change === positive)) return change === 0n && payments.length === 1 ? "again" : "sum";
  return paid.length === 0 || (isCashOnly && absoluteSum(paid) > positive) ? undefined : "other";
}

const absoluteSum = (entries: readonly Entry[]): Micro =>
  entries.reduce((sum, entry) => sum + absolute(valueOfEntry(entry)), 0n);

function sumOfRates(taxRows: readonly TaxRow[]): Micro | undefined {
  let sum = 0n;
  for (const { net, tax, gross } of taxRows) {
    if (gross === undefined && (net === undefined || tax === undefined)) return undefined;
    sum += gross === undefined || (net !== undefined && tax !== undefined) ? orZero(net) + orZero(tax) : orZero(gross);
  }
  return taxRows.length === 0 ? undefined : sum;
}

const orZero = (amount: Amount | undefined): Micro => (amount === undefined ? 0n : firstValue(amount));

/** Whether a tax does not equal its rate of its base. */
function brokenRates({ taxRows, style }: Ledger): boolean {
  const hasTaxes = taxRows.some(({ tax }) => tax !== undefined);
  return taxRows.some(({ rate, net, tax, gross, isBroken }) => {
    // A rate without a tax beside others with one was misread.
    if (isBroken || (tax === undefined && hasTaxes)) return true;
    if (rate === undefined || tax === undefined) return false;
    const value = firstValue(tax);
    if (net !== undefined && absolute(taxOnNet(firstValue(net), rate) - value) > roundingTolerance(style)) return true;
    return (
      net === undefined &&
      gross !== undefined &&
      absolute(taxInGross(firstValue(gross), rate) - value) > roundingTolerance(style)
    );
  });
}

/** A tip after the last total: the amount paid in the end is unknown. */
function tipIsOpen(total: Entry, value: Micro, entries: readonly Entry[]): boolean {
  const tips = withRole(entries, "tip").filter(({ at, amount }) => at > total.at && firstValue(amount) !== 0n);
  return (
    tips.length > 0 &&
    !withRole(entries, "total", "vague_total", "due").some(
      (other) => other.at > total.at && valueOfEntry(other) === value,
    )
  );
}
