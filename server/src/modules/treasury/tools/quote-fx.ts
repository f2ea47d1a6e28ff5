import { z } from "zod";
import { formatDecimal, fromNumber } from "../../../domain/money.ts";
import { nearest } from "../../../domain/near-match.ts";
import { DecimalAmount, Provenance } from "../../../domain/schemas.ts";
import { defineTool } from "../context.ts";
import { convert, convertible, warnOfOldRate } from "../convert.ts";

const isPositive = (amount: number): boolean => (fromNumber(amount) ?? 0n) > 0n;

const REAL: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

export const quoteFx = defineTool({
  name: "quote_fx",
  title: "Quote an exchange rate",
  summary: "Convert an amount between currencies at reference rates. Information only: nothing is exchanged.",
  advice: "amount is a number, such as 250.5.",
  area: "treasury",
  effect: "read",
  price: 1_000n,
  payableWithoutKey: true,
  uses: ["fx", "clock"],
  input: z.strictObject({
    fromCurrency: z.string().describe("ISO 4217 code, USDC or EURC"),
    toCurrency: z.enum(["USDC", "USD", "EURC"]),
    amount: z.number().refine(isPositive, { message: "must be more than zero with at most 6 decimal places" }),
  }),
  output: Provenance.extend({
    fromCurrency: z.string(),
    toCurrency: z.string(),
    amount: DecimalAmount,
    rate: z.string().describe("Units of toCurrency per unit of fromCurrency, truncated to 8 places"),
    converted: DecimalAmount.describe("Rounded down to 6 places"),
    assumptions: z.array(z.string()).readonly().describe("Assumptions that have no source"),
    warning: z.string().optional().describe("The rate is out of date"),
  }),
  errors: {
    rate_not_available: "There is no rate for this currency. The answer lists the supported currencies.",
  },
  example: () => ({ fromCurrency: "GBP", toCurrency: "USDC" as const, amount: 250 }),

  async run({ fromCurrency, toCurrency, amount }, { fx, clock, call, fail, invalid }) {
    const from = fromCurrency.trim().toUpperCase();
    if (!/^[A-Z]{3,4}$/.test(from)) {
      throw invalid({ path: "fromCurrency", message: "must be an ISO 4217 code, USDC or EURC" });
    }
    const micro = fromNumber(amount) ?? 0n;
    const table = await fx.table(call.signal);
    const conversion = convert(table, micro, from, toCurrency);
    if (conversion === undefined) {
      const known = convertible(table);
      // Beside a currency that exists, one whose code looks alike is another one.
      const near = REAL.has(from) ? undefined : nearest(from, known);
      throw fail("rate_not_available", { extra: { currencies: known, ...(near === undefined ? {} : { near }) } });
    }
    const warning = warnOfOldRate(table.provenance.asOf, clock.now());
    return {
      ...(warning === undefined ? {} : { warning }),
      fromCurrency: from,
      toCurrency,
      amount: formatDecimal(micro),
      rate: conversion.rate,
      converted: formatDecimal(conversion.converted),
      assumptions: conversion.assumptions,
      ...table.provenance,
    };
  },
});
