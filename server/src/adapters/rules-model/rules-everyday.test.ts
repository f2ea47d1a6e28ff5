import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

interface Turn {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
}
const last = (turns: readonly Turn[], name: string) =>
  turns.flatMap(({ calls }) => calls.filter((one) => one.name === name)).at(-1)?.args;
const talk = async (locale: string, ...say: readonly string[]) => await talkWithRules(say, { locale, companions: [] });
const names = (turn: Turn | undefined) => turn?.calls.map(({ name }) => name);

describe("days as people say them", () => {
  it.each([
    [
      "en",
      "a trip to Paris in mid January, from the 14th to the 18th, flying from Edinburgh",
      "2027-01-14",
      "2027-01-18",
    ],
    [
      "en",
      "flight from Munich to London leaving on Monday 11 January and returning on Wednesday",
      "2027-01-11",
      "2027-01-13",
    ],
    ["es", "vuelo de Sevilla a París el 20 de enero, con regreso el 24", "2027-01-20", "2027-01-24"],
  ])("in %s: %s", async (locale, said, departureDate, returnDate) => {
    expect(last(await talk(locale, said), "search_flights")).toMatchObject({ departureDate, returnDate });
  });

  it("may is no month by itself", async () => {
    const turns = await talk("en", "may I fly from Hamburg to Madrid on the 14th?");
    expect(last(turns, "search_flights")).toMatchObject({ departureDate: "2026-12-14" });
  });
});

it.each([
  ["en", "flight from Hamburg to Madrid on 12 January", "is there anything cheaper?"],
  ["de", "Flug von Hamburg nach Madrid am 12. Januar", "Gibt es etwas Günstigeres?"],
  ["es", "vuelo de Hamburgo a Madrid el 12 de enero", "¿hay algo más barato?"],
])("a question for something cheaper looks, and books nothing: %s, %s, %s", async (locale, ...said) => {
  const turns = await talk(locale, ...said);
  expect(names(turns[1])).toEqual(["search_flights", "search_more_flights"]);
  expect(last(turns, "search_more_flights")).toMatchObject({ order: "price" });
});

it.each([
  [
    "en",
    "flight from Hamburg to Madrid on 12 January, back on the 15th",
    "and a room near the beach for the same nights",
  ],
  [
    "de",
    "Flug von Hamburg nach Madrid am 12. Januar, zurück am 15.",
    "und ein Zimmer nahe dem Hauptbahnhof, mit Frühstück",
  ],
])("a room near a place is one of a hotel: %s, %s, %s", async (locale, ...said) => {
  expect(last(await talk(locale, ...said), "search_hotels")).toMatchObject({
    ...{
      checkInDate: "2027-01-12",
      checkOutDate: "2027-01-15",
      location: expect.stringMatching(/^(?:beach|Hauptbahnhof), Madrid$/),
    },
  });
});

it.each([
  ["en", "the same hotel as last time in Rome, from 12 to 15 January", /Hotel B, booked before, is number 2\./],
  [
    "de",
    "dasselbe Hotel wie letztes Mal in Rom, vom 12. bis 15. Januar",
    /Hotel B, schon früher gebucht, ist Nummer 2\./,
  ],
  [
    "es",
    "el mismo hotel que la última vez en Roma, del 12 al 15 de enero",
    /Hotel B, reservado antes, es el número 2\./,
  ],
])("the hotel of last time is pointed out: %s, %s", async (locale, said, expected) => {
  const list_orders = { orders: [{ orderId: "bok_1", kind: "stay", status: "confirmed", what: "Hotel B" }] };
  const [turn] = await talkWithRules([said], { locale, answers: { list_orders } });
  expect(turn?.text).toMatch(expected);
});

it.each([
  ["en", "cancel my flight to Madrid", "how much do I get back?"],
  ["de", "storniere meinen Flug nach Madrid", "wie viel Geld bekomme ich zurück?"],
  ["es", "cancela mi vuelo a Madrid", "¿cuánto me devuelven?"],
])("the refund is asked about before a cancellation, which is shown again: %s, %s, %s", async (locale, ...said) => {
  const turns = await talkWithRules(said, { locale, onSpend: "withdraw" });
  expect(turns[1]?.calls).toEqual([{ name: "confirm_cancel_order", args: { cancellationId: "ore_1" } }]);
});
