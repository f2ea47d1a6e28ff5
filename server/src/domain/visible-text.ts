/** Control characters, halves of pairs, and what turns the direction of the text after it. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** How many code units are looked at for each character that is kept: an emoji of a family has eleven. */
const MOST_UNITS = 16;

/** A text of others as it may be shown: one line of what can be seen, at most `maximumLength` characters as people count them. */
export function toVisibleText(text: string, maximumLength: number): string {
  const line = text
    .slice(0, maximumLength * MOST_UNITS)
    .replaceAll(UNSEEN, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  return characters.length <= maximumLength ? line : `${characters.slice(0, maximumLength - 1).join("")}…`;
}
