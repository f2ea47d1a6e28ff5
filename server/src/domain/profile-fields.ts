import { containsCardNumber } from "./card-numbers.ts";

/** The rules for a traveler's profile fields: each returns the problem of a text, or undefined. */

/** Names as in passports and airline records: letters of any script, and separators. */
const NAME = /^\p{L}[\p{L}\p{M}\p{Zs}.'’ʼ-]{0,99}$/u;
const LONGEST_EMAIL = 254;
const LONGEST_LANGUAGE = 35;

export function nameProblem(text: string): string | undefined {
  if (containsCardNumber(text)) return "must not contain a payment card number";
  return NAME.test(text)
    ? undefined
    : "must be a name: letters, spaces, apostrophes, hyphens and full stops, up to 100";
}

export function emailProblem(text: string): string | undefined {
  return text.length <= LONGEST_EMAIL ? undefined : `must not be longer than ${LONGEST_EMAIL} characters`;
}

export function languageProblem(text: string): string | undefined {
  const problem = "must be a BCP-47 language tag, such as en-GB";
  if (text.length > LONGEST_LANGUAGE) return problem;
  try {
    return Intl.getCanonicalLocales(text).length === 1 ? undefined : problem;
  } catch {
    return problem;
  }
}
