import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const last = (
  turn: { readonly calls: readonly { readonly name: string; readonly args: unknown }[] } | undefined,
  name: string,
) => turn?.calls.findLast((one) => one.name === name)?.args;

describe("a limit of a hotel's price", () => {
  it.each([
    ["en", "a hotel in Porto from 9 to 11 February, not above 180 dollars", "360.00", /At most .*180.* a night/],
    ["de", "ein Hotel in Porto vom 9. bis 11. Februar, nicht über 180 Dollar", "360.00", /Höchstens .*180.* pro Nacht/],
    [
      "es",
      "un hotel en Oporto del 9 al 11 de febrero, que no supere 180 dólares",
      "360.00",
      /Como máximo .*180.* por noche/,
    ],
    ["en", "a hotel in Porto from 9 to 11 February, at most 180 dollars in total", "180.00", /whole stay/],
    ["de", "ein Hotel in Porto vom 9. bis 11. Februar, höchstens 180 Dollar insgesamt", "180.00", /ganzen Aufenthalt/],
    ["es", "un hotel en Oporto del 9 al 11 de febrero, como máximo 180 dólares en total", "180.00", /toda la estancia/],
  ])("is by the night unless the whole is spoken of, in %s: %s", async (locale, said, maxTotalUsdc, expected) => {
    const [turn] = await talkWithRules([said], { locale });
    expect(last(turn, "search_more_stays")).toMatchObject({ maxTotalUsdc });
    expect(turn?.text).toMatch(expected);
  });
});

describe("other wishes for a hotel, with breakfast as before", () => {
  it.each([
    [
      "en",
      "a hotel in Cape Town from 9 to 13 February with breakfast, near the V&A Waterfront",
      "Could you find us something four star or better and within walking distance of the V&A Waterfront, still with breakfast?",
    ],
    [
      "de",
      "ein Hotel in Kapstadt vom 9. bis 13. Februar mit Frühstück, nahe der V&A Waterfront",
      "Könnten Sie uns etwas mit mindestens vier Sternen nahe der V&A Waterfront suchen, weiterhin mit Frühstück?",
    ],
    [
      "es",
      "un hotel en Ciudad del Cabo del 9 al 13 de febrero con desayuno, cerca del V&A Waterfront",
      "¿Puede buscar algo de cuatro estrellas o más cerca del V&A Waterfront, también con desayuno?",
    ],
  ])("search again, near a sight with a sign in its name, in %s", async (locale, first, then) => {
    const turns = await talkWithRules([first, then], { locale });
    expect(last(turns[0], "search_hotels")).toMatchObject({ location: expect.stringMatching(/^V&A Waterfront, /) });
    expect(last(turns[1], "search_more_stays")).toMatchObject({ minStars: 4 });
  });
});
