import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const inDays = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));

const VALID = 2_500;
const EXPIRED = -400;
type Documents = readonly (readonly [nationality: string, expiresIn: number])[];

let made = 0;
async function travelerWith(documents: Documents, more: object = {}): Promise<string> {
  made += 1;
  const userId = `own_${made}`;
  await call("save_traveler", {
    userId,
    givenName: "Pat",
    familyName: "Porter",
    bornOn: "1985-05-05",
    title: "ms",
    gender: "f",
    email: `${userId}.${service.tenantId}@example.com`,
    phoneNumber: "+14155550199",
    passports: documents.map(([nationality, expiresIn]) => ({
      nationality,
      number: `${nationality}00142`,
      issuedOn: inDays(-1_000),
      expiresOn: inDays(expiresIn),
    })),
    ...more,
  });
  return userId;
}

const Checked = z.looseObject({
  verdict: z.string(),
  summary: z.string(),
  checks: z.array(z.looseObject({ id: z.string(), status: z.string(), detail: z.string() })),
  authorization: z.unknown(),
  nextSteps: z.array(z.string()),
});
async function check(userId: string, originIso3: string, destinationIso3: string, more: object = {}) {
  const days = { departureDate: inDays(60), returnDate: inDays(70), purpose: "leisure" };
  const asked = { travelerUserId: userId, originIso3, destinationIso3, ...days, ...more };
  return Checked.parse(await call("check_travel_eligibility", asked));
}

describe("a national of the destination whose passport has expired", () => {
  test.each([
    ["AUS", "GBR", "URY", /cannot get an ETA.*certificate of entitlement/],
    ["GBR", "CAN", "URY", /cannot get an eTA.*valid Canadian passport/],
    ["ESP", "USA", "URY", /valid passport of the United States.*ESTA is not for them/],
    ["NZL", "AUS", "URY", /valid Australian passport/],
    ["GBR", "ZAF", "URY", /South African passport/],
    // No rule of its own, and no rules at all.
    ["IND", "CHN", "URY", /nationals, who enter with a valid passport of their own country/],
    ["IND", "GEO", "URY", /nationals, who enter with a valid passport of their own country/],
  ])("on a passport of %s into %s is not told to apply as a visitor", async (valid, own, origin, how) => {
    const userId = await travelerWith([
      [valid, VALID],
      [own, EXPIRED],
    ]);
    const checked = await check(userId, origin, own);
    expect(checked).toMatchObject({ verdict: "needs_information", authorization: null });
    expect(checked.summary).toMatch(how);
    expect(checked.nextSteps[0]).toMatch(/valid passport of the nationality [A-Z]{3}\..*emergency travel document/);
    expect(JSON.stringify(checked.nextSteps)).not.toMatch(/Get the|Apply for|Apply at/);
    // The same traveler without that nationality is a visitor.
    const visitor = await check(await travelerWith([[valid, VALID]]), origin, own);
    expect(visitor.summary).not.toMatch(how);
  });

  test("is at home in the territories, too", async () => {
    for (const [own, territory] of [
      ["USA", "PRI"],
      ["GBR", "JEY"],
    ] as const) {
      const citizen = await travelerWith([[own, VALID]]);
      expect(await check(citizen, "URY", territory), territory).toMatchObject({ verdict: "eligible", nextSteps: [] });
      const userId = await travelerWith([
        ["CHL", VALID],
        [own, EXPIRED],
      ]);
      expect(await check(userId, "URY", territory), territory).toMatchObject({ verdict: "needs_information" });
    }
  });

  test("may use a passport that the country accepts from its own, or one of free movement", async () => {
    for (const [valid, own] of [
      ["USA", "CAN"],
      ["IRL", "GBR"],
      ["FRA", "DEU"],
    ] as const) {
      const userId = await travelerWith([
        [valid, VALID],
        [own, EXPIRED],
      ]);
      expect(await check(userId, "URY", own), `${valid} into ${own}`).toMatchObject({ verdict: "eligible" });
    }
  });

  test("is told to take the own passport along where visitors need nothing but theirs", async () => {
    const userId = await travelerWith([
      ["GBR", VALID],
      ["PER", EXPIRED],
    ]);
    const checked = await check(userId, "URY", "PER");
    expect(checked).toMatchObject({ verdict: "eligible", passport: { nationality: "GBR" } });
    expect(checked.nextSteps).toContainEqual(expect.stringMatching(/also has the nationality .*PER.*renew it/));
  });

  test("travels on the own passport if that is valid", async () => {
    const userId = await travelerWith([
      ["AUS", VALID],
      ["GBR", VALID],
    ]);
    expect(await check(userId, "URY", "GBR")).toMatchObject({
      verdict: "eligible",
      passport: { nationality: "GBR" },
      alternatives: [{ nationality: "AUS", verdict: "needs_information" }],
    });
  });
});

describe("an expired passport within the Schengen area", () => {
  test("is no pass: an identity card may serve its citizens", async () => {
    const userId = await travelerWith([["PRT", 50]]);
    const checked = await check(userId, "PRT", "POL");
    expect(checked.verdict).toBe("needs_information");
    expect(checked.summary).toMatch(/expires on .* A valid national identity card is enough/);
    expect(checked.checks[0]).toMatchObject({ id: "passport", status: "unknown" });
    expect(checked.nextSteps).toEqual([expect.stringMatching(/identity card that is valid/)]);
    for (const [origin, destination] of [
      ["URY", "POL"],
      ["PRT", "IRL"],
      ["PRT", "CYP"],
      ["URY", "PRT"],
    ] as const) {
      expect((await check(userId, origin, destination)).verdict, `${origin} to ${destination}`).toBe(
        "needs_information",
      );
    }
    // It expires between the journeys.
    const returning = await check(await travelerWith([["PRT", 65]]), "PRT", "POL");
    expect(returning).toMatchObject({
      verdict: "needs_information",
      summary: expect.stringContaining("before the stay ends"),
    });
  });

  test("is not accepted from visitors, who have no such card", async () => {
    expect(await check(await travelerWith([["USA", 50]]), "PRT", "POL")).toMatchObject({ verdict: "not_admitted" });
  });

  test("has no fingerprints taken of citizens of the Union", async () => {
    const said = expect.arrayContaining([expect.stringContaining("fingerprints")]);
    expect((await check(await travelerWith([["PRT", VALID]]), "URY", "POL")).nextSteps).toEqual([]);
    expect((await check(await travelerWith([["USA", VALID]]), "URY", "POL")).nextSteps).toEqual(said);
  });

  test("passes while it is valid, and an own right does not lapse", async () => {
    const checked = await check(await travelerWith([["PRT", VALID]]), "PRT", "POL");
    expect(checked).toMatchObject({ verdict: "eligible", nextSteps: [] });
    expect(JSON.stringify(checked)).not.toContain("as long as the right to stay");
  });
});

const CHILDS_AGE = 9;
const CHILD = { bornOn: inDays(-CHILDS_AGE * 366), title: "miss" };
const CONSENT = /is under 18 on .* may require the consent of each parent who does not travel along/;

describe("a minor", () => {
  test("is told of the consent of absent parents, with the rule of the country if it was read", async () => {
    const child = await travelerWith([["PER", VALID]], CHILD);
    const { nextSteps } = await check(child, "PER", "ESP");
    expect(nextSteps.at(-1)).toMatch(CONSENT);
    expect(nextSteps.at(-1)).toMatch(/Peru lets no child out/);
    const other = await check(await travelerWith([["FRA", VALID]], CHILD), "FRA", "ESP");
    expect(other.nextSteps.at(-1)).toMatch(CONSENT);
    expect(other.nextSteps.at(-1)).not.toMatch(/Peru/);
    const grown = await check(await travelerWith([["PER", VALID]]), "PER", "ESP");
    expect(JSON.stringify(grown.nextSteps)).not.toMatch(/under 18/);
    const onBirthday = { bornOn: Temporal.PlainDate.from(inDays(60)).subtract({ years: 18 }).toString() };
    const eighteen = await check(await travelerWith([["PER", VALID]], onBirthday), "PER", "ESP");
    expect(JSON.stringify(eighteen.nextSteps)).not.toMatch(/under 18/);
  });

  test("is told once on a trip", async () => {
    const child = await travelerWith([["BRA", VALID]], CHILD);
    const leg = (originIso3: string, destinationIso3: string, days: number) => ({
      ...{ originIso3, destinationIso3, departureDate: inDays(days), purpose: "leisure" },
    });
    const trip = await call("check_trip_eligibility", {
      travelerUserId: child,
      legs: [leg("BRA", "PRT", 60), leg("PRT", "BRA", 70)],
    });
    const legs = z.array(Checked).parse(trip.legs);
    expect(legs[0]?.nextSteps.at(-1)).toMatch(/Brazil lets no Brazilian child out.*Portugal asks minors/);
    expect(JSON.stringify(legs[1]?.nextSteps)).not.toMatch(/under 18/);
  });
});

describe("the preview of a booking", () => {
  const Offers = z.array(z.object({ id: z.string() })).min(1);
  async function warningsFor(...userIds: readonly string[]): Promise<string> {
    const ages = userIds.map((userId) => (children.has(userId) ? CHILDS_AGE : 40));
    const route = { origin: "LIS", destination: "WAW", departureDate: inDays(60), returnDate: inDays(65) };
    const found = await call("search_more_flights", { ...route, ages });
    const [offer] = Offers.parse(found.offers);
    const args = { offerId: offer?.id, additionalCustomerUserIds: userIds };
    const { warnings } = await call("preview_call", { tool: "book_flight", args });
    return JSON.stringify(warnings);
  }
  const children = new Set<string>();

  test("warns of an expired passport within the Schengen area", async () => {
    const expired = await travelerWith([["PRT", 50]]);
    expect(await warningsFor(expired)).toMatch(/entry into POL .*needs_information.*identity card is enough/);
    const valid = await travelerWith([["PRT", VALID]]);
    expect(await warningsFor(valid)).not.toMatch(
      /entry into POL on [^:]*: needs_information\. This passport \(Portugal/,
    );
  });

  test("warns of a minor with one adult, and not with two", async () => {
    const child = await travelerWith([["PRT", VALID]], CHILD);
    children.add(child);
    const parents = [await travelerWith([["PRT", VALID]]), await travelerWith([["PRT", VALID]])];
    expect(await warningsFor(parents[0] ?? "", child)).toMatch(/Traveler 2 of 2 is under 18 on .*Portugal asks minors/);
    expect(await warningsFor(...parents, child)).not.toMatch(/under 18/);
  });
});
