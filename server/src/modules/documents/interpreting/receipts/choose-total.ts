import type { Micro } from "../../../../domain/money.ts";
import type { Amount } from "./amounts.ts";
import type { Entry } from "./entries.ts";
import { type ItemSets, judgeTotal, type Ledger, type Verdict, valueOfEntry, withRole } from "./ledger.ts";
import { spanBox } from "./rows.ts";

export interface Choice {
  /** The amounts as added up. */
  ledger: Ledger;
  verdict: Verdict;
  /** Found beside a label for a total, not only as the amount paid. */
  isLabelled: boolean;
  /** Other amounts labelled as the total that no sum explains. */
  rivals: readonly Entry[];
  /** Higher is better supported. */
  score: number;
}

const MOST_CANDIDATES = 12;

/** The best supported total. Undefined if no amount can be the total. */
export function chooseTotal(ledger: Ledger): Choice | undefined {
  const entries = withVagueItems(withoutIncludedTaxes(ledger.entries));
  const cleaned = { ...ledger, entries };
  const labelled = ["total", "due"] as const;
  for (const role of labelled) {
    const choice = chooseAmong(
      withRole(entries, role).filter((entry) => valueOfEntry(entry) !== 0n),
      cleaned,
      true,
    );
    if (choice !== undefined) return choice;
  }
  const others = [
    chooseAmong(withRole(entries, "vague_total"), cleaned, true),
    chooseAmong(withRole(entries, ...labelled), cleaned, true),
    chooseAmong(withRole(entries, "card", "cash", "deposit"), cleaned, false),
    chooseAmong(grossOfRates(ledger), cleaned, false),
    chooseUnlabelled(cleaned),
  ].filter((choice) => choice !== undefined);
  return others.find(({ verdict }) => verdict.confirmations > 0) ?? others[0];
}

function chooseAmong(candidates: readonly Entry[], ledger: Ledger, isLabelled: boolean): Choice | undefined {
  const last = candidates.slice(-MOST_CANDIDATES);
  const verdicts = last.flatMap((total) => total.amount.values.map((value) => judgeBest(total, value, ledger)));
  const [best] = verdicts.toSorted(compareVerdicts);
  if (best === undefined) return undefined;
  const rivals = last.filter((other) => other !== best.total && !isExplained(other, best, ledger));
  return { ledger, verdict: best, isLabelled, rivals, score: scoreVerdict(best) - (isLabelled ? 0 : 2) };
}

/** An amount whose label was not read may still be the sum of the amounts above it. */
function chooseUnlabelled(ledger: Ledger): Choice | undefined {
  const { entries } = ledger;
  for (const entry of withRole(entries, "item", "bare").toReversed()) {
    const total: Entry = { ...entry, role: "total" };
    const before = entries.filter(({ at, role }) => at < entry.at && role === "item");
    if (before.length < 2) continue;
    const cut = { ...ledger, entries: [...entries.filter(({ at }) => at !== entry.at), total] };
    const choice = chooseAmong([total], cut, false);
    if (choice !== undefined && choice.verdict.confirmations > 0 && !choice.verdict.isOnlyRepeated) return choice;
  }
  return undefined;
}

/** The only gross amount in a table of rates. */
function grossOfRates({ taxRows }: Ledger): Entry[] {
  const amounts = taxRows.flatMap(({ gross, at }) => (gross === undefined ? [] : [{ amount: gross, at }]));
  return taxRows.length === 1 ? amounts.map(({ amount, at }) => ({ role: "total", isIncluded: true, amount, at })) : [];
}

/** "Total includes VAT 3.00" is no total if there is a larger one. */
function withoutIncludedTaxes(entries: readonly Entry[]): Entry[] {
  const largest = withRole(entries, "total", "due").reduce(
    (most, entry) => (size(valueOfEntry(entry)) > most ? size(valueOfEntry(entry)) : most),
    0n,
  );
  return entries.map((entry) =>
    entry.role === "total" && entry.isIncluded && size(valueOfEntry(entry)) * 2n < largest
      ? { ...entry, role: "tax" }
      : entry,
  );
}

/** "Fare 20.00" or "Amount 50.00" is the total only if nothing else is. */
function withVagueItems(entries: readonly Entry[]): Entry[] {
  const last = Math.max(-1, ...withRole(entries, "total", "due").map(({ at }) => at));
  return entries.map((entry) => (entry.role === "vague_total" && entry.at < last ? { ...entry, role: "item" } : entry));
}

const size = (value: Micro): Micro => (value < 0n ? -value : value);

function judgeBest(total: Entry, value: Micro, ledger: Ledger): Verdict {
  const items = itemsBefore(total, ledger);
  return judgeTotal(total, value, ledger, itemSets(items, total));
}

function compareVerdicts(one: Verdict, other: Verdict): number {
  return (
    scoreVerdict(other) - scoreVerdict(one) ||
    Number(other.total.amount.isClean) - Number(one.total.amount.isClean) ||
    other.total.at - one.total.at
  );
}

const scoreVerdict = ({ confirmations, problems }: Verdict): number =>
  Math.min(confirmations, 3) * 2 - problems.size * 3;

function itemsBefore(total: Entry, { entries }: Ledger): Entry[] {
  return withRole(entries, "item").filter(({ at }) => at < total.at);
}

const ALIGNED_WITHIN = 0.02;
const MOST_LEFT_OUT = 40;

/** All rows with an amount, and those whose amounts are aligned with the total. */
function itemSets(items: readonly Entry[], total: Entry): ItemSets {
  const edge = rightEdge(total.amount);
  const aligned = items.filter(({ amount }) => Math.abs(rightEdge(amount) - edge) < ALIGNED_WITHIN);
  const likely = [items, ...(aligned.length < items.length ? [aligned] : [])];
  const mayLeaveOut = items.length > 2 && items.length <= MOST_LEFT_OUT;
  return {
    likely,
    spare: mayLeaveOut ? likely.flatMap((set) => set.map((left) => set.filter((item) => item !== left))) : [],
  };
}

function rightEdge(amount: Amount): number {
  const { x, width } = spanBox(amount);
  return x + width;
}

/** The same amount again, or one that differs by a tip, an earlier payment, or its currency. */
function isExplained(other: Entry, { total, value, net, confirmations }: Verdict, { entries }: Ledger): boolean {
  const amount = valueOfEntry(other);
  if (amount === value || amount === net?.values[0]) return true;
  const isOtherCurrency =
    other.amount.currency !== undefined &&
    total.amount.currency !== undefined &&
    other.amount.currency.codes.join() !== total.amount.currency.codes.join();
  if (isOtherCurrency) return true;
  const differences = withRole(entries, "tip", "service", "rounding", "deposit", "discount", "tax").map((entry) =>
    size(valueOfEntry(entry)),
  );
  return confirmations > 0 && differences.some((difference) => size(size(value) - size(amount)) === difference);
}
