import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

interface Turn {
  readonly text: string;
  readonly question: string | undefined;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}
const last = (turns: readonly Turn[], name: string) =>
  turns.flatMap(({ calls }) => calls.filter((one) => one.name === name)).at(-1)?.args;

const FLIGHT = {
  en: "a flight from London to Rome on 12 January",
  de: "ein Flug von London nach Rom am 12. Januar",
  es: "un vuelo de Londres a Roma el 12 de enero",
} as const;
const HOTEL = {
  en: "a hotel in Rome from 12 to 15 January",
  de: "ein Hotel in Rom vom 12. bis 15. Januar",
  es: "un hotel en Roma del 12 al 15 de enero",
} as const;

describe("a total and its parts count once", () => {
  it.each([
    ["en", "We are four people, 2 adults and 2 kids aged 5 and 9", [30, 30, 5, 9]],
    ["en", "Four of us, two adults and two children of 5 and 9", [30, 30, 5, 9]],
    ["en", "For the four of us, 2 adults and our girls of 4 and 11", [30, 30, 4, 11]],
    ["en", "Three of us, two adults and a 6-year-old", [30, 30, 6]],
    ["en", "We're three people, my wife and I and our son who is 6", [30, 30, 6]],
    ["en", "Two people and a child of 6", [30, 30, 6]],
    ["en", "Three people, one of them a child of 6", [30, 30, 6]],
    ["en", "A family of four with two kids aged 5 and 9", [30, 30, 5, 9]],
    ["de", "Wir sind vier Personen, zwei Erwachsene und zwei Kinder von 5 und 9 Jahren", [30, 30, 5, 9]],
    ["de", "Wir sind zu dritt, meine Frau, ich und unser Sohn, 6 Jahre", [30, 30, 6]],
    ["de", "Drei Personen, davon ein 6-jähriges Kind", [30, 30, 6]],
    ["de", "Zwei Erwachsene und mein vierjähriger Sohn", [30, 30, 4]],
    ["de", "Zwei Personen und ein Kind von 6 Jahren", [30, 30, 6]],
    ["es", "Somos cuatro, mi marido y yo y nuestros dos hijos de 5 y 9 años", [30, 30, 5, 9]],
    ["es", "Cuatro personas, dos adultos y dos niños de 5 y 9 años", [30, 30, 5, 9]],
    ["es", "Somos tres personas, dos de ellas adultos y un niño de 6 años", [30, 30, 6]],
    ["es", "Dos personas y un niño de 6 años", [30, 30, 6]],
  ] as const)("in %s: %s", async (locale, party, ages) => {
    const turns = await talkWithRules([`${party}, ${FLIGHT[locale]}`], { locale, companions: [] });
    expect(turns[0]?.question).toBeUndefined();
    expect(last(turns, "search_more_flights")).toMatchObject({ ages });
    const stays = await talkWithRules([`${party}, ${HOTEL[locale]}`], { locale, companions: [] });
    const childAges = ages.filter((age) => age < 18);
    expect(last(stays, "search_family_hotels")).toMatchObject({ adults: ages.length - childAges.length, childAges });
  });
});

describe("a birth date", () => {
  it.each([
    [
      "en",
      "we are two adults and two kids aged 4 and 10",
      "number 1. The girls are Mia Tan, female, born 3 May 2022, and Lena Tan, female, born 20 January 2016.",
    ],
    [
      "de",
      "wir sind zwei Erwachsene und zwei Kinder, 4 und 10 Jahre",
      "Nummer 1. Die Mädchen sind Mia Tan, weiblich, geboren am 3. Mai 2022, und Lena Tan, weiblich, geboren am 20. Januar 2016.",
    ],
    [
      "es",
      "somos dos adultos y dos niñas de 4 y 10 años",
      "el número 1. Las niñas son Mia Tan, mujer, nacida el 3 de mayo de 2022, y Lena Tan, mujer, nacida el 20 de enero de 2016.",
    ],
  ] as const)("in %s is of the one beside whom it is said, and no travel date: %s, %s", async (locale, party, said) => {
    const own = { email: "demo@example.com", phoneNumber: "+493012345678" };
    const answers = { list_travelers: { travelers: [{ userId: "user_demo", isCaller: true, profile: own }] } };
    const turns = await talkWithRules([`${FLIGHT[locale]}, ${party}`, said], { locale, companions: [], answers });
    expect(last(turns, "search_more_flights")).toMatchObject({ departureDate: "2027-01-12" });
    expect(last(turns, "search_more_flights")).toMatchObject({ ages: { length: 4 } });
    const saved = turns.flatMap(({ calls }) => calls.filter(({ name }) => name === "save_traveler"));
    for (const { args } of saved) {
      const { givenName, bornOn } = Object(args);
      expect(bornOn).toBe(givenName === "Mia" ? "2022-05-03" : "2016-01-20");
    }
    expect(saved).toHaveLength(2);
  });

  it.each([
    ["en", "we are two adults and two kids aged 4 and 10", "The birthdays are 3 May 2022 and 20 January 2016."],
    ["en", "we are two adults and two kids aged 4 and 10", "3 May 2022 is my younger daughter's birthday."],
    [
      "en",
      "we are two adults and two kids aged 4 and 10",
      "That's my younger daughter's birthday, not a travel date. Still the flight on 12 January, number 1.",
    ],
    ["en", "we are two adults and two kids aged 4 and 10", "My son's birthday is on 14 May."],
    [
      "de",
      "wir sind zwei Erwachsene und zwei Kinder, 4 und 10 Jahre",
      "Mein Sohn ist am 3. März 2022 geboren und meine Tochter am 20. Januar 2016.",
    ],
    ["de", "wir sind zwei Erwachsene und zwei Kinder, 4 und 10 Jahre", "Der Geburtstag meines Sohnes ist der 14. Mai."],
    [
      "de",
      "wir sind zwei Erwachsene und zwei Kinder, 4 und 10 Jahre",
      "Nein, das ist der Geburtstag meines Sohnes. Wir fliegen am 12. Januar.",
    ],
    [
      "es",
      "somos dos adultos y dos niñas de 4 y 10 años",
      "Los cumpleaños son el 3 de mayo de 2022 y el 20 de enero de 2016.",
    ],
    ["es", "somos dos adultos y dos niñas de 4 y 10 años", "El cumpleaños de mi hija es el 14 de mayo."],
    [
      "es",
      "somos dos adultos y dos niñas de 4 y 10 años",
      "No, eso es el cumpleaños de mi hija. Volamos el 12 de enero.",
    ],
  ] as const)("in %s changes neither the day nor who travels: %s, %s", async (locale, party, said) => {
    const again = { en: "search the flights again", de: "such die Flüge noch einmal", es: "busca los vuelos otra vez" };
    const turns = await talkWithRules([`${FLIGHT[locale]}, ${party}`, said, again[locale]], { locale, companions: [] });
    expect(turns.map(({ question }) => question)).not.toContain("departureDate");
    const search = last(turns.slice(2), "search_more_flights");
    expect(search).toMatchObject({ departureDate: "2027-01-12", ages: [30, 30, 4, 10] });
    expect(search).not.toHaveProperty("returnDate");
  });

  it("and all else that is said of two people is each one's own", async () => {
    const own = { email: "demo@example.com", phoneNumber: "+493012345678" };
    const answers = { list_travelers: { travelers: [{ userId: "user_demo", isCaller: true, profile: own }] } };
    const turns = await talkWithRules(
      [
        "meine Frau und ich wollen mit unserem vierjährigen Sohn vom 8. bis 12. Juni von Wien nach Athen fliegen",
        "Der günstigste davon, und meine Frau heißt Julia Berger, geboren am 9.4.1990, julia.berger@example.com, +43 664 1234567, und mein Sohn Paul Berger ist am 3. März 2023 geboren.",
      ],
      { locale: "de", companions: [], answers },
    );
    const saved = turns.flatMap(({ calls }) => calls.filter(({ name }) => name === "save_traveler"));
    expect(saved).toMatchObject([
      { args: { givenName: "Julia", bornOn: "1990-04-09", gender: "f", email: "julia.berger@example.com" } },
      { args: { givenName: "Paul", bornOn: "2023-03-03", gender: "m", email: "demo@example.com" } },
    ]);
  });

  it("of the day on which somebody wants to travel is one", async () => {
    const turns = await talkWithRules(["one-way flight from London to Rome for my birthday on 14 May 2027"]);
    expect(last(turns, "search_flights")).toMatchObject({ departureDate: "2027-05-14" });
  });
});

it.each([
  ["en", "non-stop", "One stop is fine too."],
  ["en", "non-stop", "1 stop would be fine"],
  ["de", "nonstop", "Ein Stopp ist auch in Ordnung."],
  ["es", "directo", "Una escala también está bien."],
] as const)("in %s, %s is taken back: %s", async (locale, nonStop, said) => {
  const turns = await talkWithRules([`${FLIGHT[locale]}, ${nonStop}`, said], { locale });
  expect(turns[0]?.calls).toContainEqual(
    expect.objectContaining({ args: expect.objectContaining({ directOnly: true }) }),
  );
  const search = turns[1]?.calls.at(-1);
  expect(search?.name).toMatch(/^search_/);
  expect(search?.args).not.toHaveProperty("directOnly");
});

it.each([
  ["en", "not before 10 am", "Fine, forget the time, show me all flights."],
  ["en", "not before 10 am", "the time doesn't matter"],
  ["de", "Abflug nicht vor 10 Uhr", "Gut, vergiss die Uhrzeit, zeig mir alle Flüge."],
  ["es", "con salida después de las 10:00", "Vale, olvida la hora, muéstrame todos los vuelos."],
] as const)("in %s, a wish of time is dropped: %s, %s", async (locale, time, said) => {
  const turns = await talkWithRules([`${FLIGHT[locale]}, ${time}`, said], { locale });
  expect(last(turns.slice(0, 1), "search_more_flights")).toMatchObject({ departs: { from: "10:00" } });
  expect(turns[1]?.calls.at(-1)?.name).toMatch(/^search_/);
  expect(turns[1]?.calls.at(-1)?.args).not.toHaveProperty("departs");
});

it.each([
  ["en", "My mother-in-law takes the dog, could we leave on 14 January?", "No dog is coming. Make it 15 January."],
  [
    "de",
    "Meine Schwiegermutter nimmt den Hund, wir fliegen am 14. Januar",
    "Der Hund fliegt nicht mit. Doch am 15. Januar.",
  ],
  ["es", "Mi suegra cuida al perro, mejor el 14 de enero", "El perro no viene. Mejor el 15 de enero."],
] as const)("in %s, that pets cannot be booked is said once, and the rest is done: %s, %s", async (locale, ...said) => {
  const turns = await talkWithRules([FLIGHT[locale], ...said], { locale });
  const PETS = /pets|Tieren|mascotas/;
  expect(last(turns.slice(0, 2), "search_flights")).toMatchObject({ departureDate: "2027-01-14" });
  expect(turns[1]?.text).toMatch(PETS);
  expect(last(turns, "search_flights")).toMatchObject({ departureDate: "2027-01-15" });
  expect(turns[2]?.text).not.toMatch(PETS);
});
