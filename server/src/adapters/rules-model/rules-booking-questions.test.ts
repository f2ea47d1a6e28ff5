import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const ORDERS = [
  { id: "ord_lim", kind: "flight", what: "BOG to LIM", pnr: "ZZLIMA", startsOn: "2027-04-05" },
  { id: "ord_prg", kind: "flight", what: "DUB to PRG", pnr: "ZZPRAG", startsOn: "2027-02-11" },
  { id: "bok_prg", kind: "stay", what: "Beacon Quarters (Sandbox)", pnr: "ZZRXQT", startsOn: "2027-02-11" },
  { id: "bok_lim", kind: "stay", what: "Beacon Court (Sandbox)", pnr: "ZZYKQA", startsOn: "2027-04-05" },
].map(({ id, ...order }) => ({ orderId: id, status: "confirmed", ...order }));

const flight = (checked: number) => ({
  flight: {
    slices: [
      {
        id: "sli_1",
        origin: "BOG",
        destination: "LIM",
        segments: [
          {
            flightNumber: "LA2752",
            origin: "BOG",
            destination: "LIM",
            departingAt: "2027-04-05T11:05:00",
            arrivingAt: "2027-04-05T14:10:00",
            passengers: [{ baggage: [{ type: "checked", quantity: checked }] }],
          },
        ],
      },
    ],
  },
});
const stay = (accommodationName: string, city: string) => ({
  stay: { accommodationName, accommodationAddress: `1 Street, ${city}`, accommodationPhone: "+420 1" },
});
const DETAILS: Readonly<Record<string, object>> = {
  ord_lim: flight(1),
  ord_prg: flight(0),
  bok_prg: stay("Beacon Quarters", "Prague"),
  bok_lim: stay("Beacon Court", "Lima"),
};

const answers = {
  list_orders: { orders: ORDERS },
  read_order: ({ orderId }: { orderId: string }) => ({
    ...ORDERS.find((order) => order.orderId === orderId),
    ...DETAILS[orderId],
  }),
};
const CANCELS = ["cancel_order_quote", "confirm_cancel_order"];

const talk = (said: readonly string[], locale: string) => talkWithRules(said, { locale, answers, onSpend: "decline" });

describe("a question about something that is booked", () => {
  it.each([
    ["en", ["Is a checked bag included in my flight to Lima?"], /checked bags: 1/],
    [
      "en",
      ["Which of my flights include a checked bag, and how heavy can it be?"],
      /checked bags: 1.*checked bags: 0/s,
    ],
    ["en", ["Is a checked bag included in my flight?", "The one to Lima."], /checked bags: 1/],
    ["en", ["Does my booking include a bag?", "The one to Prague"], /checked bags: 0/],
    [
      "en",
      ["Is breakfast included at Beacon Quarters in Prague?"],
      /Beacon Quarters.*breakfast|breakfast.*Beacon Quarters/s,
    ],
    ["en", ["Is breakfast included in my hotel?", "number 1"], /breakfast/],
    ["en", ["Which terminal does my flight to Lima leave from?"], /terminal is not known/],
    ["en", ["What time does my flight to Lima leave?"], /11:05/],
    ["de", ["Ist bei meinem Flug nach Lima ein Koffer dabei?"], /Aufgabegepäck: 1/],
    ["de", ["Ist in meinem Hotel Frühstück dabei?", "Nummer 1, ist da Frühstück dabei?"], /Frühstück/],
    ["de", ["Ist in meinem Hotel in Prag das Frühstück inbegriffen?"], /Beacon Quarters/],
    ["de", ["Wann geht mein Flug nach Lima?"], /11:05/],
    ["es", ["¿Mi vuelo a Lima incluye maleta?"], /facturado: 1/],
    ["es", ["¿Está incluido el desayuno en mi hotel?", "el de Lima"], /Beacon Court/],
    ["es", ["¿De qué terminal sale mi vuelo a Lima?"], /terminal/],
  ])("in %s is answered, and cancels nothing: %s", async (locale, said, expected) => {
    const turns = await talk(said, locale);
    expect(turns.at(-1)?.text).toMatch(expected);
    expect(
      turns.flatMap(({ calls }) => calls.map(({ name }) => name)).filter((name) => CANCELS.includes(name)),
    ).toEqual([]);
  });

  it.each([
    [
      "en",
      [
        "Is a checked bag included?",
        "The one to Lima.",
        "No, don't cancel anything. I asked whether a checked bag is included.",
      ],
    ],
    ["en", ["What do I get back for my flight to Lima?", "No, don't cancel anything."]],
    ["en", ["What do I get back for my flight to Lima?", "please do not cancel it"]],
    ["en", ["What do I get back for my flight to Lima?", "I don't want to cancel"]],
    ["de", ["Was bekomme ich für meinen Flug nach Lima zurück?", "Nein, bitte nichts stornieren."]],
    ["de", ["Was bekomme ich für meinen Flug nach Lima zurück?", "Stornieren Sie bitte nichts"]],
    ["de", ["Was bekomme ich für meinen Flug nach Lima zurück?", "ich will ihn nicht stornieren"]],
    ["es", ["¿Cuánto me devuelven por mi vuelo a Lima?", "No, no canceles nada."]],
    ["es", ["¿Cuánto me devuelven por mi vuelo a Lima?", "no quiero cancelar"]],
  ])("in %s a refusal never leads to a cancellation: %s", async (locale, said) => {
    const turns = await talk(said, locale);
    expect(turns.flatMap(({ calls }) => calls.map(({ name }) => name))).not.toContain("confirm_cancel_order");
  });

  it.each([
    ["en", ["Cancel my flight to Lima"], "ord_lim"],
    ["en", ["Cancel my hotel", "the Beacon Quarters one"], "bok_prg"],
    ["en", ["Cancel my hotel in Prague"], "bok_prg"],
    ["de", ["Storniere mein Hotel in Prag"], "bok_prg"],
    ["es", ["Cancela el hotel de Lima"], "bok_lim"],
    ["en", ["Don't cancel the flight to Prague, but cancel the hotel in Lima"], "bok_lim"],
    ["de", ["Storniere nicht den Flug nach Prag, sondern storniere das Hotel in Lima"], "bok_lim"],
    ["es", ["No canceles el vuelo a Praga, pero cancela el hotel de Lima"], "bok_lim"],
  ])("in %s words of cancelling find the booking: %s", async (locale, said, orderId) => {
    const turns = await talk(said, locale);
    expect(turns.at(-1)?.calls).toContainEqual({ name: "cancel_order_quote", args: { orderId } });
  });
});
