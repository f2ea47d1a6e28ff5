import { expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const FLIGHT = {
  en: "flight from Hamburg to Madrid on 12 January",
  de: "Flug von Hamburg nach Madrid am 12. Januar",
  es: "vuelo de Hamburgo a Madrid el 12 de enero",
} as const;

it.each([
  ["en", "my daughter comes along", "She will be six."],
  ["en", "my daughter comes along", "Six years old."],
  ["en", "my daughter comes along", "she's six"],
  ["en", "my daughter comes along", "6"],
  ["de", "meine Tochter kommt mit", "Sie wird sechs."],
  ["de", "meine Tochter kommt mit", "Sechs Jahre alt"],
  ["de", "meine Tochter kommt mit", "sechs"],
  ["es", "viene mi hija conmigo", "Tendrá seis."],
  ["es", "viene mi hija conmigo", "Seis años"],
  ["es", "viene mi hija conmigo", "seis"],
] as const)("a number after the question for the age is an age: %s, %s, %s", async (locale, comes, age) => {
  const turns = await talkWithRules([FLIGHT[locale], comes, age], { locale });
  expect(turns[1]?.question).toBe("childAges");
  expect(turns[2]?.calls.at(-1)).toMatchObject({ name: "search_more_flights", args: { ages: [30, 6] } });
});
