import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const FLIGHT = {
  en: "flight from Hamburg to Madrid on 12 January",
  de: "Flug von Hamburg nach Madrid am 12. Januar",
  es: "vuelo de Hamburgo a Madrid el 12 de enero",
} as const;
type Language = keyof typeof FLIGHT;

const listNames = (turns: readonly { calls: readonly { name: string }[] }[]) =>
  turns.flatMap(({ calls }) => calls.map(({ name }) => name));

describe("emergency numbers", () => {
  it.each([
    ["en", "what's the emergency number in Lisbon?"],
    ["en", "how do I call an ambulance in Lisbon"],
    ["en", "I need the police in Lisbon, which number?"],
    ["de", "Notruf in Lissabon?"],
    ["de", "Welche Nummer hat die Polizei in Lissabon?"],
    ["de", "wie rufe ich in Lissabon einen Krankenwagen?"],
    ["es", "¿cuál es el número de emergencias en Lisboa?"],
    ["es", "¿a qué número llamo a una ambulancia en Lisboa?"],
    ["es", "teléfono de la policía en Lisboa"],
  ])("in %s are looked up: %s", async (locale, said) => {
    const answers = {
      travel_safety_aid: {
        emergency: { general: ["112"], police: "112", ambulance: "112", fire: "112", agreement: "both" },
      },
    };
    const [turn] = await talkWithRules([said], { locale, answers });
    expect(listNames([turn ?? { calls: [] }])).toEqual(["geocode_trip_stop", "travel_safety_aid"]);
    expect(turn?.text).toContain("112");
  });

  it.each([
    ["en", "what's the refund on my flight to Madrid if I cancel?", "what's the emergency number in Lisbon?"],
    ["de", "was bekomme ich zurück, wenn ich meinen Flug nach Madrid storniere?", "Notruf in Lissabon?"],
    ["es", "¿cuánto me devuelven si cancelo mi vuelo a Madrid?", "¿cuál es el número de emergencias en Lisboa?"],
  ])("in %s cancel nothing that was asked about before", async (locale, ...said) => {
    const turns = await talkWithRules(said, { locale });
    expect(listNames(turns)).not.toContain("confirm_cancel_order");
    expect(listNames(turns).at(-1)).toBe("travel_safety_aid");
  });
});

describe("what cannot be booked", () => {
  it.each([
    ["en", "can you get me a train from Lisbon to Porto?", /train/],
    ["en", "book me a train ticket to Porto on 12 January", /train/],
    ["en", "are there buses from Lisbon to Porto on Friday?", /bus/],
    ["en", "I need a rental car in Lisbon from 12 to 15 January", /car/],
    ["en", "and can I rent a car there?", /car/],
    ["en", "a ferry from Athens to Santorini on 12 January please", /ferr/],
    ["en", "can you insure my trip?", /insurance/],
    ["de", "gibt es einen Zug von Wien nach Salzburg?", /Zug|Züge/],
    ["de", "ich möchte mit der Bahn von Wien nach Salzburg am 12. Januar", /Züge/],
    ["de", "ich brauche einen Mietwagen in Wien vom 12. bis 15. Januar", /Mietwagen/],
    ["de", "ein Auto mieten in Wien", /Mietwagen/],
    ["de", "fährt ein Bus von Wien nach Graz?", /Bus/],
    ["es", "¿hay tren de Lisboa a Oporto?", /tren/],
    ["es", "quiero alquilar un coche en Lisboa del 12 al 15 de enero", /coche/],
    ["es", "un autobús de Madrid a Toledo el 12 de enero", /autobus/],
    ["es", "billetes de tren de Madrid a Sevilla para el 12 de enero", /tren/],
  ])("in %s is not taken for a flight or a hotel: %s", async (locale, said, expected) => {
    const turns = await talkWithRules([said], { locale });
    expect(listNames(turns)).toEqual([]);
    expect(turns[0]?.question).toBeUndefined();
    expect(turns[0]?.text).toMatch(expected);
    expect(turns[0]?.text).toMatch(/flights? .*hotels?|Flüge .*Hotels|vuelos .*hoteles/);
  });

  it.each([
    ["en", "flight from Hamburg to Madrid on 12 January, and a rental car there", /car/],
    ["de", "Flug von Hamburg nach Madrid am 12. Januar und dort einen Mietwagen", /Mietwagen/],
    ["es", "vuelo de Hamburgo a Madrid el 12 de enero y un coche de alquiler", /coche/],
  ])("in %s does not hold up what can be: %s", async (locale, said, expected) => {
    const [turn] = await talkWithRules([said], { locale });
    expect(turn?.calls).toMatchObject([{ name: "search_flights", args: { origin: "HAM", destination: "MAD" } }]);
    expect(turn?.text).toMatch(expected);
  });

  it.each([
    ["en", "how do I get from the airport in Lisbon to the city by train?"],
    ["de", "wie komme ich vom Flughafen Lissabon mit dem Zug in die Stadt?"],
    ["es", "¿cómo llego del aeropuerto de Lisboa al centro en tren?"],
  ])("in %s is no matter of the way from the airport: %s", async (locale, said) => {
    const turns = await talkWithRules([said], { locale });
    expect(listNames(turns)[0]).toBe("find_airports_nearby");
  });
});

describe("bags", () => {
  it.each([
    ["en", FLIGHT.en, "with two suitcases", 2],
    ["en", `${FLIGHT.en} with a suitcase`, "make it the 14th", 1],
    ["en", `${FLIGHT.en}, one checked bag`, "business class please", 1],
    ["en", FLIGHT.en, "we have 3 bags to check in", 3],
    ["de", FLIGHT.de, "mit zwei Koffern", 2],
    ["de", `${FLIGHT.de} mit einem Koffer`, "doch am 14.", 1],
    ["de", FLIGHT.de, "ich habe noch Aufgabegepäck", 1],
    ["es", FLIGHT.es, "con dos maletas", 2],
    ["es", `${FLIGHT.es} con una maleta facturada`, "mejor el 14", 1],
    ["es", FLIGHT.es, "llevo equipaje facturado", 1],
  ])("in %s stay in the request: %s, %s", async (locale, first, second, checkedBags) => {
    const turns = await talkWithRules([first, second], { locale });
    expect(turns.at(-1)?.calls.at(-1)).toMatchObject({ name: "search_more_flights", args: { checkedBags } });
  });

  it.each([
    ["en", `${FLIGHT.en}, only hand luggage`],
    ["en", `${FLIGHT.en}, no checked bags`],
    ["en", `${FLIGHT.en} with a carry-on`],
    ["de", `${FLIGHT.de}, nur Handgepäck`],
    ["de", `${FLIGHT.de} ohne Koffer`],
    ["es", `${FLIGHT.es}, solo equipaje de mano`],
    ["es", `${FLIGHT.es} sin maletas`],
  ])("in %s are none where that is said: %s", async (locale, said) => {
    const [turn] = await talkWithRules([said], { locale });
    expect(turn?.calls.map(({ name }) => name)).toEqual(["search_flights"]);
  });

  it.each([
    ["en", `${FLIGHT.en} with a suitcase`, /checked bags/],
    ["de", `${FLIGHT.de} mit einem Koffer`, /Aufgabegepäck/],
    ["es", `${FLIGHT.es} con una maleta`, /[Ee]quipaje facturado/],
  ])("in %s are named in what is shown", async (locale, said, expected) => {
    const [turn] = await talkWithRules([said], { locale });
    expect(turn?.text).toMatch(expected);
  });
});

describe("the cheapest, while a booking is changed", () => {
  const offers = [9, 10, 11].map((hour, index) => ({
    id: `oco_${index + 1}`,
    changeTotalAmount: ["30.00", "5.00", "12.00"][index],
    changeTotalCurrency: "USD",
    slices: {
      add: [
        {
          origin: "FRA",
          destination: "MAD",
          segments: [
            {
              flightNumber: `LH1${index}`,
              origin: "FRA",
              destination: "MAD",
              departingAt: `2027-01-20T${String(hour).padStart(2, "0")}:00:00`,
              arrivingAt: "2027-01-20T20:00:00",
            },
          ],
        },
      ],
    },
  }));
  it.each([
    ["en", "move my flight to Madrid to 20 January", "the cheapest"],
    ["en", "move my flight to Madrid to 20 January", "ok take the cheapest one please"],
    ["de", "verschiebe meinen Flug nach Madrid auf den 20. Januar", "die günstigste"],
    ["de", "verschiebe meinen Flug nach Madrid auf den 20. Januar", "dann die billigste Umbuchung bitte"],
    ["de", "buche meinen Flug nach Madrid auf den 20. Januar um", "nimm die günstigste Änderung"],
    ["es", "cambia mi vuelo a Madrid al 20 de enero", "la más barata"],
    ["es", "cambia mi vuelo a Madrid al 20 de enero", "el cambio más barato, por favor"],
  ])("in %s chooses among the changes: %s, %s", async (locale, ...said) => {
    const turns = await talkWithRules(said, {
      locale,
      answers: { request_order_change: { orderId: "ord_mad", offers } },
    });
    expect(turns.at(-1)?.calls[0]).toEqual({ name: "select_order_change_offer", args: { offerId: "oco_2" } });
    expect(listNames(turns)).not.toContain("search_flights");
  });
});

describe("somebody without a profile", () => {
  it.each([
    ["en", "I want to fly with Giulia Rossi from Hamburg to Madrid on 12 January", "Giulia Rossi"],
    ["en", "flight for me and Giulia from Hamburg to Madrid on 12 January", "Giulia"],
    ["en", "flights for Giulia Rossi and me, Hamburg to Madrid on 12 January", "Giulia Rossi"],
    ["en", "Giulia and I need a flight from Hamburg to Madrid on 12 January", "Giulia"],
    ["de", "Flug für mich und Heinrich von Hamburg nach Madrid am 12. Januar", "Heinrich"],
    ["de", "ich fliege mit Giulia Rossi von Hamburg nach Madrid am 12. Januar", "Giulia Rossi"],
    ["de", "Giulia und ich brauchen einen Flug von Hamburg nach Madrid am 12. Januar", "Giulia"],
    ["es", "un vuelo para mí y Fernando de Hamburgo a Madrid el 12 de enero", "Fernando"],
    ["es", "quiero volar con Giulia Rossi de Hamburgo a Madrid el 12 de enero", "Giulia Rossi"],
    ["es", "Fernando y yo necesitamos un vuelo de Hamburgo a Madrid el 12 de enero", "Fernando"],
  ])("in %s has a seat, and is said to be unknown: %s", async (locale, said, name) => {
    const book = { en: "book the first", de: "buch den ersten", es: "reserva el primero" }[locale] ?? "";
    const turns = await talkWithRules([said, book], { locale });
    expect(turns[0]?.calls).toMatchObject([
      { name: "search_flights", args: { origin: "HAM", destination: "MAD", passengers: 2 } },
    ]);
    expect(turns[0]?.text).toContain(name);
    expect(listNames(turns)).not.toContain("book_flight");
    expect(turns[1]?.text).toContain(name);
  });

  it.each([
    ["en", "flight for Marco and me from Hamburg to Madrid on 12 January"],
    ["de", "Flug für Marco und mich von Hamburg nach Madrid am 12. Januar"],
    ["es", "vuelo para Marco y para mí de Hamburgo a Madrid el 12 de enero"],
  ])("in %s is not somebody of the trip: %s", async (locale, said) => {
    const book = { en: "book the first", de: "buch den ersten", es: "reserva el primero" }[locale] ?? "";
    const turns = await talkWithRules([said, book], { locale });
    expect(turns[1]?.calls).toEqual([
      { name: "book_flight", args: { offerId: "off_1", additionalCustomerUserIds: ["user_marco"] } },
    ]);
  });

  it.each([
    ["en", "hotel in Rome with Breakfast from 12 to 15 January"],
    ["en", "a flight with Iberia from Hamburg to Madrid on 12 January"],
    ["de", "Hotel in Rom mit Frühstück und Meerblick vom 12. bis 15. Januar"],
    ["de", "Flug von Hamburg nach Madrid mit Sitzplatz am Fenster am 12. Januar"],
    ["de", "Hotel in Rom mit Parkplatz vom 12. bis 15. Januar"],
    ["es", "hotel en Roma con Desayuno del 12 al 15 de enero"],
  ])("in %s is not a thing: %s", async (locale, said) => {
    const [turn] = await talkWithRules([said], { locale });
    expect(turn?.calls[0]?.args).not.toHaveProperty("passengers");
    expect(turn?.calls[0]?.args).not.toHaveProperty("guests");
  });
});

describe("the traveler's own time", () => {
  const night = Temporal.Instant.from("2026-11-27T23:30:00Z");
  it.each([
    ["en", "what time is it?", "Asia/Tokyo", /8:30/],
    ["de", "wie spät ist es?", "Europe/Berlin", /0:30|00:30/],
    ["es", "¿qué hora es?", "Europe/Madrid", /0:30/],
  ])("in %s needs no place: %s", async (locale, said, timeZone, expected) => {
    const turns = await talkWithRules([said], { locale, timeZone, now: night });
    expect(listNames(turns)).toEqual([]);
    expect(turns[0]?.text).toMatch(expected);
    expect(turns[0]?.text).toContain(timeZone);
  });

  it.each([
    ["en", "flight from Hamburg to Madrid tomorrow", "Asia/Tokyo", "2026-11-29"],
    ["de", "Flug von Hamburg nach Madrid morgen", "Europe/Berlin", "2026-11-29"],
    ["es", "vuelo de Hamburgo a Madrid mañana", "America/Mexico_City", "2026-11-28"],
  ])("in %s tells which day tomorrow is: %s in %s", async (locale, said, timeZone, departureDate) => {
    const turns = await talkWithRules([said], { locale, timeZone, now: night });
    expect(turns[0]?.calls).toMatchObject([{ args: { departureDate } }]);
  });

  it.each([
    ["en", "what time is it?", "and in Tokyo?"],
    ["de", "wie spät ist es?", "und in Tokio?"],
    ["es", "¿qué hora es?", "¿y en Tokio?"],
  ])("in %s is followed by another place's", async (locale, ...said) => {
    const turns = await talkWithRules(said, { locale });
    expect(listNames(turns)).toEqual(["geocode_trip_stop", "timezone_brief"]);
  });
});

describe("the address of the traveler", () => {
  it.each([
    [
      "de",
      "kannst du mir einen Flug nach Madrid suchen?",
      /möchtest du|dein|Wo(?:hin|her)? .*\bdu\b/i,
      /\bSie\b|\bIhr/,
    ],
    ["de", "können Sie mir einen Flug nach Madrid suchen?", /\bSie\b|\bIhr/, /\bdu\b|\bdein/i],
    ["es", "¿puedes buscarme un vuelo a Madrid?", /quieres|sales/, /\busted\b|\bquiere\b/],
    ["es", "¿podría usted buscarme un vuelo a Madrid?", /usted|quiere\b|desea/, /\bquieres\b|\btú\b/],
  ])("in %s is kept: %s", async (locale, said, expected, other) => {
    const [turn] = await talkWithRules([said], { locale });
    expect(turn?.question).toBe("origin");
    expect(turn?.text).toMatch(expected);
    expect(turn?.text).not.toMatch(other);
  });

  it.each([
    ["de", ["such mir bitte einen Flug, du bist super", "nach Madrid", "aus Hamburg"], /\bdu\b/],
    ["de", ["Könnten Sie mir helfen? Ich brauche einen Flug", "nach Madrid", "aus Hamburg"], /\bSie\b/],
    ["es", ["búscame un vuelo", "a Madrid", "desde Hamburgo"], /quieres/],
    ["es", ["¿me podría buscar un vuelo?", "a Madrid", "desde Hamburgo"], /quiere\b|desea/],
  ] as const)("in %s is kept in later turns: %s", async (locale, said: readonly string[], expected) => {
    const turns = await talkWithRules(said, { locale });
    expect(turns.at(-1)?.question).toBe("departureDate");
    expect(turns.at(-1)?.text).toMatch(expected);
  });
});

it.each([
  ["en", "flight from Madrid to Madrid on 12 January"],
  ["de", "Flug von Madrid nach Madrid am 12. Januar"],
  ["es", "vuelo de Madrid a Madrid el 12 de enero"],
])("asks where to fly if both ends are one place: %s", async (locale, said) => {
  const turns = await talkWithRules([said], { locale });
  expect(listNames(turns)).toEqual([]);
  expect(turns[0]?.question).toBe("destination");
});

it.each([
  ["en", "and a hotel there for those days please"],
  ["en", "I also need a hotel for the same dates"],
  ["de", "und ein Hotel für die Tage bitte"],
  ["de", "dazu noch ein Hotel im gleichen Zeitraum"],
  ["es", "y un hotel para esos días, por favor"],
  ["es", "también un hotel en las mismas fechas"],
] as const)("takes the days of the journey for the hotel: %s, %s", async (language: Language, said) => {
  const back = { en: ", back on the 15th", de: ", zurück am 15.", es: ", vuelta el 15" }[language];
  const book = { en: "book the first", de: "buch den ersten", es: "reserva el primero" }[language];
  const turns = await talkWithRules([FLIGHT[language] + back, book, said], { locale: language });
  expect(turns.at(-1)?.calls).toMatchObject([
    { name: "search_hotels", args: { checkInDate: "2027-01-12", checkOutDate: "2027-01-15" } },
  ]);
});

it.each([
  ["en", "cancel my flight"],
  ["en", "I want to cancel the flight that I booked"],
  ["de", "storniere meinen Flug"],
  ["es", "cancela mi vuelo"],
] as const)("cancels what is booked while other offers are shown: %s, %s", async (language: Language, said) => {
  const book = { en: "book the first", de: "buch den ersten", es: "reserva el primero" }[language];
  const other = {
    en: "flight from Lisbon to Porto on 15 January",
    de: "Flug von Lissabon nach Porto am 15. Januar",
    es: "vuelo de Lisboa a Oporto el 15 de enero",
  }[language];
  const turns = await talkWithRules([FLIGHT[language], book, other, said], { locale: language });
  expect(turns.at(-1)?.calls[0]).toEqual({ name: "cancel_order_quote", args: { orderId: "ord_new" } });
});

it.each([
  ["de", "Notruf in Wien?", /Notruf|Polizei/],
  ["de", "Hotel in Wien", /Tag/],
  ["es", "hotel en Roma", /día/],
])("keeps the traveler's language in short texts: %s, %s", async (locale, said, expected) => {
  const turns = await talkWithRules([said], { locale });
  expect(turns[0]?.text).toMatch(expected);
});
