import { formatDecimal, type Micro, parseDecimal } from "../../../domain/money.ts";
import { type Words, wordsIn } from "../../../domain/texts.ts";
import { drawPage, GREY, type Paper } from "../../../platform/paper/paper.ts";
import type { InvoiceDocument } from "../document.ts";
import type { DrawnInvoice } from "../invoices.ts";
import { invoiceTexts, SANDBOX_MARK } from "../texts.ts";
import type { ToDraw } from "./invoice-renderer.ts";

type Say = ReturnType<typeof invoiceTexts>;

/** Draws the document, with itself attached as JSON. */
export async function drawInvoice({ invoice, attachment }: ToDraw): Promise<DrawnInvoice> {
  const words = wordsIn(invoice.language);
  const say = invoiceTexts(words);
  const title = say(invoice.kind === "credit_note" ? "creditNote" : invoice.kind);
  const made = new Date(`${invoice.issuedOn}T00:00:00Z`);
  return await drawPage({ title: `${title} ${invoice.number}`, locale: words.locale, made }, (paper) => {
    paper.attach(JSON.stringify(invoice), {
      name: `${invoice.number.replaceAll("/", "-")}.json`,
      type: "application/json",
      relationship: "Data",
    });
    if (attachment !== undefined) {
      // As Factur-X requires: attached to the page, with the same contents.
      const { fileName: name, xml, description, metadata } = attachment;
      paper.attach(xml, { name, type: "text/xml", relationship: "Alternative", description });
      paper.appendMetadata(metadata);
    }
    new InvoicePage(invoice, paper, { words, say }).draw(title);
  });
}

class InvoicePage {
  readonly #paper: Paper;
  readonly #words: Words;
  readonly #say: Say;
  readonly #invoice: InvoiceDocument;

  constructor(invoice: InvoiceDocument, paper: Paper, { words, say }: { words: Words; say: Say }) {
    this.#invoice = invoice;
    this.#paper = paper;
    this.#words = words;
    this.#say = say;
  }

  draw(title: string): void {
    if (this.#invoice.sandbox) this.#paper.mark(SANDBOX_MARK);
    this.#drawHead(title);
    this.#drawParties();
    this.#drawBooking();
    this.#drawLines();
    this.#drawEnd();
  }

  #drawHead(title: string): void {
    const { number, corrects, issuedOn, dueOn, kind, supplied } = this.#invoice;
    this.#paper.text(title, { size: 20, weight: "bold" });
    this.#paper.text(number, { size: 12, weight: "bold" });
    if (corrects !== null)
      this.#paper.text(
        this.#say(corrects.kind === "receipt" ? "correctsReceipt" : "corrects", {
          ...corrects,
          date: this.#date(corrects.issuedOn),
        }),
      );
    this.#paper.text(`${this.#say("issuedOn")}: ${this.#date(issuedOn)}`);
    if (supplied !== null) {
      const days = [...new Set([supplied.from, supplied.to])].map((one) => this.#date(one));
      this.#paper.text(`${this.#say("suppliedOn")}: ${days.join(" – ")}`);
    }
    if (kind === "invoice") this.#paper.text(`${this.#say("dueOn")}: ${this.#date(dueOn)}`);
    this.#paper.gap(14);
  }

  #drawParties(): void {
    const { seller, buyer } = this.#invoice;
    this.#paper.columns(
      (place) => this.#drawParty(this.#say("seller"), seller, place),
      (place) => {
        this.#drawParty(this.#say("buyer"), buyer, place);
        if (buyer?.reference) this.#paper.text(this.#say("reference", { reference: buyer.reference }), place);
      },
    );
    this.#paper.gap(14);
  }

  #drawParty(label: string, party: InvoiceDocument["seller"], place: { x: number; width: number }): void {
    this.#paper.text(label, { ...place, size: 8, color: GREY });
    if (party === null) {
      this.#paper.text(this.#say("notGiven"), place);
      return;
    }
    this.#paper.text(party.name, { ...place, weight: "bold" });
    for (const line of party.addressLines) this.#paper.text(line, place);
    if (party.countryCode !== "") this.#paper.text(countryName(party.countryCode, this.#words), place);
    if (party.taxId !== null) this.#paper.text(this.#say("taxId", { id: party.taxId }), place);
    if (party.email !== null) this.#paper.text(party.email, place);
  }

  #drawBooking(): void {
    const { bookingId, orderedBy, orderId, pnr, travelers, tickets, journey } = this.#invoice.booking;
    this.#paper.rule();
    this.#paper.fact(this.#say("bookingId"), [bookingId]);
    this.#paper.fact(this.#say("orderedBy"), orderedBy === null ? [] : [orderedBy]);
    this.#paper.fact(this.#say("orderId"), orderId === null ? [] : [orderId]);
    this.#paper.fact(this.#say("pnr"), pnr === null ? [] : [pnr]);
    this.#paper.fact(this.#say("travelers"), travelers);
    this.#paper.fact(this.#say("tickets"), tickets.length === 0 ? [] : [tickets.join(", ")]);
    this.#paper.fact(this.#say("journey"), journey);
    this.#paper.gap(8);
  }

  #drawLines(): void {
    const { lines, currency, total } = this.#invoice;
    this.#paper.rule();
    for (const { kind, amount } of lines)
      this.#paper.amount(this.#say(kind), this.#words.money(amount, currency), "regular");
    this.#paper.rule();
    this.#paper.amount(this.#say("total"), this.#words.money(total, currency), "bold");
    this.#paper.gap(10);
  }

  #drawEnd(): void {
    const { kind, tax, settlement, currency, changes } = this.#invoice;
    const tells = this.#taxText(tax, currency);
    if (tells !== "") this.#paper.text(tells);
    const parse = (text: string) => parseDecimal(text) ?? 0n;
    const total = parse(settlement.totalUsdc);
    const before = total - changes.reduce((sum, { totalUsdc }) => sum + parse(totalUsdc), 0n);
    // A further receipt is of changes alone.
    const isOfChanges = kind === "receipt" && before === 0n;
    const amount = this.#usdc(isOfChanges || kind === "credit_note" ? total : before);
    const moment = this.#moment(settlement.settledAt);
    if (kind === "credit_note") this.#paper.text(this.#say("givenBack", { amount }));
    else this.#paper.text(this.#say(kind === "invoice" ? "paid" : "paidFromWallet", { amount, moment }));
    for (const { totalUsdc, paidAt, txHash: hash } of isOfChanges && changes.length === 1 ? [] : changes) {
      const paid = { amount: this.#usdc(parse(totalUsdc)), moment: this.#moment(paidAt), hash };
      this.#paper.text(this.#say("paidForChange", paid), { size: 7.5 });
    }
    this.#paper.text(this.#say("rate", settlement.rate));
    this.#paper.text(this.#say("transaction", { chain: String(settlement.chainId), hash: settlement.txHash }), {
      size: 7.5,
    });
  }

  #usdc(amount: Micro): string {
    return this.#words.money(formatDecimal(amount), "USDC");
  }

  #moment(text: string): string {
    return this.#words.moment(Temporal.Instant.from(text), "UTC");
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
}

/** In the reader's language; an unknown code is left unchanged. */
function countryName(code: string, { locale }: Words): string {
  return new Intl.DisplayNames(locale, { type: "region", fallback: "code" }).of(code) ?? code;
}
