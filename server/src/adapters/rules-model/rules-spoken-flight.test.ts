import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const offer = (id: string, totalAmount: string, hour: string) => ({
  id,
  totalAmount,
  totalCurrency: "USD",
  slices: [
    {
      origin: "HND",
      destination: "SIN",
      segments: [
        {
          carrier: "JL",
          flightNumber: `JL${hour}`,
          origin: "HND",
          destination: "SIN",
          departingAt: `2027-02-11T${hour}:45:00`,
          arrivingAt: "2027-02-11T19:00:00",
        },
      ],
    },
  ],
});
const found = {
  searchId: "sea_1",
  offers: [offer("off_1", "633.43", "08"), offer("off_2", "526.36", "11"), offer("off_3", "600.00", "06")],
};
const answers = { search_flights: found, search_more_flights: found };

const SEARCH = {
  en: "flight from Tokyo to Singapore on 11 February",
  de: "Flug von Tokio nach Singapur am 11. Februar",
  es: "vuelo de Tokio a Singapur el 11 de febrero",
} as const;

const bookedIn = async (locale: "en" | "de" | "es", ...said: string[]) => {
  const turns = await talkWithRules([SEARCH[locale], ...said], { locale, answers, onSpend: "withdraw" });
  return turns.at(-1)?.calls.findLast(({ name }) => name === "book_flight")?.args;
};

describe("the flight that was spoken of", () => {
  it.each([
    ["en", "Take number 1.", "Then please book the Standard fare of that first flight.", "off_1"],
    ["en", "Take number 3.", "Hm, book that flight then.", "off_3"],
    ["en", "Take number 1.", "Please book the one you just quoted.", "off_1"],
    ["de", "Ich nehme Nummer 1.", "Dann buchen Sie bitte den Standardtarif dieses ersten Flugs.", "off_1"],
    ["de", "Ich nehme Nummer 3.", "Dann buchen Sie bitte diesen Flug.", "off_3"],
    ["de", "Ich nehme Nummer 1.", "Buchen Sie bitte den, den Sie gerade genannt haben.", "off_1"],
    ["es", "Tomo el número 1.", "Entonces reserve la tarifa Standard de ese primer vuelo.", "off_1"],
    ["es", "Tomo el número 3.", "Entonces reserve ese vuelo.", "off_3"],
    ["es", "Tomo el número 1.", "Por favor, reserve el que me acaba de decir.", "off_1"],
  ] as const)("is the one that is booked, in %s: %s %s", async (locale, first, then, offerId) => {
    expect(await bookedIn(locale, first, then)).toMatchObject({ offerId });
  });

  it.each([
    ["en", "Take number 3.", "No, book the cheapest flight.", "off_2"],
    ["de", "Ich nehme Nummer 3.", "Nein, buchen Sie den günstigsten Flug.", "off_2"],
    ["es", "Tomo el número 3.", "No, reserve el vuelo más barato.", "off_2"],
  ] as const)("gives way to another one, in %s: %s %s", async (locale, first, then, offerId) => {
    expect(await bookedIn(locale, first, then)).toMatchObject({ offerId });
  });
});
