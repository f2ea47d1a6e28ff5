import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const FLIGHT = {
  en: "flight from Hamburg to Madrid on 12 January",
  de: "Flug von Hamburg nach Madrid am 12. Januar",
  es: "vuelo de Hamburgo a Madrid el 12 de enero",
} as const;
const HOTEL = {
  en: "hotel in Rome from 12 to 15 January",
  de: "Hotel in Rom vom 12. bis 15. Januar",
  es: "hotel en Roma del 12 al 15 de enero",
} as const;
const FIRST = { en: "book the first", de: "buch den ersten", es: "reserva el primero" } as const;
type Language = keyof typeof FLIGHT;

const names = (turn: { calls: readonly { name: string }[] } | undefined) => turn?.calls.map(({ name }) => name);

const moved = (kind: string, direction: "in" | "out", amount: string) => ({
  ...{ kind, direction, amount, token: "USDC", state: "confirmed" },
});

describe("a passport that is named", () => {
  const passport = (...nationalities: readonly string[]) => ({
    list_travelers: {
      travelers: [
        {
          userId: "user_demo",
          isCaller: true,
          profile: { passports: nationalities.map((nationality) => ({ nationality })) },
        },
      ],
    },
    check_travel_eligibility: {
      verdict: "eligible",
      summary: "British citizens may enter.",
      passport: { nationality: "GBR" },
      alternatives: [{ nationality: "IND", verdict: "visa_required", summary: "Indian citizens need a visa." }],
    },
  });

  it.each([
    [
      "en",
      "my passport is Indian, do I need a visa for Japan on 10 January?",
      /no passport.*India|India.*no.*passport/i,
    ],
    ["en", "I hold an Indian passport. Can I enter Japan on 10 January?", /India/],
    ["en", "do Indian citizens need a visa for Japan on 10 January? I'm Indian", /India/],
    ["en", "I'm from India, what are the entry rules for Japan on 10 January?", /India/],
    ["de", "Ich habe einen indischen Pass, brauche ich am 10. Januar ein Visum für Japan?", /Indien/],
    ["de", "Brauche ich als Inder ein Visum für Japan am 10. Januar?", /Indien/],
    ["de", "mein Pass ist aus Indien, wie ist die Einreise nach Japan am 10. Januar?", /Indien/],
    ["es", "mi pasaporte es indio, ¿necesito visado para Japón el 10 de enero?", /India/],
    ["es", "tengo pasaporte de la India, ¿necesito visado para Japón el 10 de enero?", /India/],
    ["es", "soy india, ¿qué requisitos de entrada hay para Japón el 10 de enero?", /India/],
  ] as const)("in %s is not passed over for the one in the profile: %s", async (locale, said, expected) => {
    const [turn] = await talkWithRules([said], { locale, answers: passport("GBR") });
    expect(turn?.text).toMatch(expected);
    expect(turn?.text).not.toMatch(/you can enter|Einreise ist mit dem Pass|se puede entrar con/);
    expect(names(turn)).not.toContain("check_travel_eligibility");
  });

  it.each([
    ["en", "my passport is Indian, do I need a visa for Japan on 10 January?"],
    ["de", "Ich habe einen indischen Pass, brauche ich am 10. Januar ein Visum für Japan?"],
    ["es", "mi pasaporte es indio, ¿necesito visado para Japón el 10 de enero?"],
  ])("in %s is the one that the answer is about", async (locale, said) => {
    const [turn] = await talkWithRules([said], { locale, answers: passport("GBR", "IND") });
    expect(turn?.text).toMatch(/you need a visa|ein Visum|un visado/);
  });

  it.each([
    ["en", "do I need a visa for Japan on 10 January?"],
    ["en", "I want to enter Japan on 10 January with my British passport, is that allowed?"],
    ["de", "Brauche ich mit britischem Pass am 10. Januar ein Visum für Japan?"],
    ["es", "con pasaporte británico, ¿necesito visado para Japón el 10 de enero?"],
  ])("in %s may be the one in the profile: %s", async (locale, said) => {
    const [turn] = await talkWithRules([said], { locale, answers: passport("GBR") });
    expect(turn?.calls.at(-1)).toMatchObject({ name: "check_travel_eligibility", args: { destinationIso3: "JPN" } });
    expect(turn?.text).toMatch(/you can enter|Einreise ist|se puede entrar/);
  });
});

describe("the refund of a flight in the conversation of a hotel", () => {
  it.each([
    ["en", "and what's the refund on my flight if I cancel?"],
    ["en", "how much would I get back for the flight?"],
    ["en", "is my flight refundable?"],
    ["de", "und was bekomme ich für meinen Flug zurück, wenn ich storniere?"],
    ["de", "wie viel Geld bekomme ich für den Flug zurück?"],
    ["es", "¿y cuánto me devuelven por mi vuelo si lo cancelo?"],
    ["es", "¿mi vuelo es reembolsable?"],
  ] as const)("in %s is of the flight: %s", async (language: Language, said) => {
    const turns = await talkWithRules([FLIGHT[language], FIRST[language], HOTEL[language], said], { locale: language });
    expect(turns.at(-1)?.calls).toEqual([{ name: "cancel_order_quote", args: { orderId: "ord_new" } }]);
  });

  it.each([
    ["en", "is the first one refundable?"],
    ["de", "ist das erste stornierbar?"],
    ["es", "¿el primero es reembolsable?"],
  ] as const)("in %s is of the hotel where that is meant: %s", async (language: Language, said) => {
    const turns = await talkWithRules([FLIGHT[language], FIRST[language], HOTEL[language], said], { locale: language });
    expect(turns.at(-1)?.text).toContain("Hotel A");
  });
});

describe("a no when everything is done", () => {
  it.each([
    ["en", "cancel my flight to Madrid", "no", /anything else/],
    ["en", "cancel my flight to Madrid", "no thanks", /anything else/],
    ["de", "storniere meinen Flug nach Madrid", "nein", /sonst noch/],
    ["de", "storniere meinen Flug nach Madrid", "nein danke", /sonst noch/],
    ["es", "cancela mi vuelo a Madrid", "no", /algo más/],
    ["es", "cancela mi vuelo a Madrid", "no, gracias", /algo más/],
  ])("in %s after a cancellation ends the matter: %s, %s", async (locale, first, said, expected) => {
    const turns = await talkWithRules([first, said], { locale });
    expect(turns.at(-1)).toMatchObject({ calls: [], question: undefined });
    expect(turns.at(-1)?.text).toMatch(expected);
    expect(turns.at(-1)?.text).not.toMatch(/would you like to change|soll anders sein|debería ser distinto/);
  });

  it.each(["en", "de", "es"] as const)("in %s after a search asks what should be different", async (language) => {
    const turns = await talkWithRules([FLIGHT[language], language === "de" ? "nein" : "no"], { locale: language });
    expect(turns.at(-1)?.text).toMatch(/change\?|anders|distinto/);
  });
});

describe("questions about money", () => {
  it.each([
    ["en", "how much money is left?"],
    ["en", "what's left in the account?"],
    ["en", "how much do I have left to spend?"],
    ["en", "do we still have enough money?"],
    ["de", "wie viel Geld ist noch da?"],
    ["de", "wie viel Geld habe ich noch?"],
    ["de", "was ist noch auf dem Konto?"],
    ["es", "¿cuánto dinero queda?"],
    ["es", "¿cuánto me queda en la cuenta?"],
    ["es", "¿cuánto dinero tengo todavía?"],
  ])("in %s tell what is left: %s", async (locale, said) => {
    const [turn] = await talkWithRules([said], { locale });
    expect(names(turn)).toEqual(["check_treasury"]);
  });

  it.each([
    ["en", "how much did I spend today?", { from: "2026-11-27", to: "2026-11-27" }],
    ["en", "what have I spent yesterday", { from: "2026-11-26", to: "2026-11-26" }],
    ["en", "how much have we spent this month", { from: "2026-11-01", to: "2026-11-27" }],
    ["en", "how much money did I spend this week?", { from: "2026-11-23", to: "2026-11-27" }],
    ["de", "wie viel habe ich heute ausgegeben?", { from: "2026-11-27", to: "2026-11-27" }],
    ["de", "was habe ich diese Woche ausgegeben?", { from: "2026-11-23", to: "2026-11-27" }],
    ["de", "wie hoch sind die Ausgaben von gestern?", { from: "2026-11-26", to: "2026-11-26" }],
    ["es", "¿cuánto he gastado hoy?", { from: "2026-11-27", to: "2026-11-27" }],
    ["es", "¿cuánto gasté ayer?", { from: "2026-11-26", to: "2026-11-26" }],
    ["es", "¿cuánto hemos gastado este mes?", { from: "2026-11-01", to: "2026-11-27" }],
  ])("in %s tell what was spent: %s", async (locale, said, days) => {
    const answers = {
      // Money of the sandbox is no income, and what comes back was not spent.
      list_movements: {
        movements: [
          moved("order_payment", "out", "120.50"),
          moved("order_refund", "in", "20.00"),
          moved("trip_budget", "out", "600.00"),
          moved("trip_return", "in", "445.10"),
          moved("faucet", "in", "1000.00"),
          { ...moved("transfer", "out", "7.00"), state: "reverted" },
        ],
        nextCursor: null,
      },
      list_usage: {
        sums: { priceMicroUsdc: "80000" },
        totals: { spentMicroUsdc: "80000", capMicroUsdc: "100000000", leftMicroUsdc: "99920000" },
      },
    };
    const [turn] = await talkWithRules([said], { locale, answers });
    // Who asks for themselves is told their own bookings first.
    const isOwn = /\bI\b|habe ich|he gastado|gasté/.test(said);
    expect(turn?.calls).toEqual([
      ...(isOwn ? [{ name: "list_orders", args: { userId: "user_demo", limit: 100 } }] : []),
      { name: "list_movements", args: { ...days, limit: 100 } },
      { name: "list_usage", args: { ...days, limit: 1 } },
    ]);
    expect(turn?.text).toMatch(/255[.,]40.* 720[.,]50.* 465[.,]10.* 0[.,]08/);
  });

  it.each([
    ["en", "how much money is left?", "and how much did I spend today?"],
    ["de", "wie viel Geld ist noch da?", "und wie viel habe ich heute ausgegeben?"],
    ["es", "¿cuánto dinero queda?", "¿y cuánto he gastado hoy?"],
  ])("in %s follow each other: %s %s", async (locale, ...said) => {
    const turns = await talkWithRules(said, { locale });
    expect(names(turns.at(-1))).toEqual(["list_orders", "list_movements", "list_usage"]);
  });
});

describe("how much it is in total", () => {
  it.each([
    ["en", "how much would that be in total?"],
    ["en", "what's the total price?"],
    ["en", "so how much is it altogether?"],
    ["de", "was kostet das insgesamt?"],
    ["de", "wie viel macht das zusammen?"],
    ["es", "¿cuánto sería en total?"],
    ["es", "¿cuánto cuesta todo?"],
  ] as const)("in %s is told of what is shown: %s", async (language: Language, said) => {
    const turns = await talkWithRules([FLIGHT[language], said], { locale: language });
    expect(turns.at(-1)?.calls).toEqual([]);
    expect(turns.at(-1)?.text).toMatch(/90[.,]00/);
    expect(turns.at(-1)?.text).not.toMatch(/not understand|nicht verstanden|no lo he entendido/i);
  });

  it.each([
    ["en", "how much would the second one be in total?"],
    ["de", "was kostet der zweite insgesamt?"],
    ["es", "¿cuánto cuesta el segundo en total?"],
  ] as const)("in %s is told of the one that is meant: %s", async (language: Language, said) => {
    const turns = await talkWithRules([FLIGHT[language], said], { locale: language });
    expect(turns.at(-1)?.text).toMatch(/150[.,]00/);
    expect(names(turns.at(-1))).not.toContain("book_flight");
  });

  it.each([
    ["en", "how much is that in total?"],
    ["de", "wie viel ist das insgesamt?"],
    ["es", "¿cuánto es en total?"],
  ] as const)("in %s shows the confirmation again: %s", async (language: Language, said) => {
    const turns = await talkWithRules([FLIGHT[language], FIRST[language], said], {
      locale: language,
      onSpend: "withdraw",
    });
    expect(turns.at(-1)?.calls).toEqual([{ name: "book_flight", args: { offerId: "off_1" } }]);
  });
});
