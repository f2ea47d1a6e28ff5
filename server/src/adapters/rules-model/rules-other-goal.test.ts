import { expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const FIRST = { en: "the first", de: "der erste", es: "el primero" } as const;

it.each([
  [
    "en",
    "flight from Hamburg to Oslo on 9 March, back on 12 March, and a hotel near the opera",
    "Actually I have to go to Bergen and not to Oslo, same days. The hotel near Bryggen instead, please.",
  ],
  [
    "de",
    "Flug von Hamburg nach Oslo am 9. März, zurück am 12. März, und ein stornierbares Hotel in der Nähe der Oper",
    "Ach, eigentlich müsste ich doch nach Bergen und nicht nach Oslo, gleiche Tage. Das Hotel dann bitte in der Nähe von Bryggen statt bei der Oper, aber weiter stornierbar.",
  ],
  [
    "es",
    "vuelo de Hamburgo a Oslo el 9 de marzo, vuelta el 12 de marzo, y un hotel cerca de la ópera",
    "En realidad tengo que ir a Bergen y no a Oslo, las mismas fechas. El hotel mejor cerca de Bryggen.",
  ],
] as const)("another destination keeps the days, and the hotel moves with it: %s, %s", async (locale, ...said) => {
  const turns = await talkWithRules([...said, FIRST[locale]], { locale });
  expect(turns[1]?.calls[0]).toMatchObject({
    name: "search_flights",
    args: { origin: "HAM", destination: "BGO", departureDate: "2027-03-09", returnDate: "2027-03-12" },
  });
  const hotels = turns[2]?.calls.find(({ name }) => name === "search_hotels");
  expect(hotels?.args).toMatchObject({ checkInDate: "2027-03-09", checkOutDate: "2027-03-12" });
  expect(JSON.stringify(hotels?.args)).toMatch(/Bryggen.*Bergen/);
});

it.each([
  [
    "en",
    "I have to go from Bogota to Lima from 5 to 9 April, and a hotel in Miraflores with breakfast",
    /Miraflores.*Lima/,
  ],
  ["de", "Flug von Bogotá nach Lima vom 5. bis 9. April und ein Hotel in Miraflores", /Miraflores.*Lima/],
  [
    "es",
    "tengo que ir de Bogotá a Lima del 5 al 9 de abril, y un hotel en Miraflores por menos de 120 dólares",
    /Miraflores.*Lima/,
  ],
  ["en", "flight from Bogota to Lima from 5 to 9 April and a hotel in Quito", /Quito/],
] as const)("the place of a hotel is not where the flight goes: %s, %s", async (locale, said, expected) => {
  const turns = await talkWithRules([said, FIRST[locale]], { locale });
  expect(turns[0]?.calls[0]).toMatchObject({ name: "search_flights", args: { origin: "BOG", destination: "LIM" } });
  const hotels = turns[1]?.calls.find(({ name }) => name === "search_hotels");
  expect(JSON.stringify(hotels?.args)).toMatch(expected);
});
