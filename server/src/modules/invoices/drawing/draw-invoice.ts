import PDFDocument from "pdfkit";
import { type Words, wordsIn } from "../../../domain/texts.ts";
import type { InvoiceDocument } from "../document.ts";
import type { EInvoiceAttachment } from "../e-invoices.ts";
import type { DrawnInvoice } from "../invoices.ts";
import { invoiceTexts, SANDBOX_MARK } from "../texts.ts";
import { piecesFromLeft } from "./bidi-line.ts";
import { Glyphs, usualFace, type Weight } from "./fonts.ts";
import type { ToDraw } from "./invoice-renderer.ts";

const PAGE = { width: 595.28, height: 841.89, margin: 48 } as const;
const BOTTOM = PAGE.height - PAGE.margin;
/** Contents that do not fit are drawn smaller, as a booking has one page. */
const SCALES = [1, 0.85, 0.7, 0.55, 0.4] as const;
const INK = "#1a1a1a";
const MARK = "#f3d6d6";
const GREY = "#5c5c5c";

/** The distance from the top of a line to the baseline, relative to the font size. */
const ASCENT = 0.928;

interface Column {
  readonly width: number;
  readonly weight: Weight;
}

type Say = ReturnType<typeof invoiceTexts>;

/** Draws a one-page PDF/A-3 with embedded fonts and the document attached as JSON. */
export async function drawInvoice({ invoice, attachment }: ToDraw): Promise<DrawnInvoice> {
  for (const scale of SCALES) {
    const glyphs = new Glyphs();
    const page = new InvoicePage(invoice, glyphs, scale);
    if (attachment !== undefined) page.attach(attachment);
    if (page.draw() <= BOTTOM || scale === SCALES.at(-1)) {
      return { pdf: await page.end(), charactersNotShown: glyphs.missing };
    }
  }
  throw new Error("there is a last scale");
}

class InvoicePage {
  readonly #pdf: PDFKit.PDFDocument;
  readonly #words: Words;
  readonly #say: Say;
  readonly #invoice: InvoiceDocument;
  readonly #glyphs: Glyphs;
  readonly #scale: number;
  readonly #made: Date;
  #y: number = PAGE.margin;

  constructor(invoice: InvoiceDocument, glyphs: Glyphs, scale: number) {
    this.#invoice = invoice;
    this.#glyphs = glyphs;
    this.#scale = scale;
    this.#words = wordsIn(invoice.language);
    this.#say = invoiceTexts(this.#words);
    const made = new Date(`${invoice.issuedOn}T00:00:00Z`);
    this.#made = made;
    this.#pdf = new PDFDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      pdfVersion: "1.7",
      subset: "PDF/A-3b",
      lang: this.#words.locale,
      displayTitle: true,
      info: { Title: `${this.#title()} ${invoice.number}`, CreationDate: made, ModDate: made },
    });
    this.#attach(JSON.stringify(invoice), {
      name: `${invoice.number.replaceAll("/", "-")}.json`,
      type: "application/json",
      relationship: "Data",
    });
  }

  /** As Factur-X requires: attached to the page, with the same contents. */
  attach({ fileName, xml, description, metadata }: EInvoiceAttachment): void {
    this.#attach(xml, { name: fileName, type: "text/xml", relationship: "Alternative", description });
    this.#pdf.appendXML(metadata);
  }

  /** PDF/A-3 needs `relationship`, which PDFKit's types lack. */
  #attach(content: string, about: { name: string; type: string; relationship: string; description?: string }): void {
    this.#pdf.file(Buffer.from(content), { ...about, creationDate: this.#made, modifiedDate: this.#made });
  }

  /** Returns its lower end on the page. */
  draw(): number {
    if (this.#invoice.sandbox) this.#drawMark();
    this.#drawHead();
    this.#drawParties();
    this.#drawBooking();
    this.#drawLines();
    this.#drawEnd();
    return this.#y;
  }

  async end(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#pdf.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    this.#pdf.on("end", () => resolve(Buffer.concat(chunks)));
    this.#pdf.on("error", reject);
    this.#pdf.end();
    return await promise;
  }

  #title(): string {
    return this.#say(this.#invoice.kind === "invoice" ? "invoice" : "creditNote");
  }

  #drawMark(): void {
    const text = SANDBOX_MARK;
    this.#pdf.save().font(usualFace.bold).fontSize(38).fillColor(MARK);
    const [x, y] = [PAGE.width / 2, PAGE.height / 2];
    this.#pdf.rotate(-52, { origin: [x, y] });
    this.#pdf.text(text, x - this.#pdf.widthOfString(text) / 2, y - 19, { lineBreak: false });
    this.#pdf.restore();
  }

  #drawHead(): void {
    const { number, corrects, issuedOn, dueOn, kind, supplied } = this.#invoice;
    this.#text(this.#title(), { size: 20, weight: "bold" });
    this.#text(number, { size: 12, weight: "bold" });
    if (corrects !== null) this.#text(this.#say("corrects", { ...corrects, date: this.#date(corrects.issuedOn) }));
    this.#text(`${this.#say("issuedOn")}: ${this.#date(issuedOn)}`);
    if (supplied !== null) {
      const days = [...new Set([supplied.from, supplied.to])].map((one) => this.#date(one));
      this.#text(`${this.#say("suppliedOn")}: ${days.join(" – ")}`);
    }
    if (kind === "invoice") this.#text(`${this.#say("dueOn")}: ${this.#date(dueOn)}`);
    this.#gap(14);
  }

  #drawParties(): void {
    const { seller, buyer } = this.#invoice;
    const top = this.#y;
    const middle = PAGE.width / 2 + 8;
    const width = PAGE.width / 2 - PAGE.margin - 8;
    this.#drawParty(this.#say("seller"), seller, { x: PAGE.margin, width });
    const left = this.#y;
    this.#y = top;
    this.#drawParty(this.#say("buyer"), buyer, { x: middle, width });
    if (buyer?.reference) this.#text(this.#say("reference", { reference: buyer.reference }), { x: middle, width });
    this.#y = Math.max(left, this.#y);
    this.#gap(14);
  }

  #drawParty(label: string, party: InvoiceDocument["seller"], place: { x: number; width: number }): void {
    this.#text(label, { ...place, size: 8, color: GREY });
    if (party === null) {
      this.#text(this.#say("notGiven"), place);
      return;
    }
    this.#text(party.name, { ...place, weight: "bold" });
    for (const line of party.addressLines) this.#text(line, place);
    this.#text(countryName(party.countryCode, this.#words), place);
    if (party.taxId !== null) this.#text(this.#say("taxId", { id: party.taxId }), place);
    if (party.email !== null) this.#text(party.email, place);
  }

  #drawBooking(): void {
    const { bookingId, orderId, pnr, travelers, tickets, journey } = this.#invoice.booking;
    this.#rule();
    this.#fact(this.#say("bookingId"), [bookingId]);
    this.#fact(this.#say("orderId"), orderId === null ? [] : [orderId]);
    this.#fact(this.#say("pnr"), pnr === null ? [] : [pnr]);
    // One per line: the reading order of adjacent names in two directions is ambiguous.
    this.#fact(this.#say("travelers"), travelers);
    this.#fact(this.#say("tickets"), tickets.length === 0 ? [] : [tickets.join(", ")]);
    this.#fact(this.#say("journey"), journey);
    this.#gap(8);
  }

  #fact(label: string, values: readonly string[]): void {
    if (values.length === 0) return;
    const top = this.#y;
    this.#text(label, { color: GREY, width: 110 });
    const below = this.#y;
    this.#y = top;
    for (const value of values) this.#text(value, { x: PAGE.margin + 118, width: PAGE.width - 2 * PAGE.margin - 118 });
    this.#y = Math.max(below, this.#y) + 2 * this.#scale;
  }

  #drawLines(): void {
    const { lines, currency, total } = this.#invoice;
    this.#rule();
    for (const { kind, amount } of lines) this.#amount(this.#say(kind), this.#words.money(amount, currency), "regular");
    this.#rule();
    this.#amount(this.#say("total"), this.#words.money(total, currency), "bold");
    this.#gap(10);
  }

  #amount(label: string, amount: string, weight: Weight): void {
    const top = this.#y;
    this.#text(label, { weight, size: 10, width: 360 });
    const below = this.#y;
    this.#y = top;
    this.#text(amount, { weight, size: 10, isRight: true });
    this.#y = Math.max(below, this.#y) + 3 * this.#scale;
  }

  #drawEnd(): void {
    const { kind, tax, settlement, currency } = this.#invoice;
    const tells = this.#taxText(tax, currency);
    if (tells !== "") this.#text(tells);
    const amount = `${this.#words.money(settlement.totalUsdc, "USDC")}`;
    const moment = this.#words.moment(Temporal.Instant.from(settlement.settledAt), "UTC");
    this.#text(kind === "invoice" ? this.#say("paid", { amount, moment }) : this.#say("givenBack", { amount }));
    this.#text(this.#say("rate", settlement.rate));
    this.#text(this.#say("transaction", { chain: String(settlement.chainId), hash: settlement.txHash }), { size: 7.5 });
  }

  #taxText(tax: InvoiceDocument["tax"], currency: string): string {
    const { treatment, note, includedAmount, ratePercent } = tax;
    const own = note ?? "";
    if (treatment === "none") return own;
    if (treatment !== "included") return own || this.#say(treatment);
    const amount = this.#words.money(includedAmount ?? "0.00", currency);
    const said = [this.#say("included", { amount, rate: ratePercent ?? "0" }), this.#sellerTaxText(tax, currency), own];
    return said.filter((one) => one !== "").join(" ");
  }

  #sellerTaxText({ inSellerCurrency }: InvoiceDocument["tax"], from: string): string {
    if (inSellerCurrency === null) return "";
    const { currency, rate } = inSellerCurrency;
    const amount = this.#words.money(inSellerCurrency.amount, currency);
    const date = this.#date(rate.asOf.slice(0, 10));
    return this.#say("taxInSellerCurrency", {
      amount,
      from,
      value: rate.value,
      to: currency,
      source: rate.source,
      date,
    });
  }

  #date(text: string): string {
    return this.#words.date(Temporal.PlainDate.from(text));
  }

  #gap(points: number): void {
    this.#y += points * this.#scale;
  }

  #rule(): void {
    const y = this.#y + 2 * this.#scale;
    this.#pdf
      .moveTo(PAGE.margin, y)
      .lineTo(PAGE.width - PAGE.margin, y)
      .lineWidth(0.5)
      .strokeColor(GREY)
      .stroke();
    this.#gap(8);
  }

  /** Draws one or more lines, broken between words, each with its pieces in visual order. */
  #text(
    text: string,
    {
      x = PAGE.margin,
      width = PAGE.width - 2 * PAGE.margin,
      size = 9,
      weight = "regular",
      color = INK,
      isRight = false,
    }: { x?: number; width?: number; size?: number; weight?: Weight; color?: string; isRight?: boolean } = {},
  ): void {
    const points = size * this.#scale;
    this.#pdf.fontSize(points).fillColor(color);
    for (const line of this.#breakLines(this.#glyphs.drawable(text), { width, weight })) {
      const runs = piecesFromLeft(line).flatMap((piece) => this.#glyphs.runs(piece));
      const whole = runs.reduce((sum, run) => sum + this.#pdf.font(run.face[weight]).widthOfString(run.text), 0);
      let left = isRight ? x + width - whole : x;
      for (const run of runs) {
        // A common baseline for all faces: measured from their tops, they would differ in height.
        const options = { lineBreak: false, baseline: "alphabetic" } as const;
        this.#pdf.font(run.face[weight]).text(run.text, left, this.#y + points * ASCENT, options);
        left += this.#pdf.widthOfString(run.text);
      }
      this.#y += points * 1.35;
    }
  }

  #measureWidth(text: string, weight: Weight): number {
    const widths = this.#glyphs.runs(text).map((run) => this.#pdf.font(run.face[weight]).widthOfString(run.text));
    return widths.reduce((sum, width) => sum + width, 0);
  }

  #breakLines(text: string, column: Column): readonly string[] {
    const lines: string[] = [];
    let line = "";
    for (const word of text.split(" ").flatMap((one) => this.#breakWord(one, column))) {
      const longer = line === "" ? word : `${line} ${word}`;
      if (line !== "" && this.#measureWidth(longer, column.weight) > column.width) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    return [...lines, line];
  }

  #breakWord(word: string, { width, weight }: Column): readonly string[] {
    if (this.#measureWidth(word, weight) <= width) return [word];
    const parts: string[] = [""];
    for (const character of word) {
      const longer = `${parts.at(-1) ?? ""}${character}`;
      if (this.#measureWidth(longer, weight) > width) parts.push(character);
      else parts[parts.length - 1] = longer;
    }
    return parts;
  }
}

/** In the reader's language; an unknown code is left unchanged. */
function countryName(code: string, { locale }: Words): string {
  return new Intl.DisplayNames(locale, { type: "region", fallback: "code" }).of(code) ?? code;
}
