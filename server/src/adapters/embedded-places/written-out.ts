const SAINTS = ["São ", "Santo ", "Santa ", "San ", "Saint "];

/** What an abbreviation can stand for, likelier words first; one letter is one only with its point. */
const ABBREVIATIONS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/(?<![\p{L}\p{M}])s\.\s*(?=\p{L})/giu, SAINTS],
  [/(?<![\p{L}\p{M}])st\.\s*(?=\p{L})/giu, SAINTS],
  [/(?<![\p{L}\p{M}])sta\.?\s+(?=\p{L})/giu, ["Santa "]],
  [/(?<![\p{L}\p{M}])sto\.?\s+(?=\p{L})/giu, ["Santo "]],
  [/(?<![\p{L}\p{M}])av\.?\s+(?=\p{L})/giu, ["Avenida ", "Avenue "]],
  [/(?<![\p{L}\p{M}])r\.\s*(?=\p{L})/giu, ["Rua ", "Rue "]],
];
const MOST_WAYS = 12;

/** The ways to write a name without its abbreviations; none where it has none. */
export function writtenOut(text: string): string[] {
  let ways = [text];
  for (const [abbreviation, words] of ABBREVIATIONS) {
    ways = ways.flatMap((way) => [...new Set(words.map((word) => way.replace(abbreviation, word)))]);
  }
  return ways.filter((way) => way !== text).slice(0, MOST_WAYS);
}
