import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const JOURNEY = {
  en: "flight from Hamburg to Madrid on 12 January, back on 15 January",
  de: "Flug von Hamburg nach Madrid am 12. Januar, zurück am 15. Januar",
  es: "vuelo de Hamburgo a Madrid el 12 de enero, vuelta el 15 de enero",
} as const;
const OUT = "2027-01-12";
const BACK = "2027-01-15";

describe("one way of a journey moves by itself", () => {
  it.each([
    ["en", "please make it Monday the 18th for coming home instead", OUT, "2027-01-18"],
    ["en", "make that Monday for the way back", OUT, "2027-01-18"],
    ["en", "it's only the way home that moves to Monday the 18th", OUT, "2027-01-18"],
    ["en", "home on Monday instead", OUT, "2027-01-18"],
    ["en", "Sunday for coming back, actually", OUT, "2027-01-17"],
    ["en", "we'd rather come home on the 18th", OUT, "2027-01-18"],
    ["en", "the return a day later, please", OUT, "2027-01-16"],
    ["en", "only the outbound moves, to the 11th", "2027-01-11", BACK],
    ["en", "we'd rather fly out on the 11th", "2027-01-11", BACK],
    ["en", "make it the 11th for going out instead", "2027-01-11", BACK],
    ["en", "the way out a day earlier, please", "2027-01-11", BACK],
    ["de", "zurück doch erst am Montag", OUT, "2027-01-18"],
    ["de", "der Rückflug bitte erst am 18.", OUT, "2027-01-18"],
    ["de", "am Montag erst zurück", OUT, "2027-01-18"],
    ["de", "nur die Rückreise verschiebt sich auf den 18.", OUT, "2027-01-18"],
    ["de", "lieber am Sonntag nach Hause", OUT, "2027-01-17"],
    ["de", "für den Rückflug doch lieber Montag, den 18.", OUT, "2027-01-18"],
    ["de", "hin schon am 11.", "2027-01-11", BACK],
    ["de", "nur der Hinflug ist anders: am 11.", "2027-01-11", BACK],
    ["de", "hin doch lieber einen Tag früher", "2027-01-11", BACK],
    ["es", "la vuelta el lunes", OUT, "2027-01-18"],
    ["es", "mejor la vuelta el lunes 18", OUT, "2027-01-18"],
    ["es", "prefiero volver el sábado 16 en vez del 15", OUT, "2027-01-16"],
    ["es", "que sea el lunes para volver", OUT, "2027-01-18"],
    ["es", "solo cambia la vuelta, al 18", OUT, "2027-01-18"],
    ["es", "la ida mejor el 11", "2027-01-11", BACK],
    ["es", "solo cambia la ida, al 11", "2027-01-11", BACK],
    ["es", "la ida un día antes", "2027-01-11", BACK],
  ] as const)("in %s: %s", async (locale, said, departureDate, returnDate) => {
    const turns = await talkWithRules([JOURNEY[locale], said], { locale });
    expect(turns.at(-1)?.calls[0]).toMatchObject({ name: "search_flights", args: { departureDate, returnDate } });
  });
});
