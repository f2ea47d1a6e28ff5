import type { Micro } from "../../domain/money.ts";
import type { RateTable } from "../../ports/fx.ts";

/** A stablecoin counts as its currency, which is declared as an assumption. */
const currencyByToken: Readonly<Record<string, string>> = { USDC: "USD", EURC: "EUR" };

const RATE_PLACES = 8n;

export interface Conversion {
  converted: Micro;
  /** Units of the target for one unit of the source, truncated after 8 places. */
  rate: string;
  /** Assumptions without a source. */
  assumptions: readonly string[];
}

/** Undefined: the table lacks a rate for one of the two. Rounded down to the micro-unit. */
export function convert(table: RateTable, amount: Micro, from: string, to: string): Conversion | undefined {
  const [fromRate, toRate] = [from, to].map((code) => table.perEuro.get(currencyByToken[code] ?? code));
  if (fromRate === undefined || toRate === undefined) return undefined;
  const assumptions = [...new Set([from, to])]
    .filter((code) => currencyByToken[code] !== undefined)
    .map((code) => `1 ${code} = 1 ${currencyByToken[code]}`);
  return { converted: (amount * toRate) / fromRate, rate: ratio(toRate, fromRate), assumptions };
}

function ratio(numerator: bigint, denominator: bigint): string {
  const scaled = ((numerator * 10n ** RATE_PLACES) / denominator).toString().padStart(Number(RATE_PLACES) + 1, "0");
  const whole = scaled.slice(0, -Number(RATE_PLACES));
  const fraction = scaled.slice(-Number(RATE_PLACES)).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Every code that a table can convert from. */
export function convertible(table: RateTable): readonly string[] {
  return [...Object.keys(currencyByToken), ...table.perEuro.keys()].toSorted();
}
