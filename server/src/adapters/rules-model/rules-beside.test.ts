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
const SECOND = { en: "take the second one", de: "nimm das zweite", es: "reserva el segundo" } as const;
const FIRST = { en: "book the first", de: "buch den ersten", es: "reserva el primero" } as const;
type Language = keyof typeof FLIGHT;

const withdraw = async (language: Language, ...say: readonly string[]) =>
  await talkWithRules(say, { locale: language, onSpend: "withdraw" });
const names = (turn: { calls: readonly { name: string }[] } | undefined) => turn?.calls.map(({ name }) => name);

describe("a yes with more behind it", () => {
  it.each([
    ["en", "yes, and please ask for a step-free room", "step-free room"],
    ["en", "Yes, but a quiet room please", "quiet room"],
    ["en", "please ask for a cot", "cot for a baby"],
    ["en", "ok, and tell the hotel that it is our wedding day", "it is our wedding day"],
    ["de", "ja, und bitte ein Zimmer ohne Stufen", "barrierefreies Zimmer"],
    ["de", "Ja, aber bitte ein ruhiges Zimmer", "ruhiges Zimmer"],
    ["de", "ja, und bitte vegetarisches Essen anfragen", "vegetarisches Essen"],
    ["es", "sí, y por favor una habitación tranquila", "habitación tranquila"],
    ["es", "sí, y pide una habitación sin escalones", "habitación sin escalones"],
  ] as const)("in %s is shown again with what the hotel is asked for: %s", async (language, said, asked) => {
    const turns = await withdraw(language, HOTEL[language], SECOND[language], said);
    const deed = turns[1]?.calls.find(({ name }) => name === "book_stay");
    const args = { ...Object(deed?.args), accommodationSpecialRequests: asked };
    expect(turns[2]?.calls).toEqual([{ name: "book_stay", args }]);
  });

  it.each([
    ["en", "yes, and please ask for a vegetarian meal", /cannot pass wishes on to the airline/],
    ["en", "yes, and a window seat please", /cannot book particular seats/],
    ["en", "yes, and she needs a wheelchair", /cannot order a wheelchair/],
    ["en", "yes, and may the force be with you", /did not understand what was added/],
    ["de", "ja, und bitte vegetarisches Essen anfragen", /Wünsche kann ich der Fluggesellschaft nicht mitteilen/],
    ["de", "ja, und einen Fensterplatz bitte", /Sitzplätze kann ich nicht buchen/],
    ["es", "sí, y con ventanilla por favor", /No puedo reservar asientos/],
  ] as const)(
    "in %s says what cannot be done, and asks about the same flight: %s",
    async (language, said, expected) => {
      const turns = await withdraw(language, FLIGHT[language], FIRST[language], said);
      expect(turns[2]?.text).toMatch(expected);
      expect(turns[2]?.calls).toEqual(turns[1]?.calls);
    },
  );

  it("answers a question first, and then asks about the same flight", async () => {
    const turns = await withdraw("en", FLIGHT.en, FIRST.en, "ok, and what is the weather in Bergen?");
    expect(names(turns[2])).toEqual(["geocode_trip_stop", "trip_weather_brief", "book_flight"]);
    expect(turns[2]?.text).toContain("forecasts");
  });

  it.each([
    ["en", "back on the 15th", "yes, and then a quiet hotel there", "quiet room"],
    ["de", "zurück am 15.", "ja, und danach ein ruhiges Hotel dort", "ruhiges Zimmer"],
    ["es", "vuelta el 15", "sí, y luego un hotel tranquilo allí", "habitación tranquila"],
  ] as const)("in %s keeps a hotel for after the flight: %s, %s", async (language, back, said, asked) => {
    const turns = await talkWithRules([`${FLIGHT[language]}, ${back}`, FIRST[language], said], {
      locale: language,
      onSpend: (turn) => (turn === 2 ? "confirm" : "withdraw"),
    });
    expect(names(turns[2])).toEqual(["book_flight", "search_hotels"]);
    expect(turns[2]?.calls[0]).toEqual(turns[1]?.calls[0]);
    expect(turns[2]?.calls[1]).toMatchObject({ args: { checkInDate: "2027-01-12", checkOutDate: "2027-01-15" } });
    expect(turns[2]?.text).toMatch(/hotel follows|Hotel folgt|hotel viene después/);
    expect(turns[2]?.text).toContain(asked);
  });

  it.each([
    ["en", "yes, but in business class"],
    ["de", "ja, aber in der Business Class"],
    ["es", "sí, pero en clase business"],
  ] as const)("in %s that changes the search searches again: %s", async (language, said) => {
    const turns = await withdraw(language, FLIGHT[language], FIRST[language], said);
    expect(turns[2]?.calls).toMatchObject([{ name: "search_flights", args: { cabinClass: "business" } }]);
  });
});

describe("a quiet hotel", () => {
  it.each([
    ["en", "a quiet hotel in Rome from 12 to 15 January", "quiet room"],
    ["de", "ein ruhiges Hotel in Rom vom 12. bis 15. Januar", "ruhiges Zimmer"],
    ["es", "un hotel tranquilo en Roma del 12 al 15 de enero", "habitación tranquila"],
  ] as const)("in %s is no search, and the hotel is asked for it: %s", async (language, said, asked) => {
    const turns = await withdraw(language, said, SECOND[language]);
    expect(turns[0]?.text).toContain(asked);
    expect(turns[1]?.calls.at(-1)).toMatchObject({ args: { accommodationSpecialRequests: asked } });
  });
});

describe("a place with a full stop", () => {
  it.each([
    ["en", "hotel near St. Stephen's Cathedral in Vienna from 12 to 15 January", "St. Stephen's Cathedral, Vienna"],
    ["en", "hotel in Vienna near st. stephen's cathedral, 12 to 15 January", "st. stephen's cathedral, Vienna"],
    ["de", "Hotel nahe der St. Michaelskirche in Hamburg vom 12. bis 15. Januar", "St. Michaelskirche, Hamburg"],
    ["de", "Hotel in München in der Nähe der Kaiserstr. vom 12. bis 15. Januar", "Kaiserstr., München"],
    ["es", "hotel cerca de Sta. María del Mar en Barcelona del 12 al 15 de enero", "Sta. María del Mar, Barcelona"],
  ])("in %s is read whole: %s", async (locale, said, location) => {
    const [turn] = await talkWithRules([said], { locale });
    expect(turn?.calls[0]).toMatchObject({ name: "search_hotels", args: { location } });
  });
});

describe("a number that the list does not have", () => {
  it.each([
    ["en", "number 7", /no number 7.*1 to 3/],
    ["de", "Nummer 7", /Nummer 7 gibt es nicht.*1 bis 3/],
    ["es", "el número 7", /ningún número 7.*1 al 3/],
  ] as const)("in %s is said: %s", async (language, said, expected) => {
    const turns = await talkWithRules([FLIGHT[language], said], { locale: language });
    expect(turns[1]).toMatchObject({ question: "choice", text: expect.stringMatching(expected) });
  });

  it.each([
    ["en", "number 2", "yes", /only one is shown/],
    ["de", "Nummer 2", "ja", /nur eine/],
    ["es", "el número 2", "sí", /solo se muestra uno/],
  ] as const)("in %s is said of a list of one, which a yes takes: %s, %s", async (language, said, yes, expected) => {
    const answers = {
      search_hotels: {
        searchId: "sea_2",
        accommodations: [
          { id: "acc_1", name: "Hotel A", rates: [{ id: "rat_1", totalAmount: "100.00", totalCurrency: "EUR" }] },
        ],
      },
    };
    const turns = await talkWithRules([HOTEL[language], said, yes], { locale: language, answers });
    expect(turns[1]?.text).toMatch(expected);
    expect(turns[2]?.calls.at(-1)?.name).toBe("book_stay");
  });

  it.each([
    ["en", "number 3, but non-stop", /new list with new numbers/],
    ["de", "Nummer 3, aber nonstop", /neue Liste mit neuen Nummern/],
    ["es", "el número 3, pero sin escalas", /lista nueva con números nuevos/],
  ] as const)("in %s that comes with another search is of the old one: %s", async (language, said, expected) => {
    const turns = await talkWithRules([FLIGHT[language], said], { locale: language });
    expect(turns[1]?.text).toMatch(expected);
    expect(names(turns[1])).not.toContain("book_flight");
  });
});

it.each([
  ["en", "Hold a flight from Munich to Vienna on 10 February until tomorrow, do not pay yet", /cannot hold a fare/],
  ["de", "Flug von München nach Wien am 10. Februar, noch nicht bezahlen", /keinen Tarif halten/],
  ["es", "vuelo de Múnich a Viena el 10 de febrero, sin pagar todavía", /No puedo retener/],
])("says that no fare is held: %s, %s", async (locale, said, expected) => {
  const [turn] = await talkWithRules([said], { locale });
  expect(turn?.calls).toMatchObject([{ name: "search_flights", args: { departureDate: "2027-02-10" } }]);
  expect(turn?.calls[0]?.args).not.toHaveProperty("returnDate");
  expect(turn?.text).toMatch(expected);
});
