import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

interface Turn {
  readonly text: string;
  readonly question: string | undefined;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}
const last = (turns: readonly Turn[], name: string) =>
  turns.flatMap(({ calls }) => calls.filter((one) => one.name === name)).at(-1)?.args;

describe("names", () => {
  it.each([
    ["en", "flight for Hannah Okafor and me from London to Rome on 12 January"],
    ["de", "ein Flug für Hannah Okafor und mich von London nach Rom am 12. Januar"],
    ["es", "un vuelo para Hannah Okafor y yo de Londres a Roma el 12 de enero"],
  ])("in %s, one who has a profile is one traveler: %s", async (locale, said) => {
    const turns = await talkWithRules([said], { locale, companions: ["Hannah Okafor"] });
    expect(last(turns, "search_flights")).toMatchObject({ passengers: 2 });
    expect(turns[0]?.text).not.toMatch(/no profile|kein Profil|ningún perfil/);
  });

  it.each([
    [
      "en",
      "my wife Karin and I want to fly from Vienna to Athens on 3 May",
      "number 1. Karin Brandt, born 4 July 1985, female, karin@example.com, +43 660 1234567",
    ],
    [
      "de",
      "meine Frau Karin und ich möchten am 3. Mai von Wien nach Athen fliegen",
      "Nummer 1. Karin Brandt, geboren am 4. Juli 1985, weiblich, karin@example.com, +43 660 1234567",
    ],
    [
      "es",
      "mi esposa Karin y yo queremos volar de Viena a Atenas el 3 de mayo",
      "el número 1. Karin Brandt, nacida el 4 de julio de 1985, mujer, karin@example.com, +43 660 1234567",
    ],
  ])(
    "in %s, the full name counts after the first name, and the profile that is saved is used: %s",
    async (locale, ...said) => {
      const turns = await talkWithRules(said, { locale, companions: [] });
      expect(last(turns, "save_traveler")).toMatchObject({
        givenName: "Karin",
        familyName: "Brandt",
        bornOn: "1985-07-04",
      });
      expect(last(turns, "book_flight")).toMatchObject({
        additionalCustomerUserIds: [expect.stringMatching(/karin_brandt/)],
      });
    },
  );

  it("who was saved is known by the first name afterwards", async () => {
    const turns = await talkWithRules(
      [
        "my friend Mia Bennett and I want to fly from Vienna to Athens on 3 May",
        "number 1. Mia Bennett, born 4 July 1985, female, mia@example.com, +43 660 1234567",
        "another flight, please: for Mia and me from Vienna to Rome on 10 May",
        "the cheapest",
      ],
      { companions: [] },
    );
    expect(turns[3]?.text).not.toMatch(/no profile/);
    expect(turns[3]?.calls.at(-1)).toMatchObject({ name: "book_flight" });
  });
});

describe("fewer travelers", () => {
  const FAMILY = {
    en: "we are two adults and our daughter of six, a flight from Toronto to Vancouver on 15 May, please",
    de: "wir sind zwei Erwachsene und unsere Tochter, 6 Jahre, und suchen einen Flug von Toronto nach Vancouver am 15. Mai",
    es: "somos dos adultos y nuestra hija de 6 años, queremos un vuelo de Toronto a Vancouver el 15 de mayo",
  } as const;

  it.each([
    ["en", "my husband has to work, so it would only be me and our daughter"],
    ["en", "just the two of us, then"],
    ["en", "I need one adult and one child"],
    ["en", "for two people, not three"],
    ["en", "me and one child aged six, nobody else"],
    ["de", "mein Mann muss arbeiten, es wären nur ich und unsere Tochter"],
    ["de", "doch nur ein Erwachsener und ein Kind"],
    ["es", "mi marido tiene que trabajar, seríamos solo yo y nuestra hija"],
  ] as const)("in %s are one adult and the child, whose age is known: %s", async (locale, said) => {
    const turns = await talkWithRules([FAMILY[locale], said], { locale, companions: [] });
    expect(last(turns.slice(0, 1), "search_more_flights")).toMatchObject({ ages: [30, 30, 6] });
    expect(turns[1]?.question).toBeUndefined();
    expect(last(turns, "search_more_flights")).toMatchObject({ ages: [30, 6] });
  });

  it.each([
    "my husband doesn't like early flights, rather leave on 16 May",
    "my husband can't sleep on planes, rather leave on 16 May",
  ])("but not because of what somebody cannot do: %s", async (said) => {
    const turns = await talkWithRules(["a flight for my husband and me from Toronto to Vancouver on 15 May", said], {
      companions: [],
    });
    const search = turns[1]?.calls.find(({ name }) => name === "search_flights");
    expect(search?.args).toMatchObject({ passengers: 2 });
  });

  it("a child's profile is asked for without an address", async () => {
    const turns = await talkWithRules(
      ["a flight for my daughter Mia, who is 6, and me from Toronto to Vancouver on 15 May"],
      { companions: [] },
    );
    expect(turns[0]?.text).toMatch(/date of birth/);
    expect(turns[0]?.text).not.toMatch(/email/);
  });
});

describe("a hotel that is described", () => {
  const stay = (name: string, distanceMeters: number, totalAmount: string) => ({
    ...{ id: `acc_${name}`, name, distanceMeters },
    rates: [{ id: name, totalAmount, totalCurrency: "EUR", totalUsdc: totalAmount }],
  });
  const accommodations = [stay("Hotel A", 3000, "100.40"), stay("Hotel B", 612, "253.29")];
  const found = { searchId: "sea_2", accommodations };
  const answers = { search_hotels: found, search_more_stays: found };

  it.each([
    ["en", "hotel in Rome from 12 to 15 January", "the one that's only 600 metres away looks lovely, please book it"],
    ["en", "hotel in Rome from 12 to 15 January", "book the one for 253 euros"],
    ["de", "Hotel in Rom vom 12. bis 15. Januar", "Dann nehme ich das, das nur 600 m entfernt ist"],
    ["de", "Hotel in Rom vom 12. bis 15. Januar", "Das nächste bitte"],
    ["es", "hotel en Roma del 12 al 15 de enero", "me quedo con el que está a 0,6 km"],
  ])("in %s is the one that fits: %s, %s", async (locale, ...said) => {
    const turns = await talkWithRules(said, { locale, answers });
    expect(last(turns, "quote_stay")).toEqual({ rateId: "Hotel B" });
  });

  it("near an airport is looked for there", async () => {
    const turns = await talkWithRules(["I need a bed near Dublin airport tonight, just one night"]);
    expect(last(turns, "search_hotels")).toMatchObject({ location: "DUB", checkInDate: "2026-11-27" });
  });
});

it.each([
  [
    "en",
    "flight from Hamburg to Oslo on 9 March, back on 12 March",
    "to Copenhagen instead",
    "no, let's go back to the original plan",
  ],
  [
    "de",
    "Flug von Hamburg nach Oslo am 9. März, zurück am 12. März",
    "doch lieber nach Kopenhagen und nicht nach Oslo",
    "Dann lassen wir es doch bei Oslo, bitte",
  ],
  [
    "es",
    "vuelo de Hamburgo a Oslo el 9 de marzo, vuelta el 12 de marzo",
    "mejor a Copenhague",
    "no, volvamos al plan original",
  ],
])("in %s, an earlier plan is taken up again: %s, %s, %s", async (locale, ...said) => {
  const turns = await talkWithRules(said, { locale });
  expect(last(turns.slice(0, 2), "search_flights")).toMatchObject({ origin: "HAM", destination: "CPH" });
  expect(last(turns, "search_flights")).toMatchObject({
    ...{ origin: "HAM", destination: "OSL", departureDate: "2027-03-09", returnDate: "2027-03-12" },
  });
});

it.each([
  ["en", "cancel my hotel in Athens"],
  ["de", "storniere mein Hotel in Athen"],
  ["es", "cancela mi hotel de Atenas"],
])("in %s, a hotel is found by the city of its address: %s", async (locale, said) => {
  const order = (orderId: string, what: string) => ({ orderId, kind: "stay", status: "confirmed", pnr: orderId, what });
  const addresses: Readonly<Record<string, string>> = {
    bok_1: "1 Main Street, Lisbon, PT",
    bok_2: "2 Hill Road, Athens, GR",
  };
  const read_order = (args: unknown) => {
    const { orderId } = Object(args);
    return { ...order(orderId, ""), stay: { accommodationAddress: addresses[orderId] } };
  };
  const list_orders = { orders: [order("bok_1", "Hotel A"), order("bok_2", "Hotel B")] };
  const turns = await talkWithRules([said], { locale, answers: { list_orders, read_order } });
  expect(last(turns, "cancel_order_quote")).toEqual({ orderId: "bok_2" });
});
