/** Payment card numbers do not belong in free text; a probable one is refused or redacted, wherever text comes in. */

/** 13 to 19 digits, possibly in groups. */
const CANDIDATE = /\d(?:[ -]?\d){12,18}/g;

export function containsCardNumber(text: string): boolean {
  for (const [candidate] of text.matchAll(CANDIDATE)) {
    if (passesLuhn(candidate.replace(/[ -]/g, ""))) return true;
  }
  return false;
}

/** Ticket numbers and product codes have 13 digits; cards no longer do. */
const LEAST_HIDDEN = 14;

/** Hides all but the last four digits of a probable card number. */
export function hideCardNumbers(text: string): string {
  return text.replaceAll(CANDIDATE, (candidate) => {
    const digits = candidate.replace(/[ -]/g, "");
    return digits.length >= LEAST_HIDDEN && passesLuhn(digits) ? `***${digits.slice(-4)}` : candidate;
  });
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - place));
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
