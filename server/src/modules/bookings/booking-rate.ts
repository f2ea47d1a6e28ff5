import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { formatDecimal, type Micro, parseDecimal } from "../../domain/money.ts";
import { Provenance } from "../../domain/schemas.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FxRates, RateTable } from "../../ports/fx.ts";
import type { Environment } from "../../ports/identity.ts";
import { isRateStale, warnOfOldRate } from "../treasury/index.ts";

/** The USDC value of one unit of a currency. It is recorded with the booking, and every later amount of the order uses it. */
export const BookingRate = z.object({
  from: z.string(),
  to: z.string(),
  value: z.string().describe("USDC per unit of the currency, including the margin"),
  source: z.string(),
  sourceLevel: Provenance.shape.sourceLevel.default("embedded"),
  asOf: z.string().nullable().default(null).describe("null: always one to one"),
  marginBps: z.number().default(0).describe("The service's margin on the source's rate, in hundredths of a percent"),
  warning: z.string().exactOptional().describe("Present if the rate was out of date when it was applied"),
});
export type BookingRate = z.output<typeof BookingRate>;

const DOLLAR = "USD";

/** One dollar is one USDC. */
export const BOOKING_RATE: BookingRate = {
  from: DOLLAR,
  to: "USDC",
  value: "1",
  source: "embedded",
  sourceLevel: "embedded",
  asOf: null,
  marginBps: 0,
};

/** The stored rate; older bookings have none and were in dollars. */
export function toRate(stored: unknown): BookingRate {
  return stored === null || stored === undefined ? BOOKING_RATE : BookingRate.parse(stored);
}

const RATE_PLACES = 12;
const RATE_UNIT = 10n ** BigInt(RATE_PLACES);
const BASIS_POINTS = 10_000n;

interface Price {
  totalAmount: string;
  totalCurrency: string;
}

/**
 * The only conversion of other currencies to USDC. It rounds down to the micro-unit in both directions, so a refund of
 * an amount equals its charge, and the parts never add up to more. Undefined if it is no amount, or the rate is for
 * another currency.
 */
export function inUsdc(amount: string, currency: string, rate: BookingRate): Micro | undefined {
  const micro = currency === rate.from ? parseDecimal(amount) : undefined;
  return micro === undefined ? undefined : (micro * scaled(rate.value)) / RATE_UNIT;
}

/** The amount in the rate's currency that this much USDC is worth, rounded to the micro-unit. */
export function fromUsdc(usdc: Micro, { value }: Pick<BookingRate, "value">): Micro {
  const rate = scaled(value);
  const half = usdc < 0n ? -rate / 2n : rate / 2n;
  return (usdc * RATE_UNIT + half) / rate;
}

/**
 * The USDC value of `total` if it was charged and refunded in these parts (refunds are negative): the sum of their
 * conversions. A remainder is converted by itself.
 */
export function partsInUsdc(
  { totalAmount, totalCurrency }: Price,
  parts: readonly string[],
  rate: BookingRate,
): Micro | undefined {
  let rest = totalCurrency === rate.from ? parseDecimal(totalAmount) : undefined;
  let sum = 0n;
  for (const part of parts) {
    const isBack = part.startsWith("-");
    const micro = parseDecimal(isBack ? part.slice(1) : part) ?? 0n;
    const converted = (micro * scaled(rate.value)) / RATE_UNIT;
    sum += isBack ? -converted : converted;
    if (rest !== undefined) rest -= isBack ? -micro : micro;
  }
  // Bigint division rounds towards zero, so a negative remainder is rounded like the parts.
  return rest === undefined ? undefined : sum + (rest * scaled(rate.value)) / RATE_UNIT;
}

/** The USDC value of an amount in another currency than dollars, for display; empty without a rate. */
export function shownInUsdc({ totalAmount, totalCurrency }: Price, rates: SaleRates): { totalUsdc?: string } {
  const rate = totalCurrency === DOLLAR ? undefined : rates.get(totalCurrency);
  const micro = rate === undefined ? undefined : inUsdc(totalAmount, totalCurrency, rate);
  return micro === undefined ? {} : { totalUsdc: formatDecimal(micro) };
}

/** The sale rate of a currency by a table: the table's rate and the margin. Undefined if the table lacks the currency. */
export function rateBy(
  { perEuro, provenance }: RateTable,
  currency: string,
  marginBps: number,
): BookingRate | undefined {
  if (currency === DOLLAR) return BOOKING_RATE;
  const [dollars, units] = [perEuro.get(DOLLAR), perEuro.get(currency)];
  if (dollars === undefined || units === undefined) return undefined;
  const numerator = dollars * (BASIS_POINTS + BigInt(marginBps)) * RATE_UNIT;
  const value = written(numerator / (units * BASIS_POINTS));
  const { source, sourceLevel, asOf } = provenance;
  return { from: currency, to: "USDC", value, source, sourceLevel, asOf, marginBps };
}

function scaled(value: string): bigint {
  const [whole = "0", places = ""] = value.split(".");
  return BigInt(whole) * RATE_UNIT + BigInt(places.padEnd(RATE_PLACES, "0"));
}

function written(rate: bigint): string {
  const places = (rate % RATE_UNIT).toString().padStart(RATE_PLACES, "0").replace(/0+$/, "");
  return places === "" ? `${rate / RATE_UNIT}` : `${rate / RATE_UNIT}.${places}`;
}

export interface RatePorts {
  fx: FxRates;
  clock: Clock;
}

/** By currency; currencies that cannot be sold are missing. */
export type SaleRates = ReadonlyMap<string, BookingRate>;

/** The current sale rates, for display. */
export async function saleRates(
  ports: RatePorts,
  environment: Environment,
  currencies: Iterable<string>,
): Promise<SaleRates> {
  const rates = new Map<string, BookingRate>();
  for (const currency of new Set(currencies)) {
    const found = await findRate(ports, environment, currency);
    if (typeof found !== "string") rates.set(currency, found);
  }
  return rates;
}

/** The rate of a new booking. `seen` is the rate at which the tenant saw the offer, which applies until it is too old. Throws a Failure. */
export async function requireRate(
  ports: RatePorts,
  environment: Environment,
  currency: string,
  seen: BookingRate | undefined,
): Promise<BookingRate> {
  if (seen?.from === currency && !isStale(ports, environment, seen)) return withWarning(seen, ports);
  const found = await findRate(ports, environment, currency);
  if (typeof found !== "string") return found;
  const extra = { currency };
  if (found === "missing") {
    throw new Failure("rate_not_available", {
      detail: `There is no exchange rate for ${currency}, so it cannot be paid in USDC. Choose an offer in another currency.`,
      extra,
    });
  }
  throw new Failure("rate_stale", {
    detail: `The newest exchange rate for ${currency} is too old for this service to sell at. Choose an offer in USD, or try again later.`,
    extra,
  });
}

async function findRate(
  ports: RatePorts,
  environment: Environment,
  currency: string,
): Promise<BookingRate | "missing" | "stale"> {
  if (currency === DOLLAR) return BOOKING_RATE;
  // Shared by all waiting callers, so no single caller can abort it.
  const { fx } = ports;
  const rate = rateBy(await fx.table(new AbortController().signal), currency, fx.terms.marginBps);
  if (rate === undefined) return "missing";
  return isStale(ports, environment, rate) ? "stale" : withWarning(rate, ports);
}

function withWarning(rate: BookingRate, { clock }: Pick<RatePorts, "clock">): BookingRate {
  const warning = rate.asOf === null ? undefined : warnOfOldRate(rate.asOf, clock.now());
  return warning === undefined ? rate : { ...rate, warning };
}

function isStale({ fx, clock }: RatePorts, environment: Environment, { asOf, sourceLevel }: BookingRate): boolean {
  return asOf !== null && isRateStale({ asOf, sourceLevel }, fx.terms, environment, clock.now());
}
