import { z } from "zod";
import { toVisibleText } from "./visible-text.ts";

/**
 * Texts for people, in the languages below. Each module keeps its own, with `defineTexts`; a text that lacks a language does
 * not compile, and one whose placeholders differ between languages does not load.
 */

/** `pt` is the Portuguese of Portugal and of every country but Brazil. */
export const languages = ["en", "de", "fr", "es", "pt", "pt-BR", "ja"] as const;
type Language = (typeof languages)[number];

/** By the categories of `Intl.PluralRules`. `many` is for whole millions in some languages; default: `other`. */
interface PluralForms {
  readonly one: string;
  readonly other: string;
  readonly many?: string;
}
/** A text that neither counts nor has placeholders is these words. */
export type Plain = Readonly<Record<Language, string>>;
/** A text that counts something, by its value `count`. Japanese has one form. */
type Counted = Readonly<Record<Exclude<Language, "ja">, PluralForms> & Record<"ja", Pick<PluralForms, "other">>>;
type Text = Plain | Counted;

/** The names in braces: `{city}`. */
type Placeholders<Pattern extends string> = Pattern extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;
type ValuesOf<Entry extends Text> = Entry extends { readonly en: infer Pattern extends string }
  ? { readonly [Name in Placeholders<Pattern>]: string | number }
  : Entry extends { readonly en: { readonly other: infer Pattern extends string } }
    ? { readonly [Name in Exclude<Placeholders<Pattern>, "count">]: string | number } & { readonly count: number }
    : never;
type Values<Entry extends Text> = keyof ValuesOf<Entry> extends never ? [] : [values: ValuesOf<Entry>];

/** A language of the catalog with the conventions of the requested country. */
export interface Words {
  readonly language: Language;
  /** Formats numbers and dates: `de-AT`, while texts are in `de`. */
  readonly locale: string;
  /** Part of a tool's answer. */
  readonly answer: z.output<typeof LanguageAnswer>;
  number(value: number, options?: Intl.NumberFormatOptions): string;
  /** A decimal string with all its decimals, and no more zeros than the currency has: nothing is rounded. */
  money(amount: string, currency: string): string;
  /** The same as people read prices: with cents, or, below one cent, with two significant digits. */
  price(amount: string, currency: string): string;
  date(date: Temporal.PlainDate): string;
  /** The date and time in that zone, with the zone's name. */
  moment(instant: Temporal.Instant, timeZone: string): string;
}

/** The language of an answer's texts. */
export const LanguageAnswer = z.object({
  requested: z.string(),
  used: z.enum(languages),
  note: z.string().nullable().describe("Not null: there are no texts in the requested language"),
});

/**
 * By a BCP 47 tag, such as `fr` or `de-AT`. A country with texts of its own gets these, such as Brazil with `pt-BR`. A
 * language missing from the catalog, or no language at all, becomes English, and `answer` says so.
 */
export function wordsIn(tag: string): Words {
  const { language, locale, note } = chooseLanguage(tag);
  return {
    language,
    locale,
    answer: { requested: toVisibleText(tag, MAXIMUM_TAG_LENGTH), used: language, note },
    number: (value, options) => new Intl.NumberFormat(locale, options).format(value),
    money: (amount, currency) => formatMoney(locale, amount, currency),
    price: (amount, currency) => formatMoney(locale, roundPrice(amount), currency),
    date: (date) => formatTime(locale, { ...DATE, timeZone: "UTC" }, date.toZonedDateTime("UTC")),
    moment: (instant, timeZone) =>
      formatTime(locale, { ...DATE, weekday: "short", ...TIME_OF_DAY, timeZone, timeZoneName: "short" }, instant),
  };
}

const DATE = { day: "numeric", month: "long", year: "numeric" } as const;
const TIME_OF_DAY = { hour: "2-digit", minute: "2-digit" } as const;

/** Formats epoch milliseconds: Temporal's own Japanese format omits the word for the month. */
function formatTime(
  locale: string,
  options: Intl.DateTimeFormatOptions,
  { epochMilliseconds }: { epochMilliseconds: number },
): string {
  return new Intl.DateTimeFormat(locale, options).format(epochMilliseconds);
}

function chooseLanguage(tag: string): { language: Language; locale: string; note: string | null } {
  const locale = readLocale(tag);
  const withRegion = locale?.region === undefined ? locale?.language : `${locale.language}-${locale.region}`;
  const language = languages.find((one) => one === withRegion) ?? languages.find((one) => one === locale?.language);
  if (withRegion !== undefined && language !== undefined) return { language, locale: withRegion, note: null };
  const note = `There are no texts in this language, so they are in English. Available languages: ${languages.join(", ")}.`;
  return { language: "en", locale: "en", note };
}

/** No language tag is longer. */
const MAXIMUM_TAG_LENGTH = 35;

function readLocale(tag: string): Intl.Locale | undefined {
  if (tag.length > MAXIMUM_TAG_LENGTH) return undefined;
  try {
    return new Intl.Locale(tag.trim().replaceAll("_", "-"));
  } catch {
    return undefined;
  }
}

const MOST_PLACES = 18;

function roundPrice(amount: string): string {
  if (!/\.\d{3,}$/.test(amount)) return amount;
  const value = Number(amount);
  if (Math.abs(value) >= 0.01) return value.toFixed(2);
  return new Intl.NumberFormat("en", { maximumSignificantDigits: 2, useGrouping: false }).format(value);
}

/** A currency without an ISO 4217 code, such as a token, follows its amount. */
function formatMoney(locale: string, amount: string, currency: string): string {
  const decimal = z.templateLiteral([z.number()]).parse(amount);
  if (/^[A-Z]{3}$/.test(currency)) {
    const places = Intl.NumberFormat(locale, { style: "currency", currency }).resolvedOptions().minimumFractionDigits;
    const options = { style: "currency", currency, maximumFractionDigits: MOST_PLACES } as const;
    return new Intl.NumberFormat(locale, { ...options, minimumFractionDigits: places }).format(decimal);
  }
  const options = { minimumFractionDigits: 2, maximumFractionDigits: MOST_PLACES };
  return `${new Intl.NumberFormat(locale, options).format(decimal)} ${currency}`;
}

/** Formats one of the texts. Numbers among the values are formatted in its language. */
type Say<Texts extends Readonly<Record<string, Text>>> = <Name extends keyof Texts & string>(
  name: Name,
  ...values: Values<Texts[Name]>
) => string;

/** Throws for a text whose placeholders differ between languages. */
export function defineTexts<const Texts extends Readonly<Record<string, Text>>>(
  texts: Texts,
): (words: Words) => Say<Texts> {
  for (const [name, text] of Object.entries(texts)) checkPlaceholders(name, text);
  return (words) =>
    (name, ...[values]) => {
      const text = texts[name];
      if (text === undefined) throw new Error(`There is no text ${name}.`);
      return fillIn(choosePattern(text, words, values), words, values ?? {});
    };
}

const PLACEHOLDER = /\{(\w+)\}/g;

type AnyValues = Readonly<Record<string, string | number>>;

function choosePattern(text: Text, { language, locale }: Words, values: AnyValues | undefined): string {
  const forms: string | Partial<Record<Intl.LDMLPluralRule, string>> = text[language];
  if (typeof forms === "string") return forms;
  const pattern = forms[new Intl.PluralRules(locale).select(Number(values?.count))] ?? forms.other;
  if (pattern === undefined) throw new Error("A text that counts has no form for other numbers.");
  return pattern;
}

function fillIn(pattern: string, words: Words, values: AnyValues): string {
  return pattern.replaceAll(PLACEHOLDER, (whole: string, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? words.number(value) : value;
  });
}

function checkPlaceholders(name: string, text: Text): void {
  const forms = languages.flatMap((language) => {
    const pattern: string | PluralForms | Pick<PluralForms, "other"> = text[language];
    return typeof pattern === "string" ? [pattern] : Object.values(pattern);
  });
  const isCounted = typeof text.en !== "string";
  const found = forms.map((pattern) =>
    [...new Set(pattern.match(PLACEHOLDER))]
      // The singular form may use a word instead.
      .filter((placeholder) => !(isCounted && placeholder === "{count}"))
      .toSorted()
      .join(" "),
  );
  if (new Set(found).size > 1) throw new Error(`The placeholders of the text ${name} differ between its languages.`);
  if (forms.some((pattern) => pattern.trim() === "")) throw new Error(`The text ${name} is empty in a language.`);
}
