import { type Lexicon, lexicons } from "./lexicon.ts";
import { fold } from "./marks.ts";

/** A short text is in the language of those before it, unless it says otherwise by at least so much. */
const LEAST_MARGIN = 2;
const SHORT_WORDS = 5;

/** The language that most words of the text are typical of; undefined where that is not clear. `usual`: that of the texts before. */
export function detectLanguage(text: string, usual?: Lexicon["language"]): Lexicon | undefined {
  const words =
    fold(text)
      .match(/\p{L}+(?:'\p{L}+)*/gu)
      ?.slice(0, 200) ?? [];
  const scores = lexicons
    .map((lexicon) => ({ lexicon, score: words.reduce((sum, word) => sum + weigh(word, lexicon), 0) }))
    .toSorted((one, other) => other.score - one.score);
  const [best, second] = scores;
  if (best === undefined || best.score === 0) return undefined;
  const expected = scores.find(({ lexicon }) => lexicon.language === usual);
  const isShort = words.length <= SHORT_WORDS;
  if (isShort && expected !== undefined && expected.score > 0 && best.score - expected.score < LEAST_MARGIN)
    return expected.lexicon;
  return second !== undefined && best.score === second.score ? undefined : best.lexicon;
}

function weigh(word: string, { typical, phrases }: Lexicon): number {
  if (typical.has(word)) return 2;
  const own = phrases
    .get(word)
    ?.some(({ kind, words }) => words.length === 1 && kind !== "place" && kind !== "airline" && kind !== "country");
  return own ? 1 : 0;
}

/** Whether the text is likely to be in a language that is not understood. */
export function isForeign(text: string, marks: readonly { kind: string }[]): boolean {
  if (/[\u3040-\u30ff\u4e00-\u9fff\u0400-\u04ff\u0600-\u06ff]/u.test(text)) return true;
  const words = marks.filter(({ kind }) => kind !== "sign");
  return words.length >= 4 && words.filter(({ kind }) => kind === "word").length / words.length > 0.6;
}
