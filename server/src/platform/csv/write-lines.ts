/** Lines of CSV by RFC 4180, in UTF-8. */
export function writeLines(lines: readonly (readonly (string | null)[])[]): Uint8Array {
  return Buffer.from(lines.map((line) => `${line.map((text) => quote(text ?? "")).join(",")}\r\n`).join(""));
}

/** Spreadsheets take a text that begins with one of these characters for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const AMOUNT = /^-?\d+(?:\.\d+)?$/;

function quote(text: string): string {
  const safe = FORMULA.test(text) && !AMOUNT.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
