import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

interface Turn {
  readonly text: string;
  readonly question: string | undefined;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}
const names = (turn: Turn | undefined) => turn?.calls.map(({ name }) => name);
const last = (turns: readonly Turn[], name: string) =>
  turns.flatMap(({ calls }) => calls.filter((one) => one.name === name)).at(-1)?.args;

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
const CHEAPEST = { en: "book the cheapest", de: "buch den günstigsten", es: "reserva el más barato" } as const;

describe("whether something is booked", () => {
  const booked = { orderId: "ord_new", kind: "flight", status: "confirmed", pnr: "ZZBBBB", what: "HAM to MAD" };
  const other = { orderId: "ord_x", kind: "flight", status: "confirmed", pnr: "ZZXXXX", what: "VIE to LGW" };
  const answers = { list_orders: { orders: [other, booked] } };

  it.each([
    ["en", "Thanks. But is our flight actually booked?", /^Yes.*\n- ZZBBBB/],
    ["de", "Danke, ist der Flug jetzt wirklich gebucht?", /^Ja.*\n- ZZBBBB/],
    ["es", "Gracias, ¿está reservado el vuelo?", /^Sí.*\n- ZZBBBB/],
  ] as const)("in %s is yes after a booking, with what is booked: %s", async (locale, said, expected) => {
    const turns = await talkWithRules([FLIGHT[locale], CHEAPEST[locale], said], { locale, answers });
    expect(names(turns[2])).toEqual(["list_orders"]);
    expect(turns[2]?.text).toMatch(expected);
    expect(turns[2]?.text).not.toContain("ZZXXXX");
  });

  it.each([
    ["en", "is it really booked?", /^No, the flight is not booked/],
    ["de", "ist das jetzt gebucht?", /^Nein, der Flug ist nicht gebucht/],
    ["es", "¿ya está reservado?", /^No, el vuelo no está reservado/],
  ] as const)("in %s is no before the yes, and the same is asked again: %s", async (locale, said, expected) => {
    const orders = { list_orders: { orders: [other] } };
    const turns = await talkWithRules([FLIGHT[locale], CHEAPEST[locale], said], {
      ...{ locale, answers: orders, onSpend: "withdraw" },
    });
    expect(turns[2]?.text).toMatch(expected);
    expect(turns[2]?.calls.at(-1)).toEqual(turns[1]?.calls.at(-1));
  });
});

describe("fares and rates of what was chosen", () => {
  const segment = (flightNumber: string, departingAt: string) => ({
    ...{ flightNumber, origin: "HAM", destination: "MAD", departingAt, arrivingAt: "2027-01-12T22:00:00" },
  });
  const offer = (id: string, flightNumber: string, departingAt: string) => ({
    ...{ id, totalAmount: "200.00", totalCurrency: "USD", passengers: [{ type: "adult" }] },
    slices: [{ origin: "HAM", destination: "MAD", segments: [segment(flightNumber, departingAt)] }],
    fares: [{ id: `${id}_flex`, name: "Flex", totalAmount: "280.00", refundable: true, changeable: true }],
  });
  const search_flights = {
    searchId: "sea_1",
    offers: [offer("off_1", "LH1", "2027-01-12T08:00:00"), offer("off_2", "VY2", "2027-01-12T12:55:00")],
  };
  const answers = { search_flights, search_more_flights: search_flights };

  it.each([
    ["en", "number 2", "isn't there a fare for it that can be cancelled? I'd rather have that"],
    ["de", "Nummer 2", "Moment, gibt es diesen Flug nicht auch in einem stornierbaren Tarif? Den hätte ich lieber."],
    ["es", "el número 2", "¿no hay también una tarifa reembolsable para ese?"],
  ] as const)("in %s, another fare of the flight is offered: %s, %s", async (locale, first, said) => {
    const turns = await talkWithRules([FLIGHT[locale], first, said], { locale, answers, onSpend: "withdraw" });
    expect(turns[1]?.calls).toEqual([{ name: "book_flight", args: { offerId: "off_2" } }]);
    expect(turns[2]?.calls).toEqual([{ name: "book_flight", args: { offerId: "off_2_flex" } }]);
    expect(turns[2]?.text).toMatch(/Flex.*280/);
  });

  it("says so where no fare is as wished", async () => {
    const without = { ...search_flights, offers: search_flights.offers.map((one) => ({ ...one, fares: [] })) };
    const turns = await talkWithRules([FLIGHT.en, "number 2, in a refundable fare if there is one"], {
      answers: { search_flights: without },
      onSpend: "withdraw",
    });
    expect(turns[1]?.text).toMatch(/no such fare for these flights: refundable/);
    expect(turns[1]?.calls).toEqual([{ name: "book_flight", args: { offerId: "off_2" } }]);
  });

  const rate = (id: string, totalAmount: string, boardType: string) => ({
    ...{ id, totalAmount, totalCurrency: "EUR", totalUsdc: totalAmount, roomName: "Standard Double Room", boardType },
    refundable: boardType === "breakfast",
  });
  const stay = (name: string, hasBreakfast: boolean) => ({
    ...{ id: `acc_${name}`, name, distanceMeters: name === "Hotel A" ? 3000 : 500 },
    rates: [
      rate(`${name} 1`, "100.00", "room_only"),
      ...(hasBreakfast ? [rate(`${name} 2`, "130.00", "breakfast")] : []),
    ],
  });
  const found = { searchId: "sea_2", accommodations: [stay("Hotel A", false), stay("Hotel B", true)] };
  const stays = { search_hotels: found, search_more_stays: found };

  it.each([
    ["en", "number 2, with breakfast please"],
    ["de", "Nummer 2, mit Frühstück bitte"],
    ["es", "el número 2, con desayuno por favor"],
  ] as const)(
    "in %s, the rate of the hotel has what is wished, whatever its number then is: %s",
    async (locale, said) => {
      const turns = await talkWithRules([HOTEL[locale], said], { locale, answers: stays, onSpend: "withdraw" });
      expect(last(turns, "quote_stay")).toEqual({ rateId: "Hotel B 2" });
    },
  );

  it("a wish after the choice keeps the hotel, and says so where it has no such rate", async () => {
    const turns = await talkWithRules([HOTEL.en, "number 1", "could I have a room with breakfast there?"], {
      answers: stays,
      onSpend: "withdraw",
    });
    expect(last(turns, "quote_stay")).toEqual({ rateId: "Hotel A 1" });
    expect(turns[2]?.text).toMatch(/Hotel A shows no rate with all of this: with breakfast/);
  });

  it.each([
    ["en", "then book the Vueling we saw before, the one at 12:55"],
    ["de", "dann nehme ich den von Vueling von vorhin um 12:55"],
    ["es", "entonces me quedo con el de Vueling que me enseñó al principio, el de las 12:55"],
  ] as const)("in %s, an earlier offer is found after hotels were shown: %s", async (locale, said) => {
    const turns = await talkWithRules([FLIGHT[locale], HOTEL[locale], said], {
      ...{ locale, answers: { ...answers, ...stays }, onSpend: "withdraw" },
    });
    expect(turns[2]?.calls).toEqual([{ name: "book_flight", args: { offerId: "off_2" } }]);
  });
});

describe("two days", () => {
  it.each([
    ["en", "is it cheaper to fly from London to Edinburgh next Saturday or Sunday?"],
    ["de", "ist es am Samstag oder am Sonntag billiger, von London nach Edinburgh zu fliegen?"],
    ["es", "¿es más barato volar de Londres a Edimburgo el sábado o el domingo?"],
  ] as const)("in %s are compared: %s", async (locale, said) => {
    const turns = await talkWithRules([said], { locale });
    const days = turns[0]?.calls.map(({ args }) => Object(args).departureDate);
    expect(days).toEqual(["2026-11-28", "2026-11-29"]);
    expect(turns[0]?.text).toMatch(/90[.,]00.*90[.,]00/);
  });
});

describe("who is stranded", () => {
  it.each([
    [
      "en",
      "It's eleven at night, my flight was cancelled and I'm stuck in Frankfurt. What am I entitled to? Find me a bed near the airport for tonight and a flight to Madrid tomorrow.",
      /261\/2004/,
    ],
    [
      "de",
      "Mein Flug wurde gestrichen, ich sitze in Frankfurt fest. Was steht mir zu? Ich brauche ein Bett für heute Nacht und morgen einen Flug nach Madrid.",
      /261\/2004/,
    ],
    [
      "es",
      "Han cancelado mi vuelo y estoy tirado en Fráncfort. ¿A qué tengo derecho? Necesito una cama para esta noche y mañana un vuelo a Madrid.",
      /261\/2004/,
    ],
  ])("in %s gets rights, hotels at the airport, the nearest first, and flights: %s", async (locale, said, rights) => {
    const turns = await talkWithRules([said], { locale });
    expect(last(turns, "search_hotels")).toMatchObject({
      ...{ location: "FRA", checkInDate: "2026-11-27", checkOutDate: "2026-11-28" },
    });
    expect(last(turns, "search_more_stays")).toMatchObject({ order: "distance" });
    expect(last(turns, "search_more_flights")).toMatchObject({
      ...{ origin: "FRA", destination: "MAD", departureDate: "2026-11-28", order: "departure" },
    });
    expect(turns[0]?.text).toMatch(rights);
  });

  it("is asked where, and picks a hotel by its number", async () => {
    const turns = await talkWithRules([
      "I missed my connection and need a bed for tonight",
      "London Heathrow",
      "number 1",
    ]);
    expect(turns[0]?.question).toBe("origin");
    expect(last(turns, "search_hotels")).toMatchObject({ location: "LHR" });
    expect(turns[1]?.text).toMatch(/UK 261/);
    expect(names(turns[2])).toContain("book_stay");
  });

  it("and names the flight afterwards", async () => {
    const turns = await talkWithRules(["I'm stranded in Vienna tonight, my flight was cancelled", "to Madrid"]);
    expect(turns[0]?.question).toBe("destination");
    expect(last(turns, "search_flights")).toMatchObject({
      origin: "VIE",
      destination: "MAD",
      departureDate: "2026-11-28",
    });
  });
});

describe("questions of one person", () => {
  it.each([
    ["en", "What did I personally spend this month?"],
    ["de", "Wie viel habe ich persönlich diesen Monat ausgegeben?"],
    ["es", "¿Cuánto he gastado yo este mes?"],
  ])("in %s are about the caller's own bookings, less refunds: %s", async (locale, said) => {
    const of = (totalUsdc: string, refundedUsdc: string) => ({
      ...{ orderId: totalUsdc, kind: "flight", status: "confirmed", totalUsdc, refundedUsdc, wasPaid: true },
      createdAt: "2026-11-20T10:00:00Z",
    });
    const list_orders = { orders: [of("120.50", "0"), of("80.00", "30.00"), { ...of("50.00", "0"), wasPaid: false }] };
    const [turn] = await talkWithRules([said], { locale, answers: { list_orders } });
    expect(turn?.calls).toEqual([{ name: "list_orders", args: { userId: "user_demo", limit: 100 } }]);
    expect(turn?.text).toMatch(/170[.,]50.*2/);
  });

  it.each([
    ["en", "How much money have I got back this month?"],
    ["en", "Were there any refunds this month?"],
    ["de", "Wie viel Geld habe ich diesen Monat zurückbekommen?"],
    ["es", "¿Cuánto me han devuelto este mes?"],
  ])("in %s about refunds of a month count those alone: %s", async (locale, said) => {
    const refund = (at: string, amount: string) => ({ kind: "order_refund", at, token: "USDC", amount, orderId: "o" });
    const movements = [refund("2026-11-20T10:00:00Z", "64.83"), refund("2026-10-20T10:00:00Z", "7.00")];
    const answers = { list_movements: { movements }, list_orders: { orders: [] } };
    const [turn] = await talkWithRules([said], { locale, answers });
    expect(turn?.text).toMatch(/64[.,]83/);
    expect(turn?.text).not.toMatch(/7[.,]00/);
  });

  it.each([
    ["en", "Can my friend, who has an Indian passport, come into Spain?"],
    ["de", "Darf mein Freund mit indischem Pass nach Spanien einreisen?"],
    ["es", "¿Puede mi amigo entrar en España con pasaporte indio?"],
  ])("in %s about a passport that nobody has saved are answered: %s", async (locale, said) => {
    const check_trip_eligibility = { legs: [{ verdict: "visa_required", summary: "A visa is needed." }] };
    const [turn] = await talkWithRules([said], { locale, answers: { check_trip_eligibility } });
    expect(turn?.calls).toMatchObject([
      { name: "check_trip_eligibility", args: { nationality: "IND", legs: [{ destinationIso3: "ESP" }] } },
    ]);
    expect(turn?.text).toMatch(/visa|Visum|visado/);
  });

  it.each([
    ["en", "Can I get a vegetarian meal on the flight?", /cannot order meals/],
    ["de", "Kann ich ein veganes Essen im Flugzeug bekommen?", /Mahlzeiten an Bord kann ich nicht bestellen/],
    ["es", "¿Puedo pedir una comida sin gluten a bordo?", /No puedo pedir comidas a bordo/],
  ])("in %s about meals on board are answered with the bookings: %s", async (locale, said, expected) => {
    const [turn] = await talkWithRules([said], { locale });
    expect(names(turn)).toEqual(["list_orders"]);
    expect(turn?.text).toMatch(expected);
    expect(turn?.text).toMatch(/ZZAAAA/);
  });
});
