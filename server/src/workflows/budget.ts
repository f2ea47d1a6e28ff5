import { type Micro, parseDecimal } from "../domain/money.ts";
import { StepFailure } from "../kernel/contracts/workflow.ts";

/** Prices, and what a trip can pay. */

/** For the result: changes and extras of a journey cannot be paid from a trip that has expired. */
export function warnOfExpiry(expiresAt: string, lastDay: string): string[] {
  const day = Temporal.Instant.from(expiresAt).toZonedDateTimeISO("UTC").toPlainDate();
  if (Temporal.PlainDate.compare(day, lastDay) >= 0) return [];
  return [
    `The trip expires on ${day.toString()}, before the journey ends (${lastDay}): changes and extras after that need another trip. Prefund trips with more expiresInDays.`,
  ];
}

/** An offer's price for the wallet. */
export const costInUsdc = ({
  totalAmount,
  totalUsdc = totalAmount,
}: {
  totalAmount: string;
  totalUsdc?: string | undefined;
}) => totalUsdc;

/** In whole cents, with a margin of `percent` for price changes. */
function upperBound(amount: string, percent: bigint): string {
  const [whole = "0", cents = ""] = amount.split(".");
  // Fractions of a cent are rounded up.
  const started = /[1-9]/.test(cents.slice(2)) ? 1n : 0n;
  const inCents = BigInt(whole) * 100n + BigInt(cents.padEnd(2, "0").slice(0, 2)) + started;
  const bound = (inCents * (100n + percent) + 99n) / 100n;
  return `${bound / 100n}.${(bound % 100n).toString().padStart(2, "0")}`;
}

/** The margin of the reservation for price changes before another candidate replaces one that is gone. */
const ROOM_PERCENT = 5n;
/** With a margin for price changes, as far as the trip allows. */
export function reservationBound(price: string, freeUsdc: string | undefined): string {
  const bound = upperBound(price, ROOM_PERCENT);
  if (freeUsdc === undefined) return bound;
  const free = micro(freeUsdc);
  if (free < micro(price)) throw lacksBudget(freeUsdc, price);
  return free < micro(bound) ? freeUsdc : bound;
}

const lacksBudget = (freeUsdc: string, price: string, offer = "the chosen offer") =>
  new StepFailure(
    "insufficient_budget",
    `The trip has ${freeUsdc} USDC free, but ${offer} costs ${price} USDC. Nothing was reserved. Prefund a trip with more, or look for something cheaper.`,
  );

/** The offers that can be paid. Throws if the trip's budget is too small for all of them, before anybody is asked about one. */
export function payable<Priced>(
  found: readonly Priced[],
  price: (one: Priced) => string,
  { bound, most }: { bound: string | undefined; most: string | undefined },
): readonly Priced[] {
  if (most === undefined) return found;
  const within = found.filter((one) => micro(price(one)) <= micro(most));
  const cheapest = found.map(price).toSorted((one, other) => Number(micro(one) - micro(other)))[0];
  if (within.length === 0 && bound === undefined && cheapest !== undefined) {
    throw lacksBudget(most, cheapest, "the cheapest offer");
  }
  return within;
}

export const micro = (amount: string): Micro => parseDecimal(amount) ?? 0n;
