import { hideCardNumbers } from "../../domain/card-numbers.ts";

const HIDDEN = "***";
const LONG = 9;
const SHORT = 6;

/** Enough to tell two documents of one person apart, and of a short number nothing. */
export function maskDocumentNumber(number: string): string {
  if (number.length >= LONG) return HIDDEN + number.slice(-4);
  return number.length >= SHORT ? HIDDEN + number.slice(-2) : HIDDEN;
}

const FEWEST_LETTERS = 4;
const MOST_LETTERS = 40;

/** What hides the number of a document, and numbers of payment cards, wherever a text has them, also in groups. */
export function hidingOf(documentNumber: string | undefined): (text: string) => string {
  const letters = Array.from((documentNumber ?? "").replaceAll(/[^A-Za-z0-9]/g, "").slice(0, MOST_LETTERS));
  if (documentNumber === undefined || letters.length < FEWEST_LETTERS) return hideCardNumbers;
  const pattern = new RegExp(letters.join("[ .<-]?"), "gi");
  const shown = maskDocumentNumber(documentNumber);
  return (text) => hideCardNumbers(text.replaceAll(pattern, shown));
}
