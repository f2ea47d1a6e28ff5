import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const talk = async (locale: string, ...say: readonly string[]) => await talkWithRules(say, { locale });
type Turns = Awaited<ReturnType<typeof talkWithRules>>;
const listNames = (turns: Turns) => turns.flatMap(({ calls }) => calls.map(({ name }) => name));
const lastArgs = (turns: Turns, name: string) =>
  turns.flatMap(({ calls }) => calls.filter((one) => one.name === name)).at(-1)?.args;

const FLIGHT = {
  en: "flight from Hamburg to Madrid on 12 January",
  de: "Flug von Hamburg nach Madrid am 12. Januar",
  es: "vuelo de Hamburgo a Madrid el 12 de enero",
} as const;
const ROSA = {
  ...{ givenName: "Rosa", familyName: "Weber", bornOn: "1955-05-03", title: "ms", gender: "f" },
  ...{ email: "rosa.weber@example.com", phoneNumber: "+49401234567" },
};

describe("somebody without a profile", () => {
  it.each([
    ["en", "Please book number 3, for Rosa Weber, born 3 May 1955, a woman, rosa.weber@example.com, +49 40 1234567"],
    ["en", "Number 3 for Ms Rosa Weber, date of birth: 1955-05-03, rosa.weber@example.com, phone +49401234567"],
    ["de", "Nummer 3 bitte, für Rosa Weber, eine Frau, geboren am 3.5.1955, rosa.weber@example.com, +49401234567"],
    [
      "de",
      "Buche die Nummer 3 für meine Oma Rosa Weber, geboren am 3. Mai 1955, rosa.weber@example.com, +49 40 1234567",
    ],
    ["es", "Reserva el número 3 para Rosa Weber, nacida el 3 de mayo de 1955, rosa.weber@example.com, +49 40 1234567"],
  ] as const)("in %s is saved and travels alone: %s", async (language, said) => {
    const turns = await talk(language, FLIGHT[language], said);
    expect(turns.at(-1)?.calls).toMatchObject([
      { name: "save_traveler", args: ROSA },
      {
        name: "book_flight",
        args: { offerId: "off_3", additionalCustomerUserIds: [expect.stringMatching(/^user_rosa_weber_/)] },
      },
    ]);
  });

  it.each([
    ["en", "number 2, for Rosa Weber", "born May 3rd 1955, a woman, rosa.weber@example.com, phone +49401234567"],
    ["de", "Nummer 2, für Rosa Weber", "geboren am 3. Mai 1955, weiblich, rosa.weber@example.com, +49401234567"],
    ["es", "el número 2, para Rosa Weber", "nacida el 3 de mayo de 1955, mujer, rosa.weber@example.com, +49401234567"],
  ] as const)("in %s is asked about once, for all that is missing: %s, %s", async (language, ...said) => {
    const turns = await talk(language, FLIGHT[language], ...said);
    expect(turns[1]).toMatchObject({ calls: [], question: "traveler", text: expect.stringContaining("Rosa Weber") });
    expect(lastArgs(turns, "save_traveler")).toMatchObject(ROSA);
    expect(lastArgs(turns, "book_flight")).toMatchObject({ offerId: "off_2" });
    expect(listNames(turns)).toEqual(["search_flights", "save_traveler", "book_flight"]);
  });

  it.each([
    ["en", "number 1", "No, not for me, it is for my grandma Rosa Weber, born 3 May 1955"],
    ["de", "Nummer 1", "Nein, nicht für mich, sondern für meine Oma Rosa Weber, geboren am 3.5.1955"],
    ["es", "el número 1", "No, no para mí, sino para mi abuela Rosa Weber, nacida el 3 de mayo de 1955"],
  ] as const)("in %s takes the place of the caller before a yes: %s, %s", async (language, ...said) => {
    const turns = await talkWithRules([FLIGHT[language], ...said], { locale: language, onSpend: "withdraw" });
    expect(turns.at(-1)).toMatchObject({ calls: [], question: "traveler" });
  });

  it.each([
    ["en", "Number 1. The passenger's name is Rosa Weber, not me.", "Yes, but only if it is for Rosa, not for me"],
    ["de", "Den ersten, bitte. Die Reisende heißt Rosa Weber.", "Ja, aber nur für Rosa"],
    ["es", "El primero. La pasajera se llama Rosa Weber.", "Sí, pero solo para Rosa"],
  ] as const)("in %s is no place by the given name alone: %s, %s", async (language, ...said) => {
    const turns = await talk(language, FLIGHT[language], ...said);
    expect(turns.map(({ question }) => question)).toEqual([undefined, "traveler", "traveler"]);
    expect(listNames(turns)).toEqual(["search_flights"]);
  });

  it.each([
    ["en", "my grandma Rosa Weber, 71, wants to visit my sister, flight from Hamburg to Madrid on 12 January"],
    ["de", "ich suche für meine Oma Rosa Weber (71) einen Flug von Hamburg nach Madrid am 12. Januar"],
    ["es", "busco para mi abuela Rosa Weber, 71, un vuelo de Hamburgo a Madrid el 12 de enero"],
  ])("in %s travels alone from the first message on: %s", async (locale, said) => {
    const [turn] = await talk(locale, said);
    expect(turn?.calls).toMatchObject([{ name: "search_flights", args: { destination: "MAD" } }]);
    expect(turn?.calls[0]?.args).not.toHaveProperty("passengers");
  });

  it("is not saved over somebody else of the same name", async () => {
    const say = (born: string) =>
      `number 1 for Rosa Weber, born ${born}, a woman, rosa.weber@example.com, +49401234567`;
    const [one, other] = [
      await talk("en", FLIGHT.en, say("3 May 1955")),
      await talk("en", FLIGHT.en, say("3 May 1975")),
    ];
    const id = (turns: Turns) => JSON.stringify(lastArgs(turns, "book_flight"));
    expect(id(one)).not.toBe(id(other));
  });

  it("stays at a hotel without a profile", async () => {
    const turns = await talk("en", "hotel in Rome from 12 to 15 January", "number 2 for Rosa Weber");
    expect(lastArgs(turns, "book_stay")).toMatchObject({ guests: [{ givenName: "Rosa", familyName: "Weber" }] });
  });

  it.each([
    ["en", "flight from Hamburg to Madrid on 12 January for my grandma Ada", "number 1"],
    ["de", "Flug von Hamburg nach Madrid am 12. Januar", "Nummer 1, die Reisende heißt Ada Huber"],
    ["es", "vuelo de Hamburgo a Madrid el 12 de enero", "el primero, para Ada Huber"],
  ])("in %s is not who has one: %s, %s", async (locale, ...said) => {
    const turns = await talkWithRules(said, { locale, companions: ["Ada Huber"] });
    expect(listNames(turns)).not.toContain("save_traveler");
    expect(lastArgs(turns, "book_flight")).toMatchObject({ additionalCustomerUserIds: ["Ada"] });
    expect(lastArgs(turns, "search_flights")).not.toHaveProperty("passengers");
  });

  it.each([
    ["en", "flight from Hamburg to Madrid on 12 January for Christmas Eve"],
    ["es", "vuelo de Hamburgo a Madrid el 12 de enero para Semana Santa"],
    ["en", "a hotel named Sacher Garden in Vienna from 12 to 15 January"],
  ])("in %s is no feast and no hotel: %s", async (locale, said) => {
    expect((await talk(locale, said))[0]?.text).not.toMatch(/profile|perfil/);
  });

  it("is only who is named as such", async () => {
    const turns = await talk("en", "flight for Madrid from Hamburg on 12 January", "number 3");
    expect(listNames(turns)).toEqual(["search_flights", "book_flight"]);
    expect(lastArgs(turns, "book_flight")).toEqual({ offerId: "off_3" });
  });
});

describe("another number of passengers", () => {
  it.each([
    ["en", "flight from Hamburg to Madrid on 12 January for two", "Number 1, and it is for one person"],
    ["de", "Flug von Hamburg nach Madrid am 12. Januar für zwei", "Nummer 1, und es ist für eine Person"],
    ["es", "vuelo de Hamburgo a Madrid el 12 de enero para dos", "El número 1, y es para una persona"],
  ])("in %s keeps the choice: %s, %s", async (locale, ...said) => {
    const turns = await talk(locale, ...said);
    expect(listNames(turns)).toEqual(["search_flights", "search_flights", "book_flight"]);
    expect(lastArgs(turns, "book_flight")).toEqual({ offerId: "off_1" });
  });
});

describe("a limit by the night", () => {
  it.each([
    [
      "en",
      "flight from Hamburg to Madrid on 12 January, back on the 15th, and a hotel near the Prado under 130 a night",
    ],
    [
      "de",
      "Direktflug von Hamburg nach Madrid am 12. Januar, zurück am 15., dazu ein Hotel beim Prado bis 130 Dollar pro Nacht",
    ],
    [
      "es",
      "vuelo de Hamburgo a Madrid el 12 de enero, vuelta el 15, y un hotel cerca del Prado por menos de 130 la noche",
    ],
  ])("in %s is of the hotel, which follows: %s", async (locale, said) => {
    const turns = await talk(locale, said, locale === "en" ? "number 1" : locale === "de" ? "Nummer 1" : "el primero");
    expect(turns[0]?.text).not.toContain("130");
    expect(turns[0]?.text).toMatch(/hotel follows|Hotel folgt|hotel viene/);
    expect(listNames(turns)).toEqual(expect.arrayContaining(["book_flight", "search_hotels", "search_more_stays"]));
    expect(lastArgs(turns, "search_hotels")).toMatchObject({ location: expect.stringMatching(/Prado.*Madrid/) });
    expect(lastArgs(turns, "search_more_stays")).toMatchObject({ maxTotalUsdc: "390.00" });
  });

  it.each([
    ["en", "under 100 please", "The 100 was for the hotel, not the flight"],
    ["de", "höchstens 100 Dollar", "Die 100 Dollar waren für das Hotel, nicht für den Flug"],
    ["es", "menos de 100 dólares", "Los 100 eran para el hotel, no para el vuelo"],
  ] as const)("in %s is taken off the flights: %s, %s", async (language, ...said) => {
    const turns = await talk(language, FLIGHT[language], ...said);
    expect(turns[1]?.text).not.toMatch(/200[.,]00/);
    expect(turns[2]?.text).toMatch(/200[.,]00/);
  });
});

describe("a wheelchair", () => {
  it.each([
    ["en", "she needs a wheelchair at the airport", "And the wheelchair?"],
    ["de", "sie braucht einen Rollstuhl am Flughafen", "Und der Rollstuhl?"],
    ["es", "necesita una silla de ruedas en el aeropuerto", "¿Y la silla de ruedas?"],
  ] as const)("in %s is told of once: %s, %s", async (language, wish, asked) => {
    const turns = await talk(language, `${FLIGHT[language]}, ${wish}`, `${FLIGHT[language]}, ${wish}`, asked);
    expect(turns.map(({ text }) => /48/.test(text))).toEqual([true, false, true]);
    expect(listNames(turns.slice(0, 1))).toEqual(["search_flights"]);
    expect(listNames(turns.slice(2))).toEqual([]);
  });
});
