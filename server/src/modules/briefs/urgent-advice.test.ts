import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { wordsIn } from "../../domain/texts.ts";
import { adviseAtOnce, tellsOfSymptoms, tellsOfTheft } from "./urgent-texts.ts";

const CUSCO = { latitude: -13.517, longitude: -71.9788 };
const MARRAKESH = { latitude: 31.6258, longitude: -7.9891 };
const LISBON = { latitude: 38.7223, longitude: -9.1393 };
const OPEN_SEA = { latitude: 30, longitude: -45 };

const Aid = z.looseObject({
  advice: z.array(z.string()),
  recognizedNeeds: z.array(z.string()),
  notes: z.array(z.string()),
});

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());
const aid = async (place: object, travelerNotes: string, languageCode = "en") =>
  Aid.parse(requireResult(await service.call("travel_safety_aid", { ...place, travelerNotes, languageCode })));

describe("symptoms", () => {
  test("at height lead with going down and the number of the ambulance", async () => {
    const notes =
      "arrived from sea level this morning, headache, vomiting, confused; type 1 diabetic; penicillin allergy";
    const { advice, recognizedNeeds } = await aid(CUSCO, notes);
    expect(recognizedNeeds).toEqual(["emergency", "allergy", "medical"]);
    expect(advice[0]).toMatch(
      /about 3,\d00 m.*severe altitude sickness.*get down now.*call an ambulance at once: 106\b/,
    );
    expect(advice[0]).toMatch(/general advice, not a diagnosis/);
    const [mild] = (await aid(CUSCO, "a headache and nausea")).advice;
    expect(mild).toMatch(/may be altitude sickness: do not go higher.*With confusion.*go down at once.*106/);
  });

  test("elsewhere lead with the number alone", async () => {
    expect((await aid(LISBON, "chest pain since an hour")).advice[0]).toMatch(/call an ambulance at once: 112\./);
    expect((await aid(LISBON, "high fever")).advice[0]).toMatch(
      /get worse, call an ambulance: 112\. Otherwise, see a doctor/,
    );
    expect((await aid(OPEN_SEA, "he is unconscious")).advice[0]).toMatch(/at once: no number is known here/);
    expect(JSON.stringify((await aid(LISBON, "chest pain")).advice)).not.toMatch(/altitude/);
    expect((await aid(CUSCO, "Wheelchair")).recognizedNeeds).toEqual(["mobility"]);
  });
});

describe("theft and assault", () => {
  test("lead with the police of the place, the consulate and the bank, not with keeping what is gone", async () => {
    const { advice, recognizedNeeds, notes } = await aid(MARRAKESH, "passport stolen");
    expect(recognizedNeeds).toEqual(["theft"]);
    expect(advice).toEqual([
      expect.stringMatching(/^Report it to the police \(19 \/ 112\) and ask for a written report/),
      expect.stringMatching(/consulate of your own country for an emergency travel document.*any EU country/),
      expect.stringMatching(/block the cards.*Tell the insurer/),
    ]);
    expect(notes).toEqual([]);
  });

  test("begin with safety and an ambulance if somebody was attacked", async () => {
    const { advice } = await aid(MARRAKESH, "my wallet, bank cards and passport were stolen, I was assaulted");
    expect(advice[0]).toMatch(/^Go to a safe place.*hurt, call an ambulance: 15 \/ 141 \/ 112/);
    expect(advice[1]).toMatch(/^Report it to the police/);
  });
});

test("a child is told to carry the consent of the absent parent", async () => {
  const notes = "My daughter is 9 and travels alone with me; her mother stays in Lima";
  const { advice, recognizedNeeds } = await aid(LISBON, notes);
  expect(recognizedNeeds).toEqual(["children"]);
  expect(advice.at(-1)).toMatch(/certified consent of each parent who is not traveling/);
});

test.each([
  ["en", "she fainted", "our wallet is gone"],
  ["de", "mein Mann ist verwirrt und hat Atemnot", "mein Reisepass wurde gestohlen"],
  ["fr", "il saigne beaucoup", "on m’a volé mon passeport"],
  ["es", "tiene dolor en el pecho", "me robaron la cartera"],
  ["pt", "ela desmaiou", "roubaram-me o passaporte"],
  ["pt-BR", "está com falta de ar", "fui assaltado"],
  ["ja", "意識がありません", "パスポートを盗まれました"],
])("are recognised in %s, and a wish is neither", (language, symptom, theft) => {
  expect([tellsOfSymptoms(symptom), tellsOfTheft(symptom)]).toEqual([true, false]);
  expect([tellsOfSymptoms(theft), tellsOfTheft(theft)]).toEqual([false, true]);
  const place = { police: ["17"], ambulance: ["15"], general: ["112"], meters: 4_000 };
  const [first, ...rest] = adviseAtOnce(`${symptom}, ${theft}`, wordsIn(language), place);
  expect(first).toContain("15 / 112");
  expect(rest.length).toBeGreaterThanOrEqual(3);
});

test.each([
  "Peanut allergy, vegetarian",
  "Hay fever",
  "yellow fever vaccination",
  "ein Flug nach Paris, Vollpension",
  "vol direct pour Lyon, volets fermés",
  "passport number known; two bank cards",
])("%s is no emergency", (notes) => {
  expect([tellsOfSymptoms(notes), tellsOfTheft(notes)]).toEqual([false, false]);
});
