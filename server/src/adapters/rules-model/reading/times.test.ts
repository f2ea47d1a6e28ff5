import { describe, expect, it } from "vitest";
import { readMessage } from "./read-message.ts";

type Language = "en" | "de" | "es";
type Window = readonly [from: string | undefined, until: string | undefined];
type Expected = Readonly<Partial<Record<"departs" | "arrives" | "returnDeparts" | "returnArrives", Window>>>;

const FROM_NINE: Window = ["09:00", undefined];
const FROM_TEN: Window = ["10:00", undefined];
const FROM_ELEVEN: Window = ["11:00", undefined];
const FROM_NOON: Window = ["12:00", undefined];
const UNTIL_TEN_PM: Window = [undefined, "22:00"];
const BEFORE_MIDNIGHT: Window = [undefined, "23:59"];
const OUT: Expected = { departs: FROM_TEN };
const BACK: Expected = { returnDeparts: FROM_ELEVEN };
const BOTH: Expected = { departs: FROM_TEN, returnDeparts: FROM_TEN };

const asClock = (minute: number | undefined) =>
  minute === undefined
    ? undefined
    : `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

function readWindows(text: string, language: Language): Expected {
  const { times } = readMessage(text, {
    today: Temporal.PlainDate.from("2026-11-27"),
    base: undefined,
    people: [],
    language,
  });
  return Object.fromEntries(
    Object.entries(times).map(([name, { from, until }]) => [name, [asClock(from), asClock(until)]]),
  );
}

const ENGLISH: readonly (readonly [string, Expected])[] = [
  ["not leaving before ten in the morning if that's possible", OUT],
  ["I don't want to leave before ten", OUT],
  ["I'd rather not leave before ten", OUT],
  ["please don't make me leave before ten", OUT],
  ["I can't leave Dublin before ten", OUT],
  ["without having to leave before ten", OUT],
  ["no earlier than ten", OUT],
  ["not earlier than 10 am", OUT],
  ["leaving at ten at the earliest", OUT],
  ["before ten is too early for me", OUT],
  ["is there really nothing that leaves after ten?", OUT],
  ["Nothing that leaves Dublin after ten?", OUT],
  ["from ten o'clock onwards", OUT],
  ["nothing before ten", BOTH],
  ["nothing before ten in the morning, please", BOTH],
  ["no departure before ten please", BOTH],
  ["no flights before 10:00", BOTH],
  ["nothing earlier than ten", BOTH],
  ["coming home not before eleven", BACK],
  ["home not before eleven", BACK],
  ["and I don't want to fly home before eleven", BACK],
  ["nothing before eleven on the way home", BACK],
  ["back by eight", { returnArrives: [undefined, "20:00"] }],
  ["we have to be home by eight in the evening", { returnArrives: [undefined, "20:00"] }],
  ["not after six", { departs: [undefined, "18:00"] }],
  ["I don't want to leave after six", { departs: [undefined, "18:00"] }],
  ["leaving not before nine and not after eleven", { departs: ["09:00", "11:00"] }],
  ["out not before ten, home not before eleven", { ...OUT, ...BACK }],
  ["a flight home that isn't so terribly early", { returnDeparts: FROM_NINE }],
  ["coming back a bit later in the day please", { returnDeparts: FROM_NOON }],
  ["leaving not too early", { departs: FROM_NINE }],
  ["not leaving before half past ten", { departs: ["10:30", undefined] }],
  ["leaving before ten", { departs: [undefined, "10:00"] }],
  ["No, leaving before ten", { departs: [undefined, "10:00"] }],
  ["without bags, leaving before ten", { departs: [undefined, "10:00"] }],
  ["we have to be back at home on Friday before ten in the evening", { returnArrives: UNTIL_TEN_PM }],
  ["home before 10 pm please", { returnArrives: UNTIL_TEN_PM }],
  ["as long as we're home before ten in the evening", { returnArrives: UNTIL_TEN_PM }],
  ["is there one that gets back by ten at night?", { returnArrives: UNTIL_TEN_PM }],
  [
    "an afternoon return that gets home before nine",
    { returnDeparts: ["12:00", "18:00"], returnArrives: [undefined, "21:00"] },
  ],
  ["the return arriving before midnight", { returnArrives: BEFORE_MIDNIGHT }],
  ["arriving before four in the afternoon", { arrives: [undefined, "16:00"] }],
  ["That lands at twenty to five in the morning.", {}],
];

const GERMAN: readonly (readonly [string, Expected])[] = [
  ["ohne vor zehn Uhr loszumüssen", OUT],
  ["nicht vor zehn", OUT],
  ["ich will nicht vor zehn los", OUT],
  ["ich möchte nicht schon vor zehn Uhr abfliegen", OUT],
  ["bitte nicht früher als zehn", OUT],
  ["frühestens um zehn", OUT],
  ["Abflug um zehn Uhr frühestens", OUT],
  ["vor zehn Uhr möchte ich nicht los", OUT],
  ["vor zehn kann ich leider nicht", OUT],
  ["vor zehn ist mir zu früh", OUT],
  ["gibt es denn nichts, was nach zehn Uhr abfliegt?", OUT],
  ["ab zehn Uhr", OUT],
  ["nichts vor zehn Uhr bitte", BOTH],
  ["kein Abflug vor zehn", BOTH],
  ["keine Flüge vor 10 Uhr", BOTH],
  ["zurück nicht vor elf", BACK],
  ["den Rückflug bitte nicht vor elf Uhr", BACK],
  ["zurück will ich nicht vor elf los", BACK],
  ["nach Hause frühestens um elf", BACK],
  ["ich muss um acht wieder zu Hause sein", { returnArrives: [undefined, "20:00"] }],
  ["zurück spätestens um 20 Uhr", { returnDeparts: [undefined, "20:00"] }],
  ["nicht nach sechs", { departs: [undefined, "18:00"] }],
  ["einen Rückflug, der nicht so furchtbar früh geht", { returnDeparts: FROM_NINE }],
  ["zurück etwas später am Tag", { returnDeparts: FROM_NOON }],
  ["nicht vor halb zehn", { departs: ["09:30", undefined] }],
  ["hin nicht vor zehn, zurück nicht vor elf", { ...OUT, ...BACK }],
  ["Abflug vor zehn Uhr", { departs: [undefined, "10:00"] }],
  ["ohne Koffer, Abflug vor zehn Uhr", { departs: [undefined, "10:00"] }],
  ["wir müssen am Freitag vor zehn Uhr abends zu Hause sein", { returnArrives: UNTIL_TEN_PM }],
  ["Rückkehr zu Hause spätestens um zehn Uhr abends", { returnArrives: UNTIL_TEN_PM }],
  ["um neun Uhr abends wieder daheim", { returnArrives: [undefined, "21:00"] }],
  ["Rückflug mit Ankunft vor Mitternacht", { returnArrives: BEFORE_MIDNIGHT }],
  ["Ankunft vor vier Uhr nachmittags", { arrives: [undefined, "16:00"] }],
  ["Der landet um zwanzig vor fünf.", {}],
];

const SPANISH: readonly (readonly [string, Expected])[] = [
  ["sin salir antes de las diez", OUT],
  ["sin tener que salir antes de las diez de la mañana", OUT],
  ["no quiero salir antes de las diez", OUT],
  ["prefiero no salir antes de las diez", OUT],
  ["que no salga antes de las diez", OUT],
  ["no antes de las diez", OUT],
  ["no más temprano de las diez", OUT],
  ["a las diez como muy pronto", OUT],
  ["antes de las diez no puedo salir", OUT],
  ["¿de verdad no hay nada que salga después de las diez?", OUT],
  ["a partir de las diez", OUT],
  ["nada antes de las diez, por favor", BOTH],
  ["ningún vuelo antes de las diez", BOTH],
  ["ninguna salida antes de las diez", BOTH],
  ["la vuelta no antes de las once", BACK],
  ["para volver, nada antes de las once", BACK],
  ["no quiero volver antes de las once", BACK],
  ["quiero estar de vuelta en casa antes de las ocho", { returnArrives: [undefined, "20:00"] }],
  ["no después de las seis", { departs: [undefined, "18:00"] }],
  ["no quiero salir después de las seis", { departs: [undefined, "18:00"] }],
  ["una vuelta que no sea tan temprano", { returnDeparts: FROM_NINE }],
  ["volver un poco más tarde ese día", { returnDeparts: FROM_NOON }],
  ["no antes de las nueve y media", { departs: ["09:30", undefined] }],
  ["ida no antes de las diez, vuelta no antes de las once", { ...OUT, ...BACK }],
  ["que salga antes de las diez", { departs: [undefined, "10:00"] }],
  ["sin maleta, que salga antes de las diez", { departs: [undefined, "10:00"] }],
  ["hay que estar en casa antes de las diez de la noche", { returnArrives: UNTIL_TEN_PM }],
  ["llegando a casa antes de las nueve de la noche", { returnArrives: [undefined, "21:00"] }],
  ["la vuelta llegando antes de medianoche", { returnArrives: BEFORE_MIDNIGHT }],
  ["llegando antes de las cuatro de la tarde", { arrives: [undefined, "16:00"] }],
  ["Ese llega a las cinco menos veinte de la mañana.", {}],
];

describe.each([
  ["en", ENGLISH],
  ["de", GERMAN],
  ["es", SPANISH],
] as const)("times of day in %s", (language, table) => {
  it.each(table)("%s", (said, expected) => {
    expect(readWindows(said, language)).toEqual(expected);
  });
});
