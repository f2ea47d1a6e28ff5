import { describe, expect, it } from "vitest";
import { defineTexts, languages, wordsIn } from "./texts.ts";

const texts = defineTexts({
  arrival: {
    en: "Arrival in {city}",
    de: "Ankunft in {city}",
    fr: "Arrivée à {city}",
    es: "Llegada a {city}",
    pt: "Chegada a {city}",
    "pt-BR": "Chegada em {city}",
    ja: "{city}に到着",
  },
  nights: {
    en: { one: "{count} night in {city}", other: "{count} nights in {city}" },
    de: { one: "{count} Nacht in {city}", other: "{count} Nächte in {city}" },
    fr: { one: "{count} nuit à {city}", other: "{count} nuits à {city}", many: "{count} de nuits à {city}" },
    es: { one: "{count} noche en {city}", other: "{count} noches en {city}" },
    pt: { one: "{count} noite em {city}", other: "{count} noites em {city}" },
    "pt-BR": { one: "{count} noite em {city}", other: "{count} noites em {city}" },
    ja: { other: "{city}に{count}泊" },
  },
  hotel: { en: "Hotel", de: "Hotel", fr: "Hôtel", es: "Hotel", pt: "Hotel", "pt-BR": "Hotel", ja: "ホテル" },
});
const none = { one: "a", other: "b" };
const spaces = (text: string) => text.replaceAll(/\s/gu, " ");

describe("texts", () => {
  it("are formatted in the requested language, with its plurals and numbers", () => {
    const nights = (tag: string, count: number) => spaces(texts(wordsIn(tag))("nights", { count, city: "Rom" }));
    expect([nights("en", 0), nights("en", 1), nights("en", 1_500)]).toEqual([
      "0 nights in Rom",
      "1 night in Rom",
      "1,500 nights in Rom",
    ]);
    // Zero is singular in French and Portuguese, and whole millions have a form of their own if a text provides it.
    expect([nights("fr", 0), nights("fr", 1_000_000), nights("pt-BR", 0), nights("es", 1_000_000)]).toEqual([
      "0 nuit à Rom",
      "1 000 000 de nuits à Rom",
      "0 noite em Rom",
      "1.000.000 noches en Rom",
    ]);
    expect([nights("de-CH", 1), nights("de", 1_500), nights("ja", 1)]).toEqual([
      "1 Nacht in Rom",
      "1.500 Nächte in Rom",
      "Romに1泊",
    ]);
    expect(texts(wordsIn("fr_CA"))("hotel")).toBe("Hôtel");
  });

  it("insert values unchanged, even if they look like a placeholder", () => {
    expect(texts(wordsIn("en"))("arrival", { city: "{city} $& 東京" })).toBe("Arrival in {city} $& 東京");
  });

  it.each(["xx", "nl-NL", "zh-Hans", "", "not a language", "e".repeat(5_000), "\u202Eed"])(
    "are English where the language is %j, and the answer says so",
    (tag) => {
      const words = wordsIn(tag);
      expect(texts(words)("hotel")).toBe("Hotel");
      expect(words.answer).toMatchObject({
        used: "en",
        note: expect.stringContaining("en, de, fr, es, pt, pt-BR, ja"),
      });
      expect(words.answer.requested).toMatch(/^[a-zA-Z -]{0,34}…?$/);
    },
  );

  it("have no note for a language that is available", () => {
    expect(wordsIn("de-AT").answer).toEqual({ requested: "de-AT", used: "de", note: null });
    expect([wordsIn("EN-gb").locale, wordsIn("ja-JP-u-ca-japanese").locale]).toEqual(["en-GB", "ja-JP"]);
  });

  it.each([
    ["pt-BR", "pt-BR", "pt-BR", "Chegada em Rio"],
    ["pt-br", "pt-BR", "pt-BR", "Chegada em Rio"],
    ["pt_BR", "pt-BR", "pt-BR", "Chegada em Rio"],
    ["pt-Latn-BR", "pt-BR", "pt-BR", "Chegada em Rio"],
    ["pt", "pt", "pt", "Chegada a Rio"],
    ["pt-PT", "pt", "pt-PT", "Chegada a Rio"],
    ["pt-AO", "pt", "pt-AO", "Chegada a Rio"],
  ])("for %j are those of %s, with the conventions of %s", (tag, used, locale, text) => {
    const words = wordsIn(tag);
    expect([words.answer, words.language, words.locale]).toEqual([{ requested: tag, used, note: null }, used, locale]);
    expect(texts(words)("arrival", { city: "Rio" })).toBe(text);
  });

  it("have the plural forms that each language requires", () => {
    const categories = languages.map((language) => new Intl.PluralRules(language).resolvedOptions().pluralCategories);
    expect(categories.map((one) => one.toSorted().join(" "))).toEqual([
      "one other",
      "one other",
      "many one other",
      "many one other",
      "many one other",
      "many one other",
      "other",
    ]);
  });

  it("do not load if a placeholder is missing or a language is empty", () => {
    const hotel = {
      en: "Hotel {name}",
      de: "{name}",
      fr: "{name}",
      es: "{name}",
      pt: "{name}",
      "pt-BR": "{name}",
      ja: "{name}",
    };
    expect(() => defineTexts({ hotel })).not.toThrow();
    expect(() => defineTexts({ hotel: { ...hotel, pt: "{nome}" } })).toThrow("differ between its languages");
    expect(() => defineTexts({ hotel: { ...hotel, fr: "Hôtel" } })).toThrow("differ between its languages");
    const empty = { en: "a", de: "b", fr: "c", es: "d", pt: " ", "pt-BR": "e", ja: "f" };
    expect(() => defineTexts({ empty })).toThrow("is empty in a language");
  });

  it("do not compile if a language, a form or a value is missing", () => {
    const some = { en: "a", de: "a", fr: "a", es: "a", pt: "a", "pt-BR": "a" };
    // @ts-expect-error Japanese is missing.
    expect(() => defineTexts({ some })).toThrow();
    const counted = { en: none, de: none, fr: none, es: none, pt: none, "pt-BR": none, ja: { other: "a" } };
    // @ts-expect-error The form for one is missing.
    defineTexts({ count: { ...counted, en: { other: "a" } } });
    const { "pt-BR": _, ...withoutBrazil } = counted;
    // @ts-expect-error Brazilian Portuguese is missing.
    expect(() => defineTexts({ count: withoutBrazil })).toThrow();
    // @ts-expect-error The city is missing.
    expect(texts(wordsIn("en"))("nights", { count: 2 })).toBe("2 nights in {city}");
    // @ts-expect-error There is no such text.
    expect(() => texts(wordsIn("en"))("day")).toThrow("no text day");
  });

  it("format money without rounding, dates and moments", () => {
    const money = (tag: string, amount: string, currency: string) => spaces(wordsIn(tag).money(amount, currency));
    expect([
      money("en", "1234.5", "USD"),
      money("de", "1234.567891", "EUR"),
      money("ja", "90071992547409931", "JPY"),
      money("fr", "-12.5", "USDC"),
      money("es", "0.000001", "EURC"),
    ]).toEqual(["$1,234.50", "1.234,567891 €", "￥90,071,992,547,409,931", "-12,50 USDC", "0,000001 EURC"]);
    const price = (tag: string, amount: string) => spaces(wordsIn(tag).price(amount, "USDC"));
    expect([price("en", "144.570975"), price("de", "0.5"), price("en", "0.001234")]).toEqual([
      "144.57 USDC",
      "0,50 USDC",
      "0.0012 USDC",
    ]);
    const date = Temporal.PlainDate.from("2027-03-01");
    expect(languages.map((language) => wordsIn(language).date(date))).toEqual([
      "March 1, 2027",
      "1. März 2027",
      "1 mars 2027",
      "1 de marzo de 2027",
      "1 de março de 2027",
      "1 de março de 2027",
      "2027年3月1日",
    ]);
    const instant = Temporal.Instant.from("2027-03-28T00:30:00Z");
    expect(spaces(wordsIn("en-GB").moment(instant, "Europe/London"))).toBe("Sun, 28 March 2027 at 00:30 GMT");
    expect(spaces(wordsIn("ja").moment(instant, "Asia/Tokyo"))).toBe("2027年3月28日(日) 09:30 JST");
    expect(spaces(wordsIn("de").moment(instant, "Asia/Tokyo"))).toBe("So., 28. März 2027 um 09:30 GMT+9");
  });
});
