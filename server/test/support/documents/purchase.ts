import { divide, formatAmount, printAmount } from "./money.ts";
import type { Random } from "./random.ts";
import { type Goods, receiptWords } from "./receipt-words.ts";
import { printDate, type Region } from "./regions.ts";
import type { FieldTruths } from "./truth.ts";

interface PurchaseLine {
  description: string;
  quantity: bigint;
  unitAmount: bigint;
  amount: bigint;
  rate: bigint;
}
interface PurchaseTax {
  /** In thousandths. */
  rate: bigint;
  net: bigint;
  tax: bigint;
}

/** A purchase. Amounts of lines are as the region prints them: with tax or without. */
export interface Purchase {
  region: Region;
  words: (typeof receiptWords)["eng"];
  merchant: string;
  place: string;
  taxId: string | undefined;
  number: string;
  date: Temporal.PlainDate;
  dateText: string;
  time: string;
  lines: readonly PurchaseLine[];
  taxes: readonly PurchaseTax[];
  net: bigint;
  tax: bigint;
  tip: bigint;
  total: bigint;
  lastFour: string | undefined;
  /** Prints an amount with its currency. */
  withCurrency: (amount: bigint) => string;
  /** Prints an amount alone. */
  bare: (amount: bigint) => string;
  /** Prints any date as the document does. */
  print: (date: Temporal.PlainDate) => string;
}

const UNIT_PRICES: Readonly<Record<Goods, readonly [number, number]>> = {
  taxi: [400, 5_500],
  hotel: [900, 18_900],
  restaurant: [250, 3_200],
  airline: [1_500, 48_000],
  supermarket: [79, 1_499],
  services: [4_500, 96_000],
};
const DAYS_BACK = 240;
/** Prices in yen, pesos and reais have more digits, or none behind the point. */
const priceFactor = ({ currency }: Region): number => ({ JPY: 1.3, MXN: 8, BRL: 3 })[currency] ?? 1;

export function makePurchase(
  random: Random,
  goods: Goods,
  region: Region,
  today: Temporal.PlainDate,
  tipShare = 0,
): Purchase {
  const words = receiptWords[region.language];
  const pattern = random.pick(region.datePatterns);
  const date = dateBefore(random, today, pattern);
  const lines = makeLines(random, goods, region);
  const taxes = computeTaxes(lines, region);
  const sum = lines.reduce((all, { amount }) => all + amount, 0n);
  const tax = taxes.reduce((all, one) => all + one.tax, 0n);
  const gross = region.taxIncluded ? sum : sum + tax;
  const tip =
    region.language !== "jpn" && random.chance(tipShare)
      ? roundUp((gross * BigInt(random.between(8, 20))) / 100n, region)
      : 0n;
  const moneyPattern = random.pick(region.moneyPatterns);
  const bare = (amount: bigint) => printAmount(amount, region.money);
  const print = (one: Temporal.PlainDate) => printDate(one, pattern, region.locale);
  return {
    region,
    words,
    date,
    lines,
    taxes,
    tax,
    tip,
    bare,
    print,
    merchant: random.pick(words.merchants[goods]),
    place: random.pick(region.places),
    taxId: region.taxId?.(random),
    number: random.pick([
      random.digits(6),
      `${random.code(2)}-${random.digits(5)}`,
      `${date.year}-${random.digits(4)}`,
    ]),
    dateText: print(date),
    time: `${String(random.between(7, 22)).padStart(2, "0")}:${String(random.between(0, 59)).padStart(2, "0")}`,
    net: gross - tax,
    total: gross + tip,
    lastFour: random.chance(0.5) ? random.digits(4) : undefined,
    withCurrency: (amount) =>
      `${amount < 0n ? "-" : ""}${moneyPattern.replace("#", () => bare(amount < 0n ? -amount : amount))}`,
  };
}

/** Nobody can tell month from day in 03/04/2026: few such dates stay. */
function dateBefore(random: Random, today: Temporal.PlainDate, pattern: string): Temporal.PlainDate {
  const date = today.subtract({ days: random.between(2, DAYS_BACK) });
  const isDoubtful = /^(mm.dd|dd.mm)/.test(pattern) && date.day <= 12 && !random.chance(0.15);
  const moved = isDoubtful ? date.with({ day: random.between(13, 28) }) : date;
  return Temporal.PlainDate.compare(moved, today) < 0 ? moved : moved.subtract({ months: 1 });
}

function makeLines(random: Random, goods: Goods, region: Region): PurchaseLine[] {
  const words = receiptWords[region.language];
  const [least, most] = UNIT_PRICES[goods];
  const names = words.goods[goods];
  const count =
    goods === "taxi" || goods === "airline" ? random.between(1, names.length) : random.between(2, names.length);
  return names.slice(0, count).map((description) => {
    const isCounted = goods === "restaurant" || goods === "supermarket" || goods === "services";
    const quantity = isCounted && random.chance(0.35) ? BigInt(random.between(2, 6)) : 1n;
    const unitAmount = BigInt(Math.round(random.between(least, most) * priceFactor(region)));
    const reduced = goods === "supermarket" || goods === "hotel" ? random.chance(0.6) : false;
    return { description, quantity, unitAmount, amount: unitAmount * quantity, rate: region.rates[reduced ? 1 : 0] };
  });
}

function computeTaxes(lines: readonly PurchaseLine[], { taxIncluded, rates }: Region): PurchaseTax[] {
  return rates.flatMap((rate) => {
    const sum = lines.filter((line) => line.rate === rate).reduce((all, { amount }) => all + amount, 0n);
    if (sum === 0n) return [];
    const tax = taxIncluded ? divide(sum * rate, 1_000n + rate) : divide(sum * rate, 1_000n);
    return [{ rate, net: taxIncluded ? sum - tax : sum, tax }];
  });
}

const roundUp = (amount: bigint, { money }: Region): bigint =>
  money.digits === 0 ? amount : ((amount + 49n) / 50n) * 50n;

export function printRate(rate: bigint, { money }: Region): string {
  const text = formatAmount(rate * 10n, { digits: 2 }).replace(/\.?0+$/, "");
  return `${text.replace(".", money.decimal)}%`;
}

/** `shown` are the fields that the layout prints; the document lacks the purchase's other facts. */
export function listTruths(
  purchase: Purchase,
  shown: { tax?: boolean; net?: boolean; number?: boolean; taxId?: boolean; card?: boolean },
): FieldTruths {
  const { region, net, tax, tip, total } = purchase;
  const decimal = (amount: bigint) => [formatAmount(amount, region.money)];
  return {
    merchantName: [purchase.merchant],
    issuedOn: [purchase.date.toString()],
    currency: [region.currency],
    totalAmount: decimal(total),
    ...(shown.net ? { netAmount: decimal(net) } : {}),
    ...(shown.tax ? { taxAmount: decimal(tax) } : {}),
    ...(shown.number ? { invoiceNumber: [purchase.number] } : {}),
    tipAmount: tip > 0n ? decimal(tip) : [],
    taxId: shown.taxId && purchase.taxId !== undefined ? [purchase.taxId] : [],
    cardLastFour: shown.card && purchase.lastFour !== undefined ? [purchase.lastFour] : [],
    dueOn: [],
  };
}

export const lineTruths = ({ lines, region }: Purchase): FieldTruths[] =>
  lines.map(({ description, amount }) => ({
    description: [description],
    amount: [formatAmount(amount, region.money)],
  }));

export const taxTruths = ({ taxes, region }: Purchase): FieldTruths[] =>
  taxes.map(({ rate, net, tax }) => ({
    ratePercent: [formatAmount(rate * 10n, { digits: 2 })],
    netAmount: [formatAmount(net, region.money)],
    taxAmount: [formatAmount(tax, region.money)],
  }));
