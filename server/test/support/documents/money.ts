/** Amounts in the smallest unit of a currency. */
export interface MoneyStyle {
  digits: 0 | 2;
  decimal: string;
  group: string;
}

export function formatAmount(amount: bigint, { digits }: { digits: 0 | 2 }): string {
  const text = String(amount < 0n ? -amount : amount).padStart(digits + 1, "0");
  const sign = amount < 0n ? "-" : "";
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** As people of the country write it, without the currency. */
export function printAmount(amount: bigint, style: MoneyStyle): string {
  const [whole = "", fraction] = formatAmount(amount, style).split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, style.group);
  return fraction === undefined ? grouped : `${grouped}${style.decimal}${fraction}`;
}

/** Rounded half up; both are positive. */
export const divide = (amount: bigint, by: bigint): bigint => (amount * 2n + by) / (by * 2n);
