/** How people say things in one language. Logic knows the kinds only. */
export interface LanguageWords {
  readonly language: "en" | "de" | "es";
  /** Frequent words by which the language is recognised, separated by spaces. */
  readonly typical: string;
  /** Words that only somebody on first-name terms uses, separated by spaces. */
  readonly informal: string;
  /** Kind, with a value after a space, to phrases that are separated by bars. A star stands for any ending of a word. */
  readonly words: Readonly<Record<string, string>>;
}
