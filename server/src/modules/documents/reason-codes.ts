/** Reasons for a person to look at a document, by code: the meaning and the remedy. */
export const REASONS = {
  unreadable: ["None of the requested values could be read.", "Take a sharper picture, with the whole page in it."],
  wrong_kind: ["The document looks like a different kind from `kind`.", "Scan it again with the correct kind."],
  low_confidence: ["The value was read, but nothing confirms it.", "Compare it with the document."],
  parts_disagree: [
    "Two parts of the document say different things, such as a barcode and the text beside it.",
    "Ask which one is correct. Be careful: the document may have been altered.",
  ],
  several_documents: ["There is more than one document in the file.", "Send each one separately."],
  pages_not_read: ["Some pages were not read.", "Send the other pages separately if they matter."],
  lines_not_shown: ["The answer has only the first lines, taxes or legs.", "Do not add the lines up."],
  total_missing: ["No total was found.", "Read it on the document."],
  several_totals: ["Several amounts could be the total.", "Choose the right one on the document."],
  totals_disagree: ["Net amount, tax and total are inconsistent.", "Compare them with the document."],
  taxes_disagree: ["A tax does not match its rate, or the taxes do not add up.", "Compare them with the document."],
  lines_disagree: ["The lines do not add up to the total.", "Compare lines and total with the document."],
  currency_missing: ["No currency was found.", "Find out in which country the document was issued."],
  currency_ambiguous: [
    "The currency's sign stands for several currencies, or there are several.",
    "Find out in which country the document was issued.",
  ],
  date_missing: ["No date was found where one is expected.", "Read it on the document."],
  date_ambiguous: ["The date can be read in several ways, or several dates fit.", "Ask which day is meant."],
  date_in_the_future: ["The date is later than today.", "Compare it with the document."],
  year_guessed: [
    "The document names no year, or only its last digit.",
    "Check that the nearest date is the right one.",
  ],
  barcode_missing: [
    "No barcode of a boarding pass was found.",
    "Send a sharp image of the pass with its whole barcode.",
  ],
  barcode_invalid: [
    "The barcode is not one of a boarding pass, or is damaged.",
    "Compare the fields with the printed pass.",
  ],
  mrz_missing: [
    "No machine-readable zone was found: the lines of letters and `<` at the foot of a passport.",
    "Send the whole page, with no finger or reflection on those lines.",
  ],
  mrz_truncated: ["The machine-readable zone is cut off.", "Send the whole page, with all of its edges."],
  check_digit_failed: [
    "A check digit of the machine-readable zone does not match.",
    "Take a sharper picture. If it fails again, the document may have been altered.",
  ],
  name_not_confirmed: [
    "The printed name and the machine-readable zone do not confirm each other.",
    "Compare the name with the document, and send it yourself.",
  ],
  country_unknown: ["The country code is unknown.", "Compare it with the document."],
  expired: ["The document has expired.", "Ask for a valid one."],
  specimen: ["The document is a specimen that its issuer shows as an example.", "Ask for the traveler's own document."],
} as const satisfies Readonly<Record<string, readonly [means: string, help: string]>>;

export type ReasonCode = keyof typeof REASONS;

export function isReasonCode(text: string): text is ReasonCode {
  return Object.hasOwn(REASONS, text);
}
