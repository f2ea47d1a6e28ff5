import { parseDecimal } from "../../domain/money.ts";
import { wordsIn } from "../../domain/texts.ts";
import { feeKinds, type InvoiceDocument, invoiceTexts, smallestCents, taxWithin } from "../invoices/index.ts";

/** The categories of EN 16931: standard rate, zero rate, exempt, reverse charge, outside the scope of tax. */
type Category = "S" | "Z" | "E" | "AE" | "O";

interface Tax {
  readonly category: Category;
  /** A percentage. Undefined outside the scope of tax. */
  readonly rate: string | undefined;
  /** Codes of the list VATEX. */
  readonly reasonCode: string | undefined;
  readonly reason: string | undefined;
}

interface TaxedLine {
  readonly kind: InvoiceDocument["lines"][number]["kind"];
  readonly tax: Tax;
  /** Without tax. */
  readonly netCents: bigint;
}

interface TaxGroup {
  readonly tax: Tax;
  readonly netCents: bigint;
  readonly taxCents: bigint;
}

interface TaxBreakdown {
  readonly lines: readonly TaxedLine[];
  readonly groups: readonly TaxGroup[];
  readonly netCents: bigint;
  readonly taxCents: bigint;
}

const MICRO_PER_CENT = 10_000n;

/** An amount in whole cents, possibly negative. */
export const toCents = (amount: string): bigint =>
  amount.startsWith("-") ? -toCents(amount.slice(1)) : (parseDecimal(amount) ?? 0n) / MICRO_PER_CENT;

/** Divides an invoice by tax. The tax equals the invoice's, to the cent. */
export function breakDownTax(invoice: InvoiceDocument): TaxBreakdown {
  const { fees, others } = splitTaxes(invoice);
  const rate = parseDecimal(invoice.tax.ratePercent ?? "0") ?? 0n;
  const smallest = smallestCents(invoice.currency);
  let [feeCents, feeTaxCents] = [0n, 0n];
  const lines = invoice.lines.map(({ kind, amount }): TaxedLine => {
    const cents = toCents(amount);
    if (!feeKinds.has(kind)) return { kind, tax: others, netCents: cents };
    // The tax of all fees up to here, less that of the previous ones, so that the parts sum to the whole tax.
    feeCents += cents;
    const taxCents = taxWithin(feeCents, rate, smallest) - feeTaxCents;
    feeTaxCents += taxCents;
    return { kind, tax: fees, netCents: cents - taxCents };
  });
  const groups = [...new Set(lines.map(({ tax }) => tax))].map((tax) => ({
    tax,
    netCents: sum(lines.filter((line) => line.tax === tax).map(({ netCents }) => netCents)),
    taxCents: tax === fees ? feeTaxCents : 0n,
  }));
  return { lines, groups, netCents: sum(groups.map((one) => one.netCents)), taxCents: feeTaxCents };
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);

function splitTaxes({ tax, language }: InvoiceDocument): { fees: Tax; others: Tax } {
  const { treatment, ratePercent, note } = tax;
  const say = invoiceTexts(wordsIn(language));
  const all = (one: Tax) => ({ fees: one, others: one });
  switch (treatment) {
    case "included": {
      const category = (parseDecimal(ratePercent ?? "0") ?? 0n) === 0n ? "Z" : "S";
      const fees: Tax = { category, rate: ratePercent ?? "0", reasonCode: undefined, reason: undefined };
      return { fees, others: untaxed("E", "VATEX-EU-79-C", say("disbursement")) };
    }
    case "exempt":
      return all(untaxed("E", undefined, note ?? say("exempt")));
    case "margin_scheme":
      return all(untaxed("E", "VATEX-EU-D", note ?? say("margin_scheme")));
    case "reverse_charge":
      return all(untaxed("AE", "VATEX-EU-AE", note ?? say("reverse_charge")));
    case "none":
      return all({ category: "O", rate: undefined, reasonCode: "VATEX-EU-O", reason: note ?? undefined });
    default:
      return treatment satisfies never;
  }
}

const untaxed = (category: Category, reasonCode: string | undefined, reason: string): Tax => ({
  category,
  rate: "0",
  reasonCode,
  reason,
});
