import { lineTruths, listTruths, makePurchase, type Purchase, printRate, taxTruths } from "./purchase.ts";
import { type Random, seededRandom } from "./random.ts";
import { regionAt } from "./regions.ts";
import { type Form, scaleFor } from "./render-receipt.ts";
import { drawPdf, drawPng, drawScannedPdf, Sheet } from "./sheet.ts";
import type { RenderedDocument } from "./truth.ts";

const [LEFT, RIGHT] = [50, 545];
const DAYS_TO_PAY = [14, 30, 45] as const;

interface InvoiceFacts {
  purchase: Purchase;
  buyer: string;
  due: Temporal.PlainDate;
  supply: Temporal.PlainDate | undefined;
}

/** Seller at the top, buyer at the left, the facts at the right, a table with net amounts, and the sums under it. */
export async function renderInvoice(
  seed: number,
  today: Temporal.PlainDate,
  form: Form = "image",
): Promise<RenderedDocument> {
  const random = seededRandom(seed + 10_000);
  const region = regionAt(seed);
  const made = makePurchase(random, "services", region, today);
  const purchase = toNetPurchase(made);
  const facts: InvoiceFacts = {
    purchase,
    buyer: random.pick(purchase.words.buyers),
    due: purchase.date.add({ days: random.pick(DAYS_TO_PAY) }),
    supply: random.chance(0.5) ? purchase.date.subtract({ days: random.between(1, 9) }) : undefined,
  };
  const sheet = new Sheet({
    width: 595,
    height: 842,
    size: 9.5,
    font: region.language === "jpn" ? "gothic" : random.pick(["roboto", "lora", "dejavu"]),
  });
  drawHead(random, sheet, facts);
  drawSums(random, sheet, purchase, drawTable(sheet, purchase, random.chance(0.5)));
  const { words } = purchase;
  const account = region.money.decimal === "," ? "IBAN DE75 5121 0800 1245 1261 99" : "21-08-00 12451261";
  sheet.text(LEFT, 790, `${words.bank}: ${account}`, { size: 8 });
  const image = form === "text_pdf" ? undefined : drawPng(sheet, scaleFor(sheet.width));
  const bytes =
    image === undefined ? await drawPdf([sheet]) : form === "image" ? image : await drawScannedPdf([image], sheet);
  const fields = {
    ...listTruths(purchase, { tax: true, net: true, number: true, taxId: true }),
    buyerName: [facts.buyer],
    dueOn: [facts.due.toString()],
    supplyOn: facts.supply === undefined ? [] : [facts.supply.toString()],
  };
  return {
    name: `invoice/${purchase.region.locale}/${seed}/${form}`,
    kind: "invoice",
    bytes,
    mediaType: form === "image" ? "image/png" : "application/pdf",
    truth: { fields, lines: lineTruths(purchase), taxes: taxTruths(purchase) },
  };
}

/** Invoices between companies list net amounts, whatever a till of the region does. */
function toNetPurchase(made: Purchase): Purchase {
  const net = made.lines.reduce((sum, { amount }) => sum + amount, 0n);
  const [rate] = made.region.rates;
  const tax = (net * rate + 500n) / 1_000n;
  return { ...made, net, tax, taxes: [{ rate, net, tax }], total: net + tax };
}

function drawHead(random: Random, sheet: Sheet, { purchase, buyer, due, supply }: InvoiceFacts): void {
  const { words, region, merchant, place, taxId, number, print } = purchase;
  const addressee = region.language === "jpn" ? `${buyer} 御中` : buyer;
  const isRight = random.chance(0.4);
  const at = { align: isRight ? "end" : "start" } as const;
  const x = isRight ? RIGHT : LEFT;
  sheet.text(x, 62, merchant, { ...at, bold: true, size: 15 });
  sheet.text(x, 77, place, { ...at, size: 8.5 });
  sheet.text(x, 89, `Tel. ${region.phone}`, { ...at, size: 8.5 });
  if (taxId !== undefined) sheet.text(x, 101, `${region.taxIdLabel}: ${taxId}`, { ...at, size: 8.5 });
  sheet.text(LEFT, 150, random.pick(words.invoice), { bold: true, size: 20 });
  sheet.text(LEFT, 182, words.billTo, { size: 8, color: "#555555" });
  sheet.text(LEFT, 196, addressee, { bold: true });
  sheet.text(LEFT, 209, random.pick(["PO Box 1180", "Office 4", "Building B"]));
  const facts: [string, string][] = [
    [random.pick(words.invoiceNumber), number],
    [random.pick(words.invoiceDate), purchase.dateText],
    ...(supply === undefined ? [] : [[words.supplyDate, print(supply)] satisfies [string, string]]),
    [words.dueDate, print(due)],
  ];
  for (const [index, [label, value]] of facts.entries()) {
    sheet.text(330, 182 + index * 15, label);
    sheet.text(RIGHT, 182 + index * 15, value, { align: "end" });
  }
}

function drawTable(sheet: Sheet, { words, lines, region, bare }: Purchase, hasGrid: boolean): number {
  const columns = [330, 420, RIGHT - 4];
  let y = 278;
  sheet.rectangle(LEFT, y - 13, RIGHT - LEFT, 19, "#e8ecf0");
  sheet.text(LEFT + 4, y, words.description, { bold: true });
  for (const [index, label] of [words.quantity, words.unitPrice, words.amount].entries()) {
    sheet.text(columns[index] ?? RIGHT, y, label, { bold: true, align: "end" });
  }
  for (const { description, quantity, unitAmount, amount } of lines) {
    y += 20;
    sheet.text(LEFT + 4, y, description);
    const texts = [String(quantity), bare(unitAmount), bare(amount)];
    for (const [index, text] of texts.entries()) sheet.text(columns[index] ?? RIGHT, y, text, { align: "end" });
    if (hasGrid) sheet.rule(y + 6, LEFT, RIGHT, { width: 0.4, color: "#999999" });
  }
  sheet.rule(y + 10, LEFT, RIGHT, { width: 0.8 });
  sheet.text(LEFT, y + 24, `${region.taxName} ${printRate(region.rates[0], region)}`, { size: 7.5, color: "#555555" });
  return y + 32;
}

function drawSums(random: Random, sheet: Sheet, purchase: Purchase, top: number): void {
  const { words, taxes, region, net, total, bare, withCurrency } = purchase;
  const rows: [string, string][] = [
    [random.pick([words.subtotal, words.net]), bare(net)],
    ...taxes.map(
      ({ rate, tax }) => [`${region.taxName} ${printRate(rate, region)}`, bare(tax)] satisfies [string, string],
    ),
  ];
  let y = top;
  for (const [label, amount] of rows) {
    sheet.text(330, y, label);
    sheet.text(RIGHT - 4, y, amount, { align: "end" });
    y += 16;
  }
  sheet.rule(y - 10, 325, RIGHT, { width: 0.8 });
  sheet.text(330, y + 4, random.pick(words.total), { bold: true, size: 12 });
  sheet.text(RIGHT - 4, y + 4, withCurrency(total), { bold: true, size: 12, align: "end" });
}
