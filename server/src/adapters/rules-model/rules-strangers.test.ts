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
type Language = keyof typeof FLIGHT;

const talk = async (locale: string, ...say: readonly string[]) => await talkWithRules(say, { locale });
const listNames = (turns: readonly { calls: readonly { name: string }[] }[]) =>
  turns.flatMap(({ calls }) => calls.map(({ name }) => name));

describe("days", () => {
  it.each([
    ["en", "flight from Hamburg to Madrid a week from tomorrow", "2026-12-05"],
    ["en", "flight from Hamburg to Madrid tomorrow in two weeks", "2026-12-12"],
    ["de", "Flug von Hamburg nach Madrid morgen in zwei Wochen", "2026-12-12"],
    ["de", "Flug von Hamburg nach Madrid heute in einer Woche", "2026-12-04"],
    ["de", "Flug von Hamburg nach Madrid am Montag in zwei Wochen", "2026-12-14"],
    ["es", "vuelo de Hamburgo a Madrid mañana en dos semanas", "2026-12-12"],
  ])("in %s are counted from a day: %s", async (locale, said, departureDate) => {
    const [turn] = await talk(locale, said);
    expect(turn?.calls).toMatchObject([{ args: { departureDate } }]);
  });

  it.each([
    ["en", "fly from Hamburg to Madrid on Friday 18 December and back on Sunday"],
    ["de", "Flug von Hamburg nach Madrid am Freitag, 18. Dezember, zurück am Sonntag"],
    ["es", "ir de Hamburgo a Madrid el viernes 18 de diciembre y volver el domingo"],
  ])("in %s of the week are after the journey has begun: %s", async (locale, said) => {
    const [turn] = await talk(locale, said);
    expect(turn?.calls).toMatchObject([{ args: { departureDate: "2026-12-18", returnDate: "2026-12-20" } }]);
  });

  it.each([
    ["en", "flight from Hamburg to Madrid on 18 December, back on the 20th", "rather leave on Thursday"],
    ["de", "Flug von Hamburg nach Madrid am 18. Dezember, zurück am 20.", "doch lieber am Donnerstag hin"],
    ["es", "vuelo de Hamburgo a Madrid el 18 de diciembre, vuelta el 20", "mejor salimos el jueves"],
  ])("in %s correct the nearest one: %s, %s", async (locale, ...said) => {
    const turns = await talk(locale, ...said);
    expect(turns.at(-1)?.calls.at(-1)).toMatchObject({
      args: { departureDate: "2026-12-17", returnDate: "2026-12-20" },
    });
  });
});

describe("a hotel where the journey goes", () => {
  it.each([
    ["en", `${FLIGHT.en}, back on the 15th`, "can you also find me a hotel in Madrid?"],
    ["de", `${FLIGHT.de}, zurück am 15.`, "ich brauche dazu noch ein Hotel in Madrid"],
    ["es", `${FLIGHT.es}, vuelta el 15`, "y un hotel en Madrid, por favor"],
    ["en", `${FLIGHT.en}, back on the 15th`, "and a hotel near the Prado, please"],
  ])("in %s is for its days: %s, %s", async (locale, ...said) => {
    const turns = await talk(locale, ...said);
    const args = { checkInDate: "2027-01-12", checkOutDate: "2027-01-15", location: expect.stringMatching(/Madrid/) };
    expect(turns.at(-1)?.calls[0]).toMatchObject({ name: "search_hotels", args });
  });

  it.each([
    ["en", `${FLIGHT.en}, back on the 15th`, "and a hotel in Vienna?"],
    ["de", `${FLIGHT.de}, zurück am 15.`, "und ein Hotel in Wien?"],
    ["es", `${FLIGHT.es}, vuelta el 15`, "¿y un hotel en Viena?"],
  ])("in %s is not one elsewhere: %s, %s", async (locale, ...said) => {
    expect((await talk(locale, ...said)).at(-1)?.question).toBe("checkInDate");
  });
});

describe("a question beside a booking", () => {
  it.each([
    ["en", "take the second one", "wait, is breakfast included?", "yes"],
    ["en", "take the second one", "wait, can it be cancelled?", "ok book it"],
    ["de", "nimm das zweite", "Moment, ist Frühstück dabei?", "ja, buch das"],
    ["es", "reserva el segundo", "espera, ¿incluye desayuno?", "sí, resérvalo"],
  ] as const)("in %s leaves it to be shown again: %s, %s, %s", async (language: Language, ...said) => {
    const turns = await talkWithRules([HOTEL[language], ...said], { locale: language, onSpend: "withdraw" });
    expect(turns[2]?.text).toContain("Hotel B");
    const deed = turns[1]?.calls.filter(({ name }) => name === "book_stay");
    expect(turns[2]?.calls).toEqual(deed);
    expect(turns.at(-1)?.calls).toEqual(deed);
  });

  it.each([
    ["en", "take the second one", "actually I changed my mind, cancel the hotel"],
    ["de", "nimm das zweite", "ach nein, storniere das Hotel"],
    ["es", "reserva el segundo", "cambié de opinión, cancela el hotel"],
  ] as const)("in %s may end with what was not booked: %s, %s", async (language: Language, ...said) => {
    const turns = await talkWithRules([HOTEL[language], ...said], { locale: language, onSpend: "withdraw" });
    expect(turns.at(-1)).toMatchObject({ calls: [], question: undefined });
    expect(turns.at(-1)?.text).toMatch(/dropped|verworfen|descartado/);
  });

  it.each([
    ["en", "which one is the cheapest?", "book it"],
    ["de", "welcher ist der günstigste?", "den buchen bitte"],
    ["es", "¿cuál es el más barato?", "resérvalo"],
  ] as const)('in %s books nothing, and says what "it" is: %s, %s', async (language: Language, ...said) => {
    const turns = await talk(language, FLIGHT[language], ...said);
    expect(listNames(turns.slice(1, 2))).not.toContain("book_flight");
    expect(turns[1]?.text).toMatch(/90[.,]00/);
    expect(turns.at(-1)?.calls).toEqual([{ name: "book_flight", args: { offerId: "off_3" } }]);
  });

  it.each([
    ["en", "how much luggage can I take?"],
    ["en", "is a suitcase included?"],
    ["de", "wie viel Gepäck ist dabei?"],
    ["es", "¿cuántas maletas incluye?"],
  ] as const)("in %s about bags asks for none: %s", async (language: Language, said) => {
    const turns = await talk(language, FLIGHT[language], said);
    expect(listNames(turns)).toEqual(["search_flights", "display_offer_conditions"]);
  });
});

describe("a yes that answers nothing", () => {
  it.each([
    ["en", "hotel in Rome", "yes", "checkInDate"],
    ["de", "Hotel in Rom", "ja", "checkInDate"],
    ["es", "hotel en Roma", "sí", "checkInDate"],
    ["en", "flight to Rome", "yes please", "origin"],
  ])("in %s keeps the question: %s, %s", async (locale, first, yes, slot) => {
    expect((await talk(locale, first, yes)).at(-1)?.question).toBe(slot);
  });

  it.each([
    ["en", "yes", /Nothing is waiting/],
    ["de", "ja", /wartet nichts/],
    ["es", "sí", /nada que confirmar/],
  ])("in %s says so: %s", async (locale, yes, expected) => {
    const [turn] = await talk(locale, yes);
    expect(turn).toMatchObject({ calls: [], text: expect.stringMatching(expected) });
  });
});

it.each([
  ["en", "cancel my hotel", /no such booking/],
  ["de", "storniere mein Hotel", /keine solche Buchung/],
  ["es", "cancela mi hotel", /ninguna reserva así/],
])("offers no flights to cancel instead of a hotel: %s, %s", async (locale, said, expected) => {
  const [turn] = await talk(locale, said);
  expect(turn).toMatchObject({ question: undefined, text: expect.stringMatching(expected) });
});

it.each([
  ["en", "cancel my flight", "forget it"],
  ["de", "storniere meinen Flug", "vergiss es"],
  ["es", "cancela mi vuelo", "déjalo"],
])("drops a question about which booking: %s, %s, %s", async (locale, ...said) => {
  const turns = await talk(locale, ...said);
  expect(turns[0]?.question).toBe("order");
  expect(turns.at(-1)).toMatchObject({ calls: [], question: undefined });
});

it.each([
  ["en", "just me, in the end I travel alone"],
  ["de", "nur ich, am Ende reise ich allein"],
  ["es", "solo yo, al final viajo solo"],
] as const)("takes no ordinary word for a place: %s, %s", async (language: Language, said) => {
  const two = { en: " for two people", de: " für zwei Personen", es: " para dos personas" }[language];
  const turns = await talk(language, FLIGHT[language] + two, said);
  expect(turns.at(-1)?.calls).toMatchObject([{ name: "search_flights", args: { origin: "HAM", destination: "MAD" } }]);
  expect(turns.at(-1)?.calls[0]?.args).not.toHaveProperty("passengers");
});

it.each([
  ["en", `${FLIGHT.en}, window seat please`, /seats/],
  ["de", `${FLIGHT.de}, Fensterplatz bitte`, /Sitzplätze/],
  ["es", `${FLIGHT.es}, con ventanilla`, /asientos/],
])("says that it chooses no seats: %s, %s", async (locale, said, expected) => {
  const [turn] = await talk(locale, said);
  expect(turn?.calls).toMatchObject([{ name: "search_flights" }]);
  expect(turn?.text).toMatch(expected);
});

it.each([
  ["en", `${FLIGHT.en} for me and Marco`, "two suitcases, one per person"],
  ["de", `${FLIGHT.de} für mich und Marco`, "wir haben zwei Koffer, also einen pro Person"],
  ["es", `${FLIGHT.es} para Marco y para mí`, "dos maletas, una por persona"],
])("counts bags together, and nobody by them: %s, %s, %s", async (locale, ...said) => {
  const turns = await talk(locale, ...said);
  expect(turns.at(-1)?.calls).toMatchObject([
    { name: "search_flights", args: { passengers: 2 } },
    { name: "search_more_flights", args: { checkedBags: 1 } },
  ]);
});

it.each([
  ["en", "a hotel in Rome from 12 to 15 January that I can still cancel"],
  ["de", "ein Hotel in Rom vom 12. bis 15. Januar, das ich noch stornieren kann"],
  ["es", "un hotel en Roma del 12 al 15 de enero que pueda cancelar"],
])("looks for what can be cancelled, and cancels nothing: %s, %s", async (locale, said) => {
  const [turn] = await talk(locale, said);
  expect(turn?.calls.at(-1)).toMatchObject({ name: "search_more_stays", args: { refundable: true } });
});

it.each([
  ["en", "my flight to Madrid doesn't suit me, is 20 January possible?"],
  ["de", "mein Flug nach Madrid passt nicht mehr, geht auch der 20. Januar?"],
  ["es", "mi vuelo a Madrid no me viene bien, ¿puede ser el 20 de enero?"],
])("changes what no longer suits: %s, %s", async (locale, said) => {
  const [turn] = await talk(locale, said);
  expect(turn?.calls.at(-1)).toMatchObject({ name: "request_order_change", args: { orderId: "ord_mad" } });
});

it.each([
  ["en", "never mind, the second one"],
  ["de", "egal, das zweite"],
  ["es", "da igual, el segundo"],
] as const)("takes an answer after a shrug: %s, %s", async (language: Language, said) => {
  const turns = await talk(language, HOTEL[language], said);
  expect(turns.at(-1)?.calls.at(-1)).toMatchObject({ name: "book_stay", args: { quoteId: "quo_rat_2" } });
});

it.each([
  [
    "en",
    "flight from Madrid to Lisbon on 12 January, back on the 15th, and a hotel there",
    "book the first",
    "and the second hotel",
  ],
  [
    "de",
    "Flug von Madrid nach Lissabon am 12. Januar, zurück am 15., und dort ein Hotel",
    "buch den ersten",
    "und das zweite Hotel",
  ],
  [
    "es",
    "vuelo de Madrid a Lisboa el 12 de enero, vuelta el 15, y allí un hotel",
    "reserva el primero",
    "y el segundo hotel",
  ],
])("goes from the flight to its hotel: %s, %s, %s, %s", async (locale, ...said) => {
  const turns = await talk(locale, ...said);
  expect(turns[1]?.calls.at(-1)).toMatchObject({
    name: "search_hotels",
    args: { checkInDate: "2027-01-12", checkOutDate: "2027-01-15" },
  });
  expect(turns.at(-1)?.calls.at(-1)).toMatchObject({ name: "book_stay", args: { quoteId: "quo_rat_2" } });
});

it.each([
  ["en", "rather until the 16th"],
  ["de", "lieber bis zum 16."],
  ["es", "mejor hasta el 16"],
] as const)("moves the end of a stay: %s, %s", async (language: Language, said) => {
  const turns = await talk(language, HOTEL[language], said);
  expect(turns.at(-1)?.calls.at(-1)).toMatchObject({
    args: { checkInDate: "2027-01-12", checkOutDate: "2027-01-16" },
  });
});

it("reads Spanish that is written by ear", async () => {
  const turns = await talk("es", "un buelo de Hamburgo a Madrid el 12 de enero", "el mas varato");
  expect(turns.at(-1)?.calls).toEqual([{ name: "book_flight", args: { offerId: "off_3" } }]);
});

it("takes the other passport for the same country", async () => {
  const travelers = [{ userId: "user_demo", isCaller: true, profile: { passports: [{ nationality: "DEU" }] } }];
  const said = ["my passport is Indian, do I need a visa for Japan on 10 January?", "ok and with the German one?"];
  const turns = await talkWithRules(said, { answers: { list_travelers: { travelers } } });
  expect(turns.at(-1)?.calls.at(-1)).toMatchObject({
    name: "check_travel_eligibility",
    args: { originIso3: "DEU", destinationIso3: "JPN" },
  });
});
