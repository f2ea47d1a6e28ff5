import type { Micro } from "../../domain/money.ts";
import type { Provenance } from "../../domain/schemas.ts";
import type { FxRates, RateTable } from "../../ports/fx.ts";
import type { Environment } from "../../ports/identity.ts";

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

/** Whether nothing new is sold at a rate of this day any more. */
export function isRateStale(
  { asOf, sourceLevel }: Pick<Provenance, "asOf" | "sourceLevel">,
  { mostAgeHours }: Pick<FxRates["terms"], "mostAgeHours">,
  environment: Environment,
  now: Temporal.Instant,
): boolean {
  // The sandbox works without a source of rates; the rate names its day.
  if (sourceLevel === "embedded" && environment === "sandbox") return false;
  return isOlder(asOf, mostAgeHours, now);
}

/** Rates are published on every working day; a few public holidays in a row are no exception yet. */
const USUAL_HOURS = 72;

/** Undefined: the rate is as new as one can expect. */
export function warnOfOldRate(asOf: string, now: Temporal.Instant): string | undefined {
  if (!isOlder(asOf, USUAL_HOURS, now)) return undefined;
  return `The rate is from ${asOf.slice(0, 10)} and out of date: reference rates are published every working day.`;
}

/** Whether more than `hours` have passed since the day ended. Weekends do not count, as no rates are published then. */
function isOlder(asOf: string, hours: number, now: Temporal.Instant): boolean {
  let passed = 0;
  let day = Temporal.PlainDate.from(asOf.slice(0, 10)).add({ days: 1 });
  const today = now.toZonedDateTimeISO("UTC");
  for (; Temporal.PlainDate.compare(day, today.toPlainDate()) <= 0 && passed <= hours; day = day.add({ days: 1 })) {
    if (day.dayOfWeek > 5) continue;
    const isToday = day.equals(today.toPlainDate());
    passed += isToday ? today.toPlainDateTime().since(day.toPlainDateTime()).total("hours") : 24;
  }
  return passed > hours;
}
