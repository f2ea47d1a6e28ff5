import type { Random } from "./random.ts";

const listDigits = (text: string): number[] => [...text].map(Number);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** VAT numbers with right check digits. */
export const taxIds = {
  DE(random: Random): string {
    const body = `${random.between(1, 9)}${random.digits(7)}`;
    let product = 10;
    for (const digit of listDigits(body)) product = (((digit + product) % 10 || 10) * 2) % 11;
    return `DE${body}${(11 - product) % 10}`;
  },
  FR(random: Random): string {
    const body = `${random.between(3, 8)}${random.digits(7)}`;
    // Luhn, counted from the right with the check digit still to come.
    const doubled = listDigits(body).map((digit, index) =>
      index % 2 === 1 ? sum(listDigits(String(digit * 2))) : digit,
    );
    const siren = `${body}${(10 - (sum(doubled) % 10)) % 10}`;
    return `FR${String((12 + 3 * (Number(siren) % 97)) % 97).padStart(2, "0")}${siren}`;
  },
  GB(random: Random): string {
    const body = `${random.between(1, 9)}${random.digits(6)}`;
    const weighted = sum(listDigits(body).map((digit, index) => digit * (8 - index)));
    return `GB${body}${String(97 - (weighted % 97)).padStart(2, "0")}`;
  },
  PT(random: Random): string {
    const body = `5${random.digits(7)}`;
    const check = 11 - (sum(listDigits(body).map((digit, index) => digit * (9 - index))) % 11);
    return `${body}${check > 9 ? 0 : check}`;
  },
  JP(random: Random): string {
    const body = `${random.between(1, 9)}${random.digits(11)}`;
    const weighted = sum(listDigits(body).map((digit, index) => digit * (index % 2 === 0 ? 2 : 1)));
    return `T${9 - (weighted % 9)}${body}`;
  },
} as const;
