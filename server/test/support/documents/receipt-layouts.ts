import { makePurchase, type Purchase, printRate } from "./purchase.ts";
import type { Random } from "./random.ts";
import type { Goods } from "./receipt-words.ts";
import type { Region } from "./regions.ts";
import { fontFor, Roll } from "./roll.ts";

/** Which fields a layout prints, beside merchant, date and total. */
interface Shown {
  tax?: boolean;
  net?: boolean;
  number?: boolean;
  taxId?: boolean;
  card?: boolean;
}
interface Layout {
  goods: Goods;
  tipShare: number;
  draw(random: Random, purchase: Purchase): { roll: Roll; shown: Shown };
}

const till = (random: Random, { region }: Purchase): Roll =>
  new Roll({
    width: 227,
    margin: random.between(9, 16),
    font: fontFor(random, region.language),
    size: random.between(8, 9),
    leading: random.pick([1.3, 1.4, 1.5]),
  });

function head(random: Random, roll: Roll, { merchant, place, region, taxId }: Purchase, hasTaxId: boolean): void {
  const isCentered = random.chance(0.7);
  const put = (text: string, style = {}) => (isCentered ? roll.center(text, style) : roll.write(text, style));
  put(merchant, { bold: true, size: roll.size * 1.35 });
  put(place, { size: roll.size * 0.85 });
  if (random.chance(0.5)) put(`Tel. ${region.phone}`, { size: roll.size * 0.85 });
  if (hasTaxId && taxId !== undefined) put(`${region.taxIdLabel}: ${taxId}`, { size: roll.size * 0.9 });
  roll.gap();
}

function dateAndNumber(random: Random, roll: Roll, { words, dateText, time, number }: Purchase): void {
  const label = random.pick(words.date);
  const numbered = `${random.pick(words.number)} ${number}`;
  if (random.chance(0.5)) roll.row(`${label} ${dateText}`.trim(), time);
  else roll.write(`${label} ${dateText} ${time}`.trim());
  roll.write(numbered);
}

function payment(random: Random, roll: Roll, purchase: Purchase): boolean {
  const { words, total, lastFour, region, bare } = purchase;
  if (lastFour !== undefined) {
    const brand = random.pick(["VISA", "Mastercard", "AMEX"]);
    roll.row(`${brand} ${random.pick(["****", "XXXX", "************"])}${lastFour}`, bare(total));
    return true;
  }
  if (random.chance(0.6)) {
    const step = region.money.digits === 0 ? 1_000n : 1_000n;
    const given = (total / step + 1n) * step;
    roll.row(words.cash, bare(given));
    roll.row(words.change, bare(given - total));
  } else {
    roll.row(words.card, bare(total));
  }
  return false;
}

function total(random: Random, roll: Roll, { words, total: amount, withCurrency }: Purchase): void {
  roll.row(random.pick(words.total), withCurrency(amount), {
    bold: true,
    size: roll.size * random.pick([1, 1.2, 1.4]),
  });
}

const supermarket: Layout = {
  goods: "supermarket",
  tipShare: 0,
  draw(random, purchase) {
    const { words, lines, taxes, region, bare } = purchase;
    const roll = till(random, purchase);
    head(random, roll, purchase, true);
    dateAndNumber(random, roll, purchase);
    roll.rule(2);
    for (const { description, quantity, unitAmount, amount, rate } of lines) {
      const mark = rate === region.rates[0] ? " A" : " B";
      if (quantity > 1n) {
        roll.write(description);
        roll.row(`${quantity} x ${bare(unitAmount)}`, `${bare(amount)}${mark}`, { indent: 12 });
      } else roll.row(description, `${bare(amount)}${mark}`);
    }
    roll.rule(2);
    if (!region.taxIncluded) {
      roll.row(words.subtotal, bare(purchase.net));
      for (const { rate, tax } of taxes) roll.row(`${region.taxName} ${printRate(rate, region)}`, bare(tax));
    }
    total(random, roll, purchase);
    roll.gap();
    const card = payment(random, roll, purchase);
    roll.gap();
    if (region.taxIncluded) {
      roll.columns([region.taxName, words.net, words.tax, words.gross], [0, 0.5, 0.75, 1]);
      for (const { rate, net, tax } of taxes) {
        const name = `${rate === region.rates[0] ? "A" : "B"} ${printRate(rate, region)}`;
        roll.columns([name, bare(net), bare(tax), bare(net + tax)], [0, 0.5, 0.75, 1]);
      }
      roll.gap();
    }
    roll.center(words.thanks);
    return { roll, shown: { number: true, taxId: true, card, tax: taxes.length === 1, net: taxes.length === 1 } };
  },
};

const restaurant: Layout = {
  goods: "restaurant",
  tipShare: 0.45,
  draw(random, purchase) {
    const { words, lines, taxes, region, bare, tip, net, tax } = purchase;
    const roll = till(random, purchase);
    head(random, roll, purchase, true);
    dateAndNumber(random, roll, purchase);
    roll.gap();
    for (const { description, quantity, amount } of lines) roll.row(`${quantity} ${description}`, bare(amount));
    roll.rule();
    const isAdded = !region.taxIncluded;
    if (isAdded || tip > 0n) roll.row(words.subtotal, bare(isAdded ? net : net + tax));
    if (isAdded) for (const one of taxes) roll.row(`${region.taxName} ${printRate(one.rate, region)}`, bare(one.tax));
    if (tip > 0n) roll.row(words.tip, bare(tip));
    total(random, roll, purchase);
    if (!isAdded) {
      for (const one of taxes) {
        roll.row(`${words.net} ${printRate(one.rate, region)}`, bare(one.net), { size: roll.size * 0.9 });
        roll.row(`${region.taxName} ${printRate(one.rate, region)}`, bare(one.tax), { size: roll.size * 0.9 });
      }
    }
    roll.gap();
    const card = payment(random, roll, purchase);
    if (isAdded && tip === 0n && random.chance(0.5)) {
      roll.gap();
      roll.write(`${words.suggestedTip}:`);
      for (const share of [15n, 18n, 20n]) roll.row(`${share}%`, bare((net * share) / 100n), { indent: 10 });
    }
    roll.gap();
    roll.center(words.thanks);
    return { roll, shown: { number: true, taxId: true, card, tax: true, net: true } };
  },
};

const taxi: Layout = {
  goods: "taxi",
  tipShare: 0.3,
  draw(random, purchase) {
    const { words, lines, taxes, region, bare, withCurrency, tip } = purchase;
    const roll = till(random, purchase);
    const taxId = random.chance(0.5);
    head(random, roll, purchase, taxId);
    roll.center(random.pick(words.receipt), { bold: true });
    dateAndNumber(random, roll, purchase);
    roll.row("km", `${random.between(2, 38)},${random.between(0, 9)}`);
    for (const { description, amount } of lines) roll.row(description, withCurrency(amount));
    const isAdded = !region.taxIncluded;
    if (isAdded) for (const { rate, tax } of taxes) roll.row(`${region.taxName} ${printRate(rate, region)}`, bare(tax));
    if (tip > 0n) roll.row(words.tip, withCurrency(tip));
    roll.rule();
    total(random, roll, purchase);
    roll.gap();
    const card = payment(random, roll, purchase);
    return { roll, shown: { number: true, taxId, card, tax: isAdded } };
  },
};

const page = (random: Random, { region }: Purchase): Roll =>
  new Roll({
    width: 595,
    height: 842,
    margin: 48,
    font: region.language === "jpn" ? "gothic" : random.pick(["roboto", "lora", "dejavu"]),
    size: 10,
    leading: 1.6,
  });

const hotel: Layout = {
  goods: "hotel",
  tipShare: 0,
  draw(random, purchase) {
    const { words, lines, taxes, region, bare, date, print, total: amount, withCurrency } = purchase;
    const roll = page(random, purchase);
    const nights = random.between(1, 4);
    head(random, roll, purchase, true);
    roll.write(random.pick(words.receipt), { bold: true, size: 16 });
    roll.row(`${random.pick(words.number)} ${purchase.number}`, `${words.room} ${random.between(101, 899)}`);
    roll.row(`${words.arrival} ${print(date.subtract({ days: nights }))}`, `${words.departure} ${purchase.dateText}`);
    roll.write(`${random.pick(words.date)} ${purchase.dateText}`.trim());
    roll.gap();
    const ends = [0, 0.78, 1];
    roll.columns([words.description, words.amount, words.paid], ends, { bold: true });
    roll.rule();
    for (const { description, amount: charge } of lines) roll.columns([description, bare(charge), ""], ends);
    roll.rule();
    if (!region.taxIncluded) {
      roll.columns([words.subtotal, bare(purchase.net), ""], ends);
      for (const { rate, tax } of taxes) {
        roll.columns([`${region.taxName} ${printRate(rate, region)}`, bare(tax), ""], ends);
      }
    }
    roll.columns([random.pick(words.total), withCurrency(amount), ""], ends, { bold: true });
    const brand = purchase.lastFour === undefined ? words.cash : `VISA ****${purchase.lastFour}`;
    roll.columns([brand, "", bare(-amount)], ends);
    roll.columns([words.balance, bare(0n), ""], ends);
    roll.gap();
    if (region.taxIncluded) {
      roll.columns([region.taxName, words.net, words.tax], [0, 0.5, 0.7], { size: 9 });
      for (const { rate, net, tax } of taxes) {
        roll.columns([printRate(rate, region), bare(net), bare(tax)], [0, 0.5, 0.7], { size: 9 });
      }
    }
    roll.gap();
    roll.center(words.thanks);
    const one = taxes.length === 1;
    return { roll, shown: { number: true, taxId: true, card: purchase.lastFour !== undefined, tax: one, net: one } };
  },
};

const airline: Layout = {
  goods: "airline",
  tipShare: 0,
  draw(random, purchase) {
    const { words, lines, withCurrency, bare, tax, region, total: amount } = purchase;
    const roll = page(random, purchase);
    head(random, roll, purchase, false);
    roll.write(random.pick(words.receipt), { bold: true, size: 15 });
    roll.row(words.bookingReference, random.code(6));
    roll.row(words.ticketNumber, `${random.digits(3)}-${random.digits(10)}`);
    roll.row(words.passenger, random.pick(["LINDQVIST/ASTRID MS", "OKAFOR/DANIEL MR", "TANAKA/YUKI MS"]));
    roll.row(`${random.pick(words.invoiceDate)}`, purchase.dateText);
    roll.row("LHR - JFK", `${random.pick(["BX", "ZW", "NQ"])}${random.between(100, 999)}`);
    roll.rule();
    for (const line of lines) {
      const part = region.taxIncluded ? line.amount - (line === lines[0] ? tax : 0n) : line.amount;
      roll.row(line.description, bare(part));
    }
    roll.row(words.taxesAndFees, bare(tax));
    roll.rule();
    roll.row(random.pick(words.total), withCurrency(amount), { bold: true, size: 13 });
    roll.gap();
    if (purchase.lastFour !== undefined) roll.row(`${words.card} VISA ****${purchase.lastFour}`, bare(amount));
    return { roll, shown: { card: purchase.lastFour !== undefined, tax: true } };
  },
};

const layouts = { taxi, hotel, restaurant, airline, supermarket };
type ReceiptLayout = keyof typeof layouts;
export const receiptLayouts: readonly ReceiptLayout[] = ["taxi", "hotel", "restaurant", "airline", "supermarket"];

export function drawReceipt(
  random: Random,
  layout: ReceiptLayout,
  region: Region,
  today: Temporal.PlainDate,
): { roll: Roll; purchase: Purchase; shown: Shown } {
  const { goods, tipShare, draw } = layouts[layout];
  const purchase = makePurchase(random, goods, region, today, tipShare);
  return { purchase, ...draw(random, purchase) };
}
