import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const companions = ["Ada Huber", "Ben Koch", "Dev Menon"];
const talk = async (locale: string, ...say: readonly string[]) => await talkWithRules(say, { locale, companions });
const lastArgs = (turns: readonly { calls: readonly { name: string; args: unknown }[] }[], name: string) =>
  turns.flatMap(({ calls }) => calls.filter((one) => one.name === name)).at(-1)?.args;
const listNames = (turns: readonly { calls: readonly { name: string }[] }[]) =>
  turns.flatMap(({ calls }) => calls.map(({ name }) => name));

describe("who travels", () => {
  it.each([
    ["en", "flight for Ada and Ben from Hamburg to Madrid on 12 January", "number 1"],
    ["de", "Flug für Ada und Ben von Hamburg nach Madrid am 12. Januar", "Nummer 1"],
    ["es", "vuelo para Ada y Ben de Hamburgo a Madrid el 12 de enero", "el primero"],
  ])("in %s are those for whom it is asked, without the caller: %s", async (locale, ...said) => {
    const turns = await talk(locale, ...said);
    expect(lastArgs(turns, "search_flights")).toMatchObject({ passengers: 2 });
    expect(lastArgs(turns, "book_flight")).toMatchObject({ additionalCustomerUserIds: ["Ada", "Ben"] });
  });

  it.each([
    ["en", "flight for me and Ada from Hamburg to Madrid on 12 January", "number 1"],
    ["en", "flight from Hamburg to Madrid on 12 January with Ada", "number 1"],
    ["de", "Flug für Ada und mich von Hamburg nach Madrid am 12. Januar", "Nummer 1"],
    ["es", "vuelo para Ada y para mí de Hamburgo a Madrid el 12 de enero", "el primero"],
  ])("in %s are the caller, too, who says so: %s", async (locale, ...said) => {
    const turns = await talk(locale, ...said);
    expect(lastArgs(turns, "search_flights")).toMatchObject({ passengers: 2 });
    expect(lastArgs(turns, "book_flight")).toMatchObject({ additionalCustomerUserIds: ["Ada"] });
  });
});

it.each([
  ["en", "flight from Hamburg to Madrid on 12 January, back on 15 January after 6 pm", { from: "18:00" }],
  ["de", "Flug von Hamburg nach Madrid am 12. Januar, zurück am 15. Januar nach 18 Uhr", { from: "18:00" }],
  ["es", "vuelo de Hamburgo a Madrid el 12 de enero, vuelta el 15 de enero por la tarde", { from: "12:00" }],
])("a time after the day of the way back is of that way: %s, %s", async (locale, said, window) => {
  const filters = lastArgs(await talk(locale, said), "search_more_flights");
  expect(filters).toMatchObject({ returnDeparts: window });
  expect(filters).not.toHaveProperty("departs");
});

describe("which booking is meant", () => {
  it.each([
    ["en", "cancel my flight", "2"],
    ["de", "storniere meinen Flug", "die 2"],
    ["es", "cancela mi vuelo", "2"],
  ])("in %s is answered by a number: %s, %s", async (locale, ...said) => {
    const turns = await talk(locale, ...said);
    expect(turns[0]?.question).toBe("order");
    expect(lastArgs(turns, "cancel_order_quote")).toEqual({ orderId: "ord_lhr" });
  });

  it("is answered by a number before a change, too", async () => {
    const turns = await talk("en", "change my flight to 15 January", "2");
    expect(lastArgs(turns, "request_order_change")).toMatchObject({ orderId: "ord_lhr" });
  });
});

describe("a cancellation that would cost money", () => {
  it.each([
    ["en", "My flight to Madrid was cancelled this morning, what are my options?"],
    ["de", "Mein Flug nach Madrid wurde gestrichen, was nun?"],
    ["es", "Han cancelado mi vuelo, ¿qué hago?"],
  ])("in %s is not offered to whom the airline has cancelled: %s", async (locale, said) => {
    const turns = await talk(locale, said);
    expect(listNames(turns)).toEqual([]);
    expect(turns[0]?.text).toMatch(/airline owes|Fluggesellschaft schuldet|debe la aerolínea/);
  });

  it.each([
    ["en", "Please cancel only Ben's seat in my booking to Madrid"],
    ["en", "cancel just the return flight"],
    ["de", "Bitte storniere nur den Rückflug von Ada"],
    ["es", "cancela solo la vuelta"],
  ])("in %s is not offered for a part of a booking: %s", async (locale, said) => {
    const turns = await talk(locale, said);
    expect(listNames(turns)).toEqual([]);
    expect(turns[0]?.text).toMatch(/as a whole|als Ganzes|entera/);
  });
});

it.each([
  ["en", "Can Dev travel from Munich to Zurich for a business meeting on 12 January?", "business"],
  ["de", "Darf Dev am 12. Januar von München nach Zürich reisen?", "leisure"],
  ["es", "¿Puede Dev viajar de Múnich a Zúrich el 12 de enero?", "leisure"],
])("whether somebody may travel is looked up for that traveler: %s, %s", async (locale, said, purpose) => {
  const turns = await talk(locale, said);
  expect(listNames(turns)).not.toContain("search_flights");
  expect(lastArgs(turns, "check_travel_eligibility")).toMatchObject({
    ...{ travelerUserId: "Dev", originIso3: "DEU", destinationIso3: "CHE", purpose },
  });
  expect(turns[0]?.text).toMatch(/^Dev Menon:/);
});

it("questions about the policy, money that is left and invoices start no journey", async () => {
  const policy = await talk("en", "May Dev fly business class to New York under our travel policy?");
  expect([listNames(policy), policy[0]?.question]).toEqual([["read_policy"], undefined]);
  const left = await talk("en", "How much money is left in our budget and what is our spending limit?");
  expect(listNames(left)).toContain("check_treasury");
  const invoice = await talk("en", "Please send me the invoice for booking ZZAAAA");
  expect(listNames(invoice)).toEqual(["list_orders"]);
});

it("says which part of a place is not known before it shows hotels around the rest", async () => {
  const answers = {
    search_hotels: {
      searchId: "sea_2",
      location: { label: "Vienna, Austria", unknownPart: "Messe Wien" },
      accommodations: [
        {
          id: "acc_1",
          name: "Hotel A",
          rates: [{ id: "rat_1", totalAmount: "100.00", totalCurrency: "EUR", totalUsdc: "110.00" }],
        },
      ],
    },
  };
  const [turn] = await talkWithRules(["hotel in Vienna near Messe Wien from 12 to 15 January"], { answers });
  expect(turn?.text).toMatch(/^I do not know a place called “Messe Wien”\.\nHotels: Vienna, Austria/);
});
