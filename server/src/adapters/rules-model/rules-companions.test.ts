import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

interface Turn {
  readonly text: string;
  readonly question: string | undefined;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}
const last = (turns: readonly Turn[], name: string) =>
  turns.flatMap(({ calls }) => calls.filter((one) => one.name === name)).at(-1)?.args;
const talk = async (locale: string, say: readonly string[], companions: readonly string[] = ["Rosa Weber"]) =>
  await talkWithRules(say, { locale, companions });

describe("somebody who comes along, and is named later", () => {
  it.each([
    [
      "en",
      "My husband and I want a flight from Hamburg to Madrid on 12 January",
      "the cheapest",
      "My husband is Tom Miller, born 4 April 1980, tom.miller@example.com, +44 20 7946 0958",
      { givenName: "Tom", familyName: "Miller", bornOn: "1980-04-04", gender: "m" },
    ],
    [
      "en",
      "My husband and I want a flight from Hamburg to Madrid on 12 January",
      "the cheapest",
      "Tom Miller, born 4 April 1980, male, tom.miller@example.com, +44 20 7946 0958",
      { givenName: "Tom", familyName: "Miller", bornOn: "1980-04-04", gender: "m" },
    ],
    [
      "de",
      "Ich möchte mit meiner Frau am 12. Januar von Hamburg nach Madrid fliegen",
      "den günstigsten",
      "Meine Frau heißt Anna Weber, geboren am 3.5.1985, anna@example.com, +49 170 1234567",
      { givenName: "Anna", familyName: "Weber", bornOn: "1985-05-03", gender: "f" },
    ],
    [
      "es",
      "Quiero ir con mi mujer de Hamburgo a Madrid el 12 de enero",
      "el más barato",
      "Se llama Ana Pérez, nacida el 3 de mayo de 1985, ana@example.com, +34 600 123 456",
      { givenName: "Ana", familyName: "Pérez", bornOn: "1985-05-03", gender: "f" },
    ],
  ])("in %s is asked for, saved, and booked with the caller: %s", async (locale, ask, choose, tell, profile) => {
    const turns = await talk(locale, [ask, choose, tell]);
    expect(last(turns.slice(0, 1), "search_flights")).toMatchObject({ passengers: 2 });
    expect(turns[1]).toMatchObject({ question: "companions", calls: [] });
    expect(turns[1]?.text).toContain("Rosa Weber");
    const saved = last(turns, "save_traveler");
    expect(saved).toMatchObject(profile);
    const { userId } = Object(saved);
    expect(last(turns, "book_flight")).toEqual({ offerId: "off_3", additionalCustomerUserIds: [userId] });
  });

  it.each([
    [
      "en",
      "flight from Hamburg to Madrid on 12 January with my friend Lucía Gómez",
      "Lucía was born on 2 February 1990, female, lucia.gomez@example.com, +34 600 123 456",
    ],
    [
      "es",
      "vuelo de Hamburgo a Madrid el 12 de enero, somos dos, mi novia Lucía Gómez y yo",
      "Lucía nació el 2 de febrero de 1990, es mujer, lucia.gomez@example.com, +34 600 123 456",
    ],
  ])("in %s stays beside the caller when details are told: %s", async (locale, ask, tell) => {
    const turns = await talk(locale, [ask, tell, "1"], []);
    expect(last(turns, "search_flights")).toMatchObject({ passengers: 2 });
    expect(turns[1]).toMatchObject({ calls: [], question: "choice" });
    expect(last(turns, "save_traveler")).toMatchObject({ givenName: "Lucía", bornOn: "1990-02-02", gender: "f" });
  });

  it("is told one by one, and a child is reached through the caller", async () => {
    const list_travelers = {
      travelers: [
        { userId: "user_demo", isCaller: true, profile: { email: "me@example.com", phoneNumber: "+491701234567" } },
      ],
    };
    const turns = await talkWithRules(
      [
        "Ich möchte mit meiner Frau und unserer Tochter (4 Jahre) am 12. Januar von Hamburg nach Madrid fliegen",
        "Nummer 1",
        "Anna Weber, geboren am 3.5.1985, weiblich, anna@example.com, +49 170 7654321",
        "Mia Weber, geboren am 1.2.2022, weiblich",
      ],
      { locale: "de", companions: [], answers: { list_travelers } },
    );
    expect(turns[2]?.question).toBe("companions");
    expect(last(turns, "search_more_flights")).toMatchObject({ ages: [30, 30, 4] });
    const saved = turns.flatMap(({ calls }) => calls.filter(({ name }) => name === "save_traveler"));
    expect(saved.map(({ args }) => Object(args).givenName)).toEqual(["Anna", "Mia"]);
    expect(saved[1]?.args).toMatchObject({ email: "me@example.com", phoneNumber: "+491701234567" });
  });
});

it.each([
  ["en", "flight from Hamburg to Madrid next weekend, out on Friday evening and back on Sunday"],
  ["de", "Flug von Hamburg nach Madrid am nächsten Wochenende, Freitag Abend hin, Sonntag zurück"],
])("the days of a weekend are around its Saturday: %s, %s", async (locale, said) => {
  const turns = await talk(locale, [said]);
  expect(last(turns, "search_flights")).toMatchObject({ departureDate: "2026-12-04", returnDate: "2026-12-06" });
});

it.each([
  ["en", "flight from Hamburg to Madrid on 12 January", "which one is the cheapest?", "that one then"],
  ["de", "Flug von Hamburg nach Madrid am 12. Januar", "welcher ist der günstigste?", "ja, der"],
  ["es", "vuelo de Hamburgo a Madrid el 12 de enero", "¿cuál es el más barato?", "pues ese"],
])("the one that was spoken of is taken: %s, %s, %s, %s", async (locale, ...said) => {
  expect(last(await talk(locale, said), "book_flight")).toEqual({ offerId: "off_3" });
});

it.each([
  ["en", "flight from Hamburg to Madrid on Tuesday 12 January", "the last one on Tuesday"],
  ["de", "Flug von Hamburg nach Madrid am Dienstag, 12. Januar", "der letzte am Dienstag"],
])("the last one on a day leaves last: %s, %s, %s", async (locale, ...said) => {
  expect(last(await talk(locale, said), "book_flight")).toEqual({ offerId: "off_3" });
});

describe("a hotel in a part of the journey's city", () => {
  const FLIGHT = "Flug von Hamburg nach Berlin am 12. Januar, zurück am 15.";
  it("is for its days, and near its sight", async () => {
    const turns = await talk("de", [FLIGHT, "und ein Hotel in Mitte, z. B. nahe dem Alexanderplatz"]);
    expect(last(turns, "search_hotels")).toMatchObject({
      ...{ location: "Alexanderplatz, Berlin", checkInDate: "2027-01-12", checkOutDate: "2027-01-15" },
    });
  });

  it("is looked for by its name alone where the city has no such part", async () => {
    const answers = {
      search_hotels: { searchId: "s", location: { label: "B", unknownPart: "Heidelsheim" }, accommodations: [] },
    };
    const turns = await talkWithRules([FLIGHT, "und ein Hotel in Heidelsheim"], { locale: "de", answers });
    const asked = turns[1]?.calls.flatMap(({ name, args }) =>
      name === "search_hotels" ? [Object(args).location] : [],
    );
    expect(asked).toEqual(["Heidelsheim, Berlin", "Heidelsheim"]);
  });
});

it.each([
  [
    "de",
    "Hotel beim Stephansdom in Wien vom 12. bis 15. Januar",
    "das nächste am Dom, bitte buchen. Sie braucht ein Zimmer ohne Stufen.",
  ],
])("the one nearest to the sight is booked with a wish: %s, %s, %s", async (locale, ...said) => {
  const args = last(await talk(locale, said), "book_stay");
  expect(args).toMatchObject({ quoteId: "quo_rat_1", accommodationSpecialRequests: "barrierefreies Zimmer" });
});
