/** Frequent words that the other languages here do not have, and that travelers use. */
const WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: listWords(
    "the and is are to from for with my me i want would like please flight hotel next what how can you of at",
  ),
  de: listWords(
    "der die das und ich ist nach von für mit mir bitte einen eine einem möchte brauche flug hotel am nächsten nächste wie was den zum zur suche buche nicht zwei",
  ),
  es: listWords(
    "el los las y quiero necesito para con por favor vuelo vuelos un una desde hasta próximo próxima qué cómo del al busco reserva mañana noches",
  ),
  fr: listWords(
    "le les et je veux voudrais pour avec un une vol vols de du au aux prochain prochaine quel comment cherche réserver nuits s'il vous plaît",
  ),
  pt: listWords(
    "o os as e eu quero preciso para com um uma voo voos do da no na próximo próxima que como procuro noites por favor",
  ),
};
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

function listWords(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** The language of a text, if its words clearly tell. For the service's own sentences beside what a model says. */
export function detectLanguage(text: string): string | undefined {
  if (KANA.test(text)) return "ja";
  const words = text.toLowerCase().match(/[\p{L}']+/gu) ?? [];
  const scores = Object.entries(WORDS)
    .map(([language, known]) => ({ language, score: words.filter((word) => known.has(word)).length }))
    .toSorted((one, other) => other.score - one.score);
  const [best, second] = scores;
  if (best === undefined || best.score === 0 || best.score === second?.score) return undefined;
  return best.language;
}

/** The locale for our own sentences: the user's language wins over a locale of another one. */
export function chooseLocale(locale: string, userTexts: readonly string[]): string {
  const language = detectLanguage(userTexts.join(" "));
  return language === undefined || new Intl.Locale(locale).language === language ? locale : language;
}
