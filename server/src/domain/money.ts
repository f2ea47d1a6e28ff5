/** Money is integers: micro-units (a millionth of a dollar or USDC) inside, decimal strings at the edges. */
export type Micro = bigint;

const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]{1,6}))?$/;

export const MICRO_PER_UNIT = 1_000_000n;

/**
 * Reads "12.34" as 12340000 micro-units. Undefined for anything else: signs, exponents, spaces, leading zeros, a seventh
 * decimal.
 */
export function parseDecimal(text: string): Micro | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = "0", fraction = ""] = match;
  return BigInt(whole) * MICRO_PER_UNIT + BigInt(fraction.padEnd(6, "0"));
}

/**
 * A number by its shortest decimal form, as a caller typed it. Undefined if that form has an exponent, a sign or a seventh
 * decimal.
 */
export function fromNumber(value: number): Micro | undefined {
  return parseDecimal(String(value));
}

/** Writes micro-units with at least `minimumPlaces` decimals and no more than needed: 12340000 → "12.34". */
export function formatDecimal(amount: Micro, minimumPlaces = 2): string {
  const sign = amount < 0n ? "-" : "";
  const absolute = amount < 0n ? -amount : amount;
  const fraction = (absolute % MICRO_PER_UNIT).toString().padStart(6, "0");
  let places = 6;
  while (places > minimumPlaces && fraction[places - 1] === "0") places -= 1;
  const tail = places === 0 ? "" : `.${fraction.slice(0, places)}`;
  return `${sign}${absolute / MICRO_PER_UNIT}${tail}`;
}

/** List price after a plan's discount, rounded down to the micro-unit. */
export function discounted(listPrice: Micro, discountPercent: number): Micro {
  return (listPrice * BigInt(100 - discountPercent)) / 100n;
}
