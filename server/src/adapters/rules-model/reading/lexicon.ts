import { countryAlpha3Codes, toCountryAlpha2 } from "../../../domain/countries.ts";
import { AIRLINES, CITIES } from "./cities.ts";
import { fold } from "./marks.ts";
import { english } from "./words/english.ts";
import { german } from "./words/german.ts";
import type { LanguageWords } from "./words/language-words.ts";
import { spanish } from "./words/spanish.ts";

interface Meaning {
  readonly kind: string;
  readonly value: string;
  readonly number: number;
  readonly country?: string;
  /** An ordinary word, too. */
  readonly isDoubtful?: boolean;
}
interface Phrase extends Meaning {
  readonly words: readonly string[];
}

export interface Lexicon {
  readonly language: LanguageWords["language"];
  readonly typical: ReadonlySet<string>;
  readonly informal: ReadonlySet<string>;
  /** By first word, the longest phrase first. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>;
  readonly stems: ReadonlyMap<string, Meaning>;
  /** Words that a misspelt one may stand for, by length. */
  readonly guesses: ReadonlyMap<number, readonly string[]>;
}

const wordsIn = (text: string): string[] => fold(text).match(/\p{L}+(?:'\p{L}+)*|\d+|[^\s\p{L}\d]/gu) ?? [];

/** With umlauts in two letters, as many keyboards need them. */
function spellings(phrase: string): string[] {
  const spelt = phrase.replaceAll("ä", "ae").replaceAll("ö", "oe").replaceAll("ü", "ue");
  return spelt === phrase ? [phrase] : [phrase, spelt];
}

class Builder {
  readonly phrases = new Map<string, Phrase[]>();
  readonly stems = new Map<string, Meaning>();
  readonly #known = new Set<string>();

  add(phrase: string, meaning: Meaning): void {
    for (const spelling of spellings(phrase)) {
      if (spelling.endsWith("*")) {
        this.stems.set(fold(spelling.slice(0, -1)), meaning);
        continue;
      }
      const words = wordsIn(spelling);
      const [first] = words;
      const key = words.join(" ");
      if (first === undefined || this.#known.has(key)) continue;
      this.#known.add(key);
      const list = this.phrases.get(first) ?? [];
      list.push({ ...meaning, words });
      this.phrases.set(first, list);
    }
  }
}

function addWords(builder: Builder, { words }: LanguageWords): void {
  for (const [name, phrases] of Object.entries(words)) {
    const [kind = "", value = ""] = name.split(" ");
    for (const phrase of phrases.split("|"))
      builder.add(phrase, { kind, value, number: value === "" ? NaN : Number(value) });
  }
}

function addNames(builder: Builder): void {
  for (const line of CITIES.trim().split("\n")) {
    const [, value = "", country = "", names = ""] = /^(\w+) (\w+) (.+)$/.exec(line) ?? [];
    const place = { kind: "place", value, number: NaN, country };
    for (const name of names.split("|")) {
      const isDoubtful = name.startsWith("~");
      builder.add(isDoubtful ? name.slice(1) : name, { ...place, isDoubtful });
    }
    builder.add(value, { ...place, isDoubtful: true });
  }
  for (const line of AIRLINES.trim().split("\n")) {
    for (const name of line.slice(3).split("|")) {
      const isDoubtful = name.startsWith("~");
      builder.add(isDoubtful ? name.slice(1) : name, {
        kind: "airline",
        value: line.slice(0, 2),
        number: NaN,
        isDoubtful,
      });
    }
  }
}

function addCountries(builder: Builder): void {
  const names = ["en", "de", "es"].map((language) => new Intl.DisplayNames(language, { type: "region" }));
  for (const alpha3 of countryAlpha3Codes) {
    const alpha2 = toCountryAlpha2(alpha3);
    if (alpha2 === undefined) continue;
    const country = { kind: "country", value: alpha3, number: NaN, country: alpha2 };
    for (const name of names) builder.add(name.of(alpha2) ?? alpha3, country);
  }
  for (const [name, value, country] of OTHER_COUNTRY_NAMES)
    builder.add(name, { kind: "country", value, number: NaN, country });
}

const OTHER_COUNTRY_NAMES = [
  ["USA", "USA", "US"],
  ["US", "USA", "US"],
  ["the States", "USA", "US"],
  ["Amerika", "USA", "US"],
  ["UK", "GBR", "GB"],
  ["England", "GBR", "GB"],
  ["Großbritannien", "GBR", "GB"],
  ["Great Britain", "GBR", "GB"],
  ["Inglaterra", "GBR", "GB"],
  ["EE. UU.", "USA", "US"],
  ["EEUU", "USA", "US"],
  ["Turkey", "TUR", "TR"],
  ["Holland", "NLD", "NL"],
  ["Czech Republic", "CZE", "CZ"],
  ["Tschechische Republik", "CZE", "CZ"],
] as const;

const SHORTEST_GUESS = 5;

function makeLexicon(words: LanguageWords): Lexicon {
  const builder = new Builder();
  addWords(builder, words);
  addNames(builder);
  addCountries(builder);
  for (const list of builder.phrases.values()) list.sort((one, other) => other.words.length - one.words.length);
  const single = [...builder.phrases].flatMap(([first, list]) =>
    first.length >= SHORTEST_GUESS && list.some((phrase) => phrase.words.length === 1 && phrase.kind !== "skip")
      ? [first]
      : [],
  );
  const split = (list: string) => new Set(list.split(" ").map(fold));
  return {
    language: words.language,
    typical: split(words.typical),
    informal: split(words.informal),
    phrases: builder.phrases,
    stems: builder.stems,
    guesses: Map.groupBy(single, (word) => word.length),
  };
}

export const lexicons: readonly Lexicon[] = [english, german, spanish].map(makeLexicon);

const englishNames: ReadonlyMap<string, string> = new Map(
  CITIES.trim()
    .split("\n")
    .flatMap((line) => {
      const [, code = "", names = ""] = /^(\w+) \w+ (.+)$/.exec(line) ?? [];
      return [[code, names.split("|")[0]?.replace("~", "") ?? ""] as const];
    }),
);

/** The name of a city in addresses, which are in English; empty: it is not known. */
export const nameInEnglish = (code: string): string => englishNames.get(code) ?? "";
