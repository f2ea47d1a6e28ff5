import type { RawNumber } from "./amounts.ts";
import { type CurrencyMark, codesIn } from "./currency-marks.ts";
import type { LanguageCode } from "./label-words.ts";
import { allPlaces, findLikeliest, type Places } from "./place-hints.ts";
import type { Row, Span } from "./rows.ts";

export interface FoundCurrency {
  /** ISO 4217; undefined if none was found, or several fit. */
  code: string | undefined;
  where: Span | undefined;
  certainty: number;
  problem: "currency_missing" | "currency_ambiguous" | undefined;
}

const COUNTRY_OF: Readonly<Record<string, string>> = {
  USD: "US",
  CAD: "CA",
  AUD: "AU",
  NZD: "NZ",
  SGD: "SG",
  HKD: "HK",
  MXN: "MX",
  CLP: "CL",
  COP: "CO",
  ARS: "AR",
  TWD: "TW",
  JPY: "JP",
  CNY: "CN",
  SEK: "SE",
  NOK: "NO",
  DKK: "DK",
  ISK: "IS",
  INR: "IN",
  PKR: "PK",
  LKR: "LK",
  AED: "AE",
  MAD: "MA",
  GBP: "GB",
  EGP: "EG",
  CHF: "CH",
  BRL: "BR",
  ZAR: "ZA",
  KES: "KE",
  PHP: "PH",
};
const EURO_COUNTRIES = ["DE", "AT", "FR", "ES", "PT", "IE", "NL", "IT"] as const;
const currencyByCountry: ReadonlyMap<string, string> = new Map([
  ...Object.entries(COUNTRY_OF).map(([currency, country]) => [country, currency] as const),
  ...EURO_COUNTRIES.map((country) => [country, "EUR"] as const),
]);

interface Vote {
  mark: CurrencyMark;
  count: number;
  where: Span;
}

export interface CurrencyFacts {
  rows: readonly Row[];
  numbers: readonly RawNumber[];
  places: Places;
  language: LanguageCode | undefined;
}

const MOST_CURRENCIES = 3;

/** The currencies of the amounts, most frequent first: the sums tell which one the total is in. Never empty. */
export function findCurrencies(facts: CurrencyFacts): FoundCurrency[] {
  const votes = countMarks(facts.numbers);
  const named = facts.rows.flatMap((row) => codesIn(row.text).map((code) => ({ code, row })));
  const codes = [...new Set(named.map(({ code }) => code))];
  if (votes.length > 0) return votes.slice(0, MOST_CURRENCIES).map((vote) => resolve(vote, votes, codes, facts));
  const [only] = codes;
  const where = named.find(({ code }) => code === only)?.row;
  if (only !== undefined && where !== undefined && codes.length === 1) {
    const start = where.text.indexOf(only);
    return [{ code: only, where: { row: where, start, end: start + only.length }, certainty: 0.9, problem: undefined }];
  }
  if (codes.length > 1) return [{ code: undefined, where: undefined, certainty: 0, problem: "currency_ambiguous" }];
  return [ofCountry(facts.places)];
}

/** If none is printed or legible, the country's currency is likely, but needs review. */
function ofCountry(places: Places): FoundCurrency {
  const country = findLikeliest(places, allPlaces(places));
  const code = country === undefined ? undefined : currencyByCountry.get(country);
  const row = country === undefined ? undefined : places.get(country)?.row;
  const where = row === undefined ? undefined : { row, start: 0, end: row.text.length };
  return { code, where, certainty: 0.5, problem: "currency_missing" };
}

function countMarks(numbers: readonly RawNumber[]): Vote[] {
  const votes = new Map<string, Vote>();
  for (const { currency, row, start, end } of numbers) {
    if (currency === undefined) continue;
    const key = currency.codes.join();
    const vote = votes.get(key);
    if (vote === undefined) votes.set(key, { mark: currency, count: 1, where: widened({ row, start, end }, currency) });
    else vote.count += 1;
  }
  return [...votes.values()].toSorted((one, other) => other.count - one.count);
}

/** Includes the sign if it is separate from the number. */
function widened(span: Span, { text }: CurrencyMark): Span {
  const lower = span.row.text.toLowerCase();
  const before = lower.lastIndexOf(text.toLowerCase(), span.end);
  const after = lower.indexOf(text.toLowerCase(), span.start);
  if (before >= 0 && before >= span.start - text.length - 2) return { ...span, start: Math.min(before, span.start) };
  if (after >= 0 && after <= span.end + 2) return { ...span, end: Math.max(span.end, after + text.length) };
  return span;
}

function resolve(
  first: Vote,
  votes: readonly Vote[],
  named: readonly string[],
  { places, language }: { places: Places; language: LanguageCode | undefined },
): FoundCurrency {
  const [code, ...others] = first.mark.codes;
  const found = (of: string, certainty: number): FoundCurrency => ({
    code: of,
    where: first.where,
    certainty,
    problem: undefined,
  });
  if (code === undefined) return { code: undefined, where: undefined, certainty: 0, problem: "currency_missing" };
  const clearer = votes.filter(({ mark }) => mark.codes.length === 1 && first.mark.codes.includes(mark.codes[0] ?? ""));
  if (others.length === 0) return found(code, 0.98);
  // "$" in a document that names CAD anywhere is the Canadian one.
  const fitting = [
    ...new Set([
      ...clearer.flatMap(({ mark }) => mark.codes),
      ...named.filter((one) => first.mark.codes.includes(one)),
    ]),
  ];
  if (fitting.length === 1 && fitting[0] !== undefined) return found(fitting[0], 0.95);
  if (fitting.length > 1) return { code: undefined, where: undefined, certainty: 0, problem: "currency_ambiguous" };
  const candidates = first.mark.codes.filter((one) => COUNTRY_OF[one] !== undefined);
  const country = findLikeliest(
    places,
    candidates.map((one) => COUNTRY_OF[one] ?? ""),
  );
  const byCountry = candidates.find((one) => COUNTRY_OF[one] === country);
  if (byCountry !== undefined) return found(byCountry, 0.9);
  if (first.mark.text === "¥" && language === "jpn") return found("JPY", 0.9);
  // The British pound is by far the most common one.
  if (first.mark.text === "£" && !places.has("EG")) return found("GBP", 0.9);
  return { code: undefined, where: undefined, certainty: 0, problem: "currency_ambiguous" };
}
