/** Control characters, lone surrogates, characters that change the direction of text, and invisible ones that programs read. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Code units examined per character kept: a family emoji has eleven. */
const MOST_UNITS = 16;
/** Most texts match, and need no look at their characters. */
const PLAIN = /^[\p{L}\p{N}\p{P}]+(?: [\p{L}\p{N}\p{P}]+)*$/u;

/** Reduces third-party text to a single line of visible characters, at most `maximumLength` as people count them. */
export function toVisibleText(text: string, maximumLength: number): string {
  if (text.length <= maximumLength && PLAIN.test(text)) return text;
  const line = text
    .slice(0, maximumLength * MOST_UNITS)
    .replaceAll(UNSEEN, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  return characters.length <= maximumLength ? line : `${characters.slice(0, maximumLength - 1).join("")}…`;
}
