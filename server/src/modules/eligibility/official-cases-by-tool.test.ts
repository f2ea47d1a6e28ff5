import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { clockFrom } from "../../../test/support/eligibility.ts";
import { type EligibilityCase, eligibilityCases, listEntries } from "../../../test/support/eligibility-cases.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

/** A sample of each file; official-cases.test.ts judges all of them. */
const CASES_OF_EACH_FILE = 3;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { clock: clockFrom("2026-11-26") });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const Assessed = z.looseObject({
  verdict: z.string(),
  authorization: z.object({ type: z.string() }).nullable(),
  passport: z.object({ nationality: z.string() }).nullable(),
});
const Trip = z.looseObject({ verdict: z.string(), legs: z.array(Assessed) });

async function save({ id, passports }: EligibilityCase) {
  const documents = passports.map(({ kind: _, ...document }) => ({ ...document, number: "P12345642" }));
  return await service.call("save_traveler", { userId: id, passports: documents });
}

async function ask(asked: EligibilityCase) {
  const { id, originIso3, destinationIso3, departureDate, returnDate, purpose, legs, earlierStays } = asked;
  if (legs.length === 0 && earlierStays.length === 0) {
    return await service.call("check_travel_eligibility", {
      travelerUserId: id,
      originIso3,
      destinationIso3,
      departureDate,
      returnDate,
      purpose,
    });
  }
  const entries = listEntries(asked).map(({ turnsBack: _, ...entry }) => entry);
  const last = legs.at(-1);
  // The flight after the last change of planes tells whether the journey turns back.
  const onward =
    purpose === "transit" && last !== undefined
      ? [{ ...last, departureDate: last.arrivalDate, arrivalDate: undefined, purpose: "leisure" }]
      : [];
  return await service.call("check_trip_eligibility", {
    travelerUserId: id,
    legs: [...entries, ...onward],
    earlierStays,
  });
}

const all = [...eligibilityCases].flatMap(([file, cases]) =>
  cases
    .filter(
      ({ originIso3, destinationIso3, passports, expect: { verdict } }) =>
        verdict !== "invalid_input" &&
        originIso3 !== destinationIso3 &&
        passports.every(({ kind }) => kind === "ordinary"),
    )
    .slice(0, CASES_OF_EACH_FILE)
    .map((asked) => [file, asked.id, asked] as const),
);
const turned = [...eligibilityCases].flatMap(([file, cases]) =>
  cases
    .filter(({ id, earlierStays }) => id === "cn-transit-round-trip" || earlierStays.length > 0)
    .map((asked) => [file, asked.id, asked] as const),
);
const refused = [...eligibilityCases].flatMap(([file, cases]) =>
  cases
    .filter(({ expect: { verdict } }) => verdict === "invalid_input")
    .map((asked) => [file, asked.id, asked] as const),
);

describe("the tools answer as in the official cases", () => {
  test.each([...new Map([...all, ...turned].map((one) => [one[1], one])).values()])("%s: %s", async (_, id, asked) => {
    const { verdict, authorization, bestPassport } = asked.expect;
    const saved = await save(asked);
    expect(saved.status, saved.text).toBe(200);
    const answer = await ask(asked);
    expect(answer.status, answer.text).toBe(200);
    const trip = Trip.safeParse(answer.body.result);
    const judged = trip.success
      ? trip.data.legs.slice(0, listEntries(asked).length)
      : [Assessed.parse(answer.body.result)];
    const found = judged.map((leg) => leg.verdict);
    expect(found, `${id} ${answer.text}`).toContain(verdict);
    if (trip.success && judged.length === trip.data.legs.length) expect(trip.data.verdict).toBe(verdict);
    if (authorization !== null) {
      expect(judged.map((leg) => leg.authorization?.type)).toContain(authorization);
    }
    if (bestPassport !== undefined) expect(judged.at(-1)?.passport?.nationality).toBe(bestPassport);
  });
});

describe("the profile or the tool refuses cases that cannot be judged", () => {
  test.each(refused)("%s: %s", async (_, _id, asked) => {
    const saved = await save(asked);
    const answer = saved.status === 200 ? await ask(asked) : saved;
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ code: "invalid_input" });
  });
});
