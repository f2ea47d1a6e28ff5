/** Amounts are whole micro-units (millionths) inside and decimal strings with two places on the wire. */
const MICRO_PER_CENT = 10_000n;
const MICRO = 1_000_000n;

export function formatMoney(micro: bigint): string {
  const sign = micro < 0n ? "-" : "";
  const cents = (micro < 0n ? -micro : micro) / MICRO_PER_CENT;
  return `${sign}${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`;
}

/** Undefined when the text is no decimal amount of at most six places. */
export function parseMoney(text: string): bigint | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?$/u.exec(text);
  if (match === null) return undefined;
  return BigInt(match[1] ?? "0") * MICRO + BigInt((match[2] ?? "").padEnd(6, "0"));
}

/** Rounded to the cent, half up. */
export function toCents(micro: bigint): bigint {
  return ((micro + MICRO_PER_CENT / 2n) / MICRO_PER_CENT) * MICRO_PER_CENT;
}

/** Rounded to the whole unit, half up. */
export function toUnits(micro: bigint): bigint {
  return ((micro + MICRO / 2n) / MICRO) * MICRO;
}

export function applyPermille(micro: bigint, permille: number): bigint {
  return (micro * BigInt(Math.round(permille))) / 1000n;
}

export function wholeUnits(units: number): bigint {
  return BigInt(Math.round(units)) * MICRO;
}
