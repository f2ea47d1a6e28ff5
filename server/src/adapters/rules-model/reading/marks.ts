/** A meaning that some words of a message have. */
export interface Mark {
  readonly kind: string;
  /** The code of a place, airline, currency or cabin, or what is said after a kind in the lists of words. */
  readonly value: string;
  /** A count, a minute of the day, or a number of a day, month or weekday; NaN if the kind has none. */
  readonly number: number;
  /** As it was written. */
  readonly raw: string;
  /** Without capitals and accents. */
  readonly folded: string;
  readonly isAdjacent: boolean;
  readonly start: number;
  readonly end: number;
  readonly country?: string;
  readonly date?: { readonly year: number | undefined; readonly month: number; readonly day: number };
}

const PLAIN = /^[ -~]*$/;

export function fold(text: string): string {
  // Most texts have no letter with a mark.
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.toLowerCase().replaceAll("ß", "ss").replaceAll("’", "'").normalize("NFD").replaceAll(/\p{M}/gu, "");
}
