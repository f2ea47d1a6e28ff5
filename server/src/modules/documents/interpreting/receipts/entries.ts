import { MICRO_PER_UNIT, type Micro } from "../../../../domain/money.ts";
import { type Amount, firstValue, isMoney, type NumberStyle } from "./amounts.ts";
import { type Label, type Role, readLabel } from "./labels.ts";
import type { Row } from "./rows.ts";

/** An amount with its role in the sum. */
export interface Entry {
  role: Role;
  amount: Amount;
  isIncluded: boolean;
  /** Position in the document. */
  at: number;
}

/** One tax rate, with the amounts of its row. */
export interface TaxRow {
  /** In per cent, times a million. */
  rate: Micro | undefined;
  rateAt: Amount | undefined;
  net: Amount | undefined;
  tax: Amount | undefined;
  gross: Amount | undefined;
  isIncluded: boolean;
  /** Its amounts do not fit its rate: one of them was misread. */
  isBroken: boolean;
  at: number;
}

/** The numbers of a row, from left to right. */
export interface NumberedRow {
  row: Row;
  amounts: readonly Amount[];
}

export interface Entries {
  entries: readonly Entry[];
  taxRows: readonly TaxRow[];
}

/** Goes over the rows from top to bottom and assigns each amount its role. */
export function readEntries(rows: readonly NumberedRow[], style: NumberStyle): Entries {
  const entries: Entry[] = [];
  const taxRows: TaxRow[] = [];
  let above: { row: Row; label: Label | undefined } | undefined;
  let taxTable = -10;
  for (const [at, { row, amounts }] of rows.entries()) {
    const money = amounts.filter((amount) => isMoney(amount, style));
    const whole = readRowLabel(row.text, row);
    if (money.length === 0 && isTaxHeading(row)) taxTable = at;
    const taxRow = readTaxRow({ row, amounts, money, at }, style, at - taxTable <= 6);
    if (taxRow !== undefined) {
      taxRows.push(taxRow);
    } else {
      entries.push(...readRowEntries({ row, amounts, money, at }, above, style));
    }
    above = money.length === 0 ? { row, label: whole } : undefined;
  }
  return joinBases({ entries, taxRows });
}

interface Numbered {
  row: Row;
  amounts: readonly Amount[];
  money: readonly Amount[];
  at: number;
}

const readRowLabel = (text: string, row: Row): Label | undefined => readLabel(text, row.source !== "text");

const countLabels = (row: Row): number =>
  row.text.split("\t").filter((column) => readRowLabel(column, row) !== undefined).length;

/** `VAT %  Net  VAT  Gross` */
function isTaxHeading(row: Row): boolean {
  const roles = row.text.split("\t").flatMap((column) => readRowLabel(column, row)?.role ?? []);
  return roles.length > 1 && roles.some((role) => role === "tax" || role === "base");
}

const countRowLetters = (text: string): number => text.replaceAll(/[^\p{L}]/gu, "").length;

function readRowEntries(
  numbered: Numbered,
  above: { row: Row; label: Label | undefined } | undefined,
  style: NumberStyle,
): Entry[] {
  const { row, money, at } = numbered;
  if (money.length === 0) return wholeAmount(numbered, style);
  const groups: { label: Label | undefined; amounts: Amount[]; text: string }[] = [];
  let from = 0;
  for (const amount of money) {
    const text = row.text.slice(from, amount.start);
    const label = readRowLabel(withoutCurrency(text), row);
    const last = groups.at(-1);
    if (last === undefined || (label !== undefined && last.label !== undefined))
      groups.push({ label, amounts: [amount], text });
    else last.amounts.push(amount);
    from = amount.end;
  }
  const byColumns = above === undefined ? [] : columnEntries(numbered, above.row);
  if (byColumns.length > 0) return byColumns;
  return groups.flatMap(({ label, amounts, text }) => {
    const amount = amounts.at(-1);
    if (amount === undefined) return [];
    // `2 x 4.50` without its product is below or above its item.
    const previous = numbered.amounts[numbered.amounts.indexOf(amount) - 1];
    // In `Coffee x2  9.00` the amount is for both.
    const isTimesFirst = previous !== undefined && /^[x×]\d/iu.test(row.text.slice(previous.start));
    const isUnit =
      previous?.isMultiplier === true &&
      !isTimesFirst &&
      countRowLetters(row.text.slice(previous.end, amount.start)) < 2;
    if (isUnit && label === undefined && amounts.length === 1) return [];
    const isAlone = countRowLetters(withoutCurrency(row.text)) < 2;
    const after =
      label === undefined && groups.length === 1 ? readRowLabel(row.text.slice(amount.end), row) : undefined;
    const found =
      label ??
      after ??
      (isAlone && above?.label !== undefined && countLabels(above.row) === 1 ? above.label : undefined);
    if (style.places === 0 && !amount.isGrouped && amount.currency === undefined && NUMBER_LABEL.test(text)) return [];
    if (found !== undefined) return [{ role: found.role, isIncluded: found.isIncluded, amount, at }];
    const isPriced = countRowLetters(withoutCurrency(text)) >= 2 || numbered.amounts.length > 1;
    if (isPriced && style.places === 0 && !amount.isGrouped && amount.currency === undefined && ADDRESS.test(row.text))
      return [];
    return [{ role: isPriced ? "item" : "bare", isIncluded: false, amount, at }];
  });
}

const withoutCurrency = (text: string): string =>
  text
    .replaceAll(/[$€£¥₹]/gu, " ")
    .replaceAll(/(?<![A-Za-z])[A-Z]{3}(?=\s*$)/g, (code) => (/^(?:EUR|USD|GBP|CHF|JPY|BRL)$/.test(code) ? " " : code));

/** Japanese addresses: prices below a thousand look like house numbers. */
const ADDRESS = /[都府県市区町村郡]|丁目|番地|番号|〒|tel/iu;

/** "Receipt no. 45" */
const NUMBERED = /\bn(?:o|r|um)?\b|#|n[°º]|番号/iu;

const NUMBER_LABEL =
  /(?:\bn(?:o|r|um|umber)?\b\.?|#|n[°º]|番号|\b(?:receipt|invoice|rechnung|beleg|facture|order))\s{0,3}[:.]?\s{0,3}$/iu;

/** "Total 45" where amounts usually have cents: a number of articles, or the decimal sign was not read. */
function wholeAmount({ row, amounts, at }: Numbered, style: NumberStyle): Entry[] {
  const numbers = amounts.filter(({ isPercent, isMultiplier, isMeasure }) => !isPercent && !isMultiplier && !isMeasure);
  const [amount] = numbers;
  if (amount === undefined || numbers.length > 1) return [];
  const text = row.text.slice(0, amount.start);
  const label = NUMBERED.test(text) ? undefined : readRowLabel(text, row);
  const isSum = label !== undefined && ["total", "due", "net", "cash", "card", "change"].includes(label.role);
  if (label === undefined || !isSum) return [];
  const value = firstValue(amount);
  const isUsual = style.places === 0;
  const values = isUsual ? [value] : [value, value / 10n ** BigInt(style.places)];
  return [{ role: label.role, isIncluded: label.isIncluded, amount: { ...amount, values, isClean: isUsual }, at }];
}

/** A row of numbers below a row of labels: `Net  VAT  Total`. */
function columnEntries({ row, money, at }: Numbered, above: Row): Entry[] {
  if (countRowLetters(withoutCurrency(row.text)) > 1 || money.length < 2) return [];
  const labels = above.text.split("\t").map((column) => readRowLabel(column, above));
  const known = labels.filter((label) => label !== undefined);
  if (known.length !== money.length || known.length !== labels.length) return [];
  return money.flatMap((amount, index) => {
    const label = known[index];
    return label === undefined ? [] : [{ role: label.role, isIncluded: label.isIncluded, amount, at }];
  });
}

const HUNDRED = 100n * MICRO_PER_UNIT;
export const absolute = (value: Micro): Micro => (value < 0n ? -value : value);

/** Some round taxes per line, and others in total. */
export const roundingTolerance = (style: NumberStyle): Micro =>
  style.places === 0 ? (MICRO_PER_UNIT * 99n) / 100n : style.places === 3 ? 5_000n : 20_000n;

export const taxOnNet = (net: Micro, rate: Micro): Micro => (net * rate) / HUNDRED;
export const taxInGross = (gross: Micro, rate: Micro): Micro => (gross * rate) / (HUNDRED + rate);

function readTaxRow({ row, amounts, money, at }: Numbered, style: NumberStyle, isInTable: boolean): TaxRow | undefined {
  const label = readRowLabel(withoutNumbers(row.text, amounts), row);
  const isNamed = label !== undefined && ["tax", "base", "net"].includes(label.role);
  const isTotal = label?.role === "total";
  const hasFewLetters = countRowLetters(withoutCurrency(row.text)) <= 4;
  if (!isNamed && !hasFewLetters && !isTotal) return undefined;
  const rateAt =
    amounts.find(({ isPercent }) => isPercent) ??
    (isInTable && money.length >= 3 ? amounts.find(isUsualRate) : undefined);
  const rate = rateAt === undefined ? undefined : firstValue(rateAt);
  const isUnread = isInTable && hasFewLetters && !isTotal && money.length > 2;
  if (rateAt === undefined && isUnread) return { ...BROKEN, at };
  if (rateAt === undefined || rate === undefined || rate < 0n || rate >= HUNDRED) return undefined;
  const others = money.filter((amount) => amount !== rateAt);
  const base = { rate, rateAt, isIncluded: label?.isIncluded === true, isBroken: false, at };
  const split = splitTax(others, rate, roundingTolerance(style));
  if (split !== undefined) return { ...base, ...split };
  const [only] = others;
  const numbers = amounts.filter((amount) => !amount.isPercent).length;
  const isBroken = rateAt.isPercent && (isInTable ? numbers > 1 : others.length > 1 && label?.role === "tax");
  if (isBroken || isUnread) return { ...base, net: undefined, tax: undefined, gross: undefined, isBroken: true };
  if (!isNamed || only === undefined || others.length > 1) return undefined;
  if (label.role === "tax") return { ...base, net: undefined, tax: only, gross: undefined };
  return label.role === "base" || label.role === "net"
    ? { ...base, net: only, tax: undefined, gross: undefined }
    : undefined;
}

const BROKEN = {
  rate: undefined,
  rateAt: undefined,
  net: undefined,
  tax: undefined,
  gross: undefined,
  isIncluded: false,
  isBroken: true,
};

const isUsualRate = (amount: Amount): boolean =>
  amount.currency === undefined && firstValue(amount) < 30n * MICRO_PER_UNIT && firstValue(amount) > 0n;

const withoutNumbers = (text: string, amounts: readonly Amount[]): string =>
  amounts.reduceRight((rest, { start, end }) => `${rest.slice(0, start)} ${rest.slice(end)}`, text);

/** Assigns two or three amounts to net, tax and gross, as only one assignment fits the rate. */
function splitTax(
  amounts: readonly Amount[],
  rate: Micro,
  tolerance: Micro,
): Pick<TaxRow, "net" | "tax" | "gross"> | undefined {
  if (amounts.length < 2 || amounts.length > 4) return undefined;
  const isNear = (one: Micro, other: Micro) => absolute(one - other) <= tolerance;
  for (const tax of amounts) {
    for (const net of amounts) {
      if (tax === net || absolute(firstValue(tax)) >= absolute(firstValue(net))) continue;
      const gross = amounts.find(
        (one) => one !== tax && one !== net && firstValue(one) === firstValue(net) + firstValue(tax),
      );
      if (gross !== undefined && isNear(taxOnNet(firstValue(net), rate), firstValue(tax))) return { net, tax, gross };
      if (amounts.length !== 2) continue;
      const onNet = isNear(taxOnNet(firstValue(net), rate), firstValue(tax));
      const inGross = isNear(taxInGross(firstValue(net), rate), firstValue(tax));
      if (onNet && !inGross) return { net, tax, gross: undefined };
      if (inGross && !onNet) return { net: undefined, tax, gross: net };
    }
  }
  return undefined;
}

/** `10 % base 1,100` and `tax 100` in separate rows are one rate. */
function joinBases({ entries, taxRows }: Entries): Entries {
  const joined: TaxRow[] = [];
  const used = new Set<TaxRow>();
  for (const taxRow of taxRows) {
    if (used.has(taxRow)) continue;
    const isBase = taxRow.tax === undefined;
    const partner = taxRows.find(
      (other) =>
        other !== taxRow &&
        !used.has(other) &&
        other.rate === taxRow.rate &&
        (other.tax === undefined) !== isBase &&
        (other.net === undefined) !== (taxRow.net === undefined) &&
        Math.abs(other.at - taxRow.at) <= 4,
    );
    used.add(taxRow);
    if (partner !== undefined) used.add(partner);
    const tax = taxRow.tax ?? partner?.tax;
    joined.push({
      ...taxRow,
      tax,
      net: taxRow.net ?? partner?.net,
      gross: taxRow.gross ?? partner?.gross,
      isIncluded: taxRow.isIncluded || partner?.isIncluded === true,
    });
  }
  return pairFollowing({ entries, taxRows: joined });
}

/** A base with its rate, followed by a tax without one. */
function pairFollowing({ entries, taxRows }: Entries): Entries {
  const taken = new Set<Entry>();
  const paired = taxRows.map((taxRow) => {
    if (taxRow.tax !== undefined) return taxRow;
    const follower = entries.find(
      (entry) => entry.role === "tax" && !taken.has(entry) && entry.at >= taxRow.at && entry.at <= taxRow.at + 1,
    );
    if (follower === undefined) return taxRow;
    taken.add(follower);
    return { ...taxRow, tax: follower.amount, isIncluded: taxRow.isIncluded || follower.isIncluded };
  });
  return { entries: entries.filter((entry) => !taken.has(entry)), taxRows: paired.map(toGross) };
}

/** The base of a tax may include the tax: the rate tells. */
function toGross(taxRow: TaxRow): TaxRow {
  const { rate, net, tax, gross } = taxRow;
  if (rate === undefined || net === undefined || tax === undefined || gross !== undefined) return taxRow;
  const onNet = absolute(taxOnNet(firstValue(net), rate) - firstValue(tax));
  const inGross = absolute(taxInGross(firstValue(net), rate) - firstValue(tax));
  return inGross < onNet ? { ...taxRow, net: undefined, gross: net } : taxRow;
}
