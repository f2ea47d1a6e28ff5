const SAINTS = ["São ", "Santo ", "Santa ", "San ", "Saint "];

/** What a word can stand for, likelier words first; one letter is an abbreviation only with its point. */
const ABBREVIATIONS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/(?<![\p{L}\p{M}])s\.\s*(?=\p{L})/giu, SAINTS],
  [/(?<![\p{L}\p{M}])st\.\s*(?=\p{L})/giu, SAINTS],
  [/(?<![\p{L}\p{M}])sta\.?\s+(?=\p{L})/giu, ["Santa "]],
  [/(?<![\p{L}\p{M}])sto\.?\s+(?=\p{L})/giu, ["Santo "]],
  [/(?<![\p{L}\p{M}])av\.?\s+(?=\p{L})/giu, ["Avenida ", "Avenue "]],
  [/(?<![\p{L}\p{M}])r\.\s*(?=\p{L})/giu, ["Rua ", "Rue "]],
  // Words that name no place: "hotels near the Colosseum", "downtown Chicago", "Heathrow Terminal 5".
  [/^(?:hotels?\s+)?(?:near|nearby|around|by|in|at|close to|next to)\s+(?:the\s+)?/iu, [""]],
  [/(?:^|[\s,]+)(?:the\s+)?(?:downtown|(?:city|town)\s+cent(?:re|er)|cent(?:re|er)|central)(?=[\s,]|$)/giu, [""]],
  [/^the\s+/iu, [""]],
  [/\s+terminal\s+\w{1,2}$/iu, [""]],
];
const MOST_WAYS = 12;

/** The ways to write a name without its abbreviations and the words around it; none where it has none. */
export function writtenOut(text: string): string[] {
  let ways = [text];
  for (const [abbreviation, words] of ABBREVIATIONS) {
    ways = ways.flatMap((way) => [...new Set(words.map((word) => way.replace(abbreviation, word)))]);
  }
  return ways.filter((way) => way !== text).slice(0, MOST_WAYS);
}
