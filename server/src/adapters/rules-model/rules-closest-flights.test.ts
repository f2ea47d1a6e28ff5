import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const offer = (id: string, arrivingAt: string) => {
  const segment = { carrier: "WS", origin: "YYZ", destination: "YVR" };
  const back = { carrier: "WS", origin: "YVR", destination: "YYZ" };
  return {
    id,
    totalAmount: "1083.89",
    totalCurrency: "USD",
    slices: [
      {
        origin: "YYZ",
        destination: "YVR",
        segments: [
          {
            ...segment,
            flightNumber: "WS2327",
            departingAt: "2027-03-14T15:50:00",
            arrivingAt: "2027-03-14T17:55:00",
          },
        ],
      },
      {
        origin: "YVR",
        destination: "YYZ",
        segments: [
          {
            ...back,
            flightNumber: "WS2328",
            departingAt: `2027-03-19T${arrivingAt.startsWith("2027-03-20") ? 21 : 12}:05:00`,
            arrivingAt,
          },
        ],
      },
    ],
  };
};
const NIGHT = offer("off_night", "2027-03-20T04:40:00");
const DAY = offer("off_day", "2027-03-19T19:40:00");

/** Like the tool: clocks alone are compared. */
const searchWith = (offers: readonly ReturnType<typeof offer>[]) => (args: unknown) => {
  const { returnArrives, directOnly } = Object(args);
  const fitting = offers.filter(
    ({ slices }) =>
      returnArrives?.until === undefined ||
      (slices[1]?.segments[0]?.arrivingAt.slice(11, 16) ?? "") <= returnArrives.until,
  );
  return {
    searchId: "sea_1",
    offers: directOnly === true ? [] : fitting,
    emptiedBy: directOnly === true ? ["directOnly"] : [],
  };
};
const toolsWith = (...offers: ReturnType<typeof offer>[]) => ({
  search_flights: { searchId: "sea_1", offers },
  search_more_flights: searchWith(offers),
});

const FAMILY = {
  en: "two adults and a child aged 6, Toronto to Vancouver on 14 March 2027, back on 19 March, be home before 10 pm",
  de: "zwei Erwachsene und ein Kind von 6 Jahren von Toronto nach Vancouver am 14. März 2027, zurück am 19. März, vor zehn Uhr abends zu Hause sein",
  es: "dos adultos y un niño de 6 años de Toronto a Vancouver el 14 de marzo de 2027, vuelta el 19 de marzo, estar en casa antes de las diez de la noche",
} as const;
const ALONE = {
  en: "flight from Toronto to Vancouver on 14 March 2027, back on 19 March, be home before 10 pm",
  de: "Flug von Toronto nach Vancouver am 14. März 2027, zurück am 19. März, vor zehn Uhr abends zu Hause sein",
  es: "vuelo de Toronto a Vancouver el 14 de marzo de 2027, vuelta el 19 de marzo, estar en casa antes de las diez de la noche",
} as const;
const NONE = {
  en: /There are flights, but none with all of this: return arrival at (?:10:00\sPM|22:00)/,
  de: /Es gibt Flüge, aber keinen mit alledem: Ankunft zurück bis 22:00/,
  es: /Hay vuelos, pero ninguno con todo esto: llegada de la vuelta hasta las 22:00/,
} as const;
const LANGUAGES = ["en", "de", "es"] as const;

describe.each(LANGUAGES)("a way home that lands on the next day, in %s", (locale) => {
  it.each([FAMILY, ALONE])("is not in time: it is said, and shown as the closest", async (said) => {
    const [turn] = await talkWithRules([said[locale]], { locale, answers: toolsWith(NIGHT) });
    expect(turn?.text).toMatch(NONE[locale]);
    expect(turn?.text).toContain("WS2328");
    expect(turn?.text).not.toMatch(/There are no flights|Es gibt keine Flüge|No hay vuelos/);
  });

  it("is left out where another one is in time", async () => {
    const [turn] = await talkWithRules([FAMILY[locale]], { locale, answers: toolsWith(NIGHT, DAY) });
    expect(turn?.text).toMatch(/19:40|7:40\sPM/);
    expect(turn?.text).not.toMatch(/4:40/);
  });
});

const DROPS = {
  en: ["Forget the return time then.", "Fine, forget the time, show me all flights.", "the time doesn't matter"],
  de: ["Dann vergessen Sie die Rückflugzeit.", "Zeigen Sie mir einfach alle Flüge.", "die Uhrzeit ist egal"],
  es: ["Entonces olvide la hora de la vuelta.", "Muéstreme todos los vuelos.", "da igual la hora"],
} as const;

describe.each(LANGUAGES)("a time in %s", (locale) => {
  it.each(DROPS[locale])("is dropped in words: %s", async (drop) => {
    const answers = toolsWith(NIGHT);
    const turns = await talkWithRules([FAMILY[locale], drop], { locale, answers });
    expect(JSON.stringify(turns[0]?.calls)).toContain("returnArrives");
    expect(turns[1]?.calls.length).toBeGreaterThan(0);
    expect(JSON.stringify(turns[1]?.calls)).not.toContain("returnArrives");
    expect(turns[1]?.text).toContain("WS2328");
  });
});

describe("the wish that excludes all flights", () => {
  it.each([
    [
      "en",
      `nonstop please, ${FAMILY.en}`,
      /none with all of this: non-stop; return arrival .*searched without “non-stop”/s,
    ],
    ["de", `nonstop bitte, ${FAMILY.de}`, /keinen mit alledem: nonstop; Ankunft zurück .*gesucht ohne „nonstop“/s],
    ["es", `directo por favor, ${FAMILY.es}`, /ninguno con todo esto: directo; llegada .*buscado sin «directo»/s],
  ])("is named in %s, and the others are kept", async (locale, said, expected) => {
    const [turn] = await talkWithRules([said], { locale, answers: toolsWith(DAY) });
    expect(turn?.text).toMatch(expected);
    expect(turn?.text).toContain("WS2328");
    expect(turn?.calls.at(-1)?.args).toMatchObject({ returnArrives: { until: "22:00" } });
  });
});

it("a flight that returns on a day keeps both days of the journey", async () => {
  const said =
    "What about any nonstop on Sunday the 14th that returns on Friday the 19th before ten in the evening, whatever airline?";
  const turns = await talkWithRules([FAMILY.en, said], { answers: toolsWith(DAY) });
  expect(turns[1]?.question).toBeUndefined();
  expect(turns[1]?.calls[0]?.args).toMatchObject({ departureDate: "2027-03-14", returnDate: "2027-03-19" });
});
