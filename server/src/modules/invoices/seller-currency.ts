import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { formatDecimal, MICRO_PER_UNIT } from "../../domain/money.ts";
import { DecimalAmount } from "../../domain/schemas.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FxRates, RateTable } from "../../ports/fx.ts";
import type { Environment } from "../../ports/identity.ts";
import { isRateStale } from "../treasury/index.ts";
import { countPlaces, formatCents, smallestCents } from "./amounts.ts";
import type { InvoicingSettings } from "./settings.ts";

/** The tax again, in the currency of the seller's country. */
export const SellerTax = z.object({
  currency: z.string(),
  amount: DecimalAmount,
  /** Units of this currency for one unit of the invoice's. */
  rate: z.object({ value: z.string(), source: z.string(), asOf: z.string() }),
});
type SellerTax = z.output<typeof SellerTax>;

/**
 * Countries whose law asks for the tax in their own currency: the member states of the European Union (Directive 2006/112/EC,
 * Article 230, at a rate of Article 91), the United Kingdom (VAT Regulations 1995, regulation 14) and Norway
 * (bokføringsforskriften § 5-1-1).
 */
const CURRENCIES = new Map([
  ...["AT", "BE", "BG", "CY", "DE", "EE", "ES", "FI", "FR", "GR", "HR", "IE", "IT"].map((one) => [one, "EUR"] as const),
  ...["LT", "LU", "LV", "MC", "MT", "NL", "PT", "SI", "SK"].map((one) => [one, "EUR"] as const),
  ["CZ", "CZK"],
  ["DK", "DKK"],
  ["GB", "GBP"],
  ["HU", "HUF"],
  ["IM", "GBP"],
  ["NO", "NOK"],
  ["PL", "PLN"],
  ["RO", "RON"],
  ["SE", "SEK"],
]);

/** Undefined: an invoice in this currency shows its tax in that currency alone. */
function chooseCurrency(settings: InvoicingSettings | undefined, invoiceCurrency: string): string | undefined {
  if (settings?.tax.treatment !== "included") return undefined;
  const currency = CURRENCIES.get(settings.seller.countryCode);
  return currency === invoiceCurrency ? undefined : currency;
}

export const taxRateErrors = {
  rate_not_available:
    "The law of the seller's country requires the tax in its own currency, and there is no exchange rate for it. Nothing was issued.",
  rate_stale:
    "The law of the seller's country requires the tax in its own currency, and the newest exchange rates are out of date. Nothing was issued; call again later.",
} as const;

/**
 * The rates for the tax in the seller's currency; undefined where no such tax is shown. Throws `rate_not_available` or
 * `rate_stale`.
 */
export async function readTaxRates(
  { fx, clock }: { fx: FxRates; clock: Clock },
  environment: Environment,
  settings: InvoicingSettings | undefined,
  invoiceCurrency: string,
): Promise<RateTable | undefined> {
  const currency = chooseCurrency(settings, invoiceCurrency);
  if (currency === undefined) return undefined;
  // Shared by all waiting callers, so no single caller can abort it.
  const table = await fx.table(new AbortController().signal);
  const refuse = (code: keyof typeof taxRateErrors) => new Failure(code, { detail: taxRateErrors[code] });
  if (!table.perEuro.has(currency) || !table.perEuro.has(invoiceCurrency)) throw refuse("rate_not_available");
  if (isRateStale(table.provenance, fx.terms, environment, clock.now())) throw refuse("rate_stale");
  return table;
}

/** `taxCents`: the tax in hundredths of the invoice's currency. */
export function convertTax(
  taxCents: bigint,
  { perEuro, provenance }: RateTable,
  settings: InvoicingSettings | undefined,
  invoiceCurrency: string,
): SellerTax | null {
  const currency = chooseCurrency(settings, invoiceCurrency);
  const [to, from] = [perEuro.get(currency ?? ""), perEuro.get(invoiceCurrency)];
  if (currency === undefined || to === undefined || from === undefined) return null;
  const smallest = smallestCents(currency);
  const cents = divideRounded(taxCents * to, from * smallest) * smallest;
  const { source, asOf } = provenance;
  return {
    currency,
    amount: formatCents(cents, countPlaces(currency)),
    rate: { value: formatDecimal(divideRounded(to * MICRO_PER_UNIT, from)), source, asOf },
  };
}

const divideRounded = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);
