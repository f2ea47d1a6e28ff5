import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult } from "../../../test/support/treasury.ts";

/** Bookings count as stays, and a booking's problems at a border are reported before it is made. */

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

/** With or without ETIAS, depending on the day of the test. */
const ADMITTED = expect.stringMatching(/^eligible/);
const inDays = (days: number): string => Temporal.Now.plainDateISO("UTC").add({ days }).toString();
const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));

const passport = (nationality: string) => ({
  nationality,
  number: `${nationality}00142`,
  issuedOn: inDays(-1_000),
  expiresOn: inDays(2_500),
});

async function travelerWith(userId: string, ...nationalities: readonly string[]): Promise<string> {
  const saved = await call("save_traveler", {
    userId,
    givenName: "Pat",
    familyName: "Porter",
    bornOn: "1985-05-05",
    title: "ms",
    gender: "f",
    email: `${userId}.${service.tenantId}@example.com`,
    phoneNumber: "+14155550199",
    passports: nationalities.map(passport),
  });
  expect(saved.userId).toBe(userId);
  return z.string().parse((await call("ensure_flight_customer", { clerkUserId: userId })).customerUserId);
}

const Offers = z.array(z.object({ id: z.string() })).min(1);
async function offerFor(route: object): Promise<string> {
  const [first] = Offers.parse((await call("search_flights", route)).offers);
  return first?.id ?? "";
}

const Legs = z.array(
  z.object({ segments: z.array(z.object({ departingAt: z.string(), arrivingAt: z.string() })).min(1) }),
);

/** From New York to Paris and back; returns the days of arrival and departure. */
async function bookParis(customerUserId: string, from: string, to: string) {
  const offerId = await offerFor({ origin: "JFK", destination: "CDG", departureDate: from, returnDate: to });
  const booked = await call("book_flight", { offerId, additionalCustomerUserIds: [customerUserId] });
  const [out, back] = Legs.parse(booked.slices);
  const day = (text: string | undefined) => Temporal.PlainDate.from((text ?? "").slice(0, 10));
  return {
    orderId: z.string().parse(booked.orderId),
    arrives: day(out?.segments.at(-1)?.arrivingAt),
    leaves: day(back?.segments[0]?.departingAt),
  };
}

const into = async (travelerUserId: string, destinationIso3: string, from: string, to: string) =>
  await call("check_travel_eligibility", {
    travelerUserId,
    originIso3: "USA",
    destinationIso3,
    departureDate: from,
    returnDate: to,
    purpose: "leisure",
  });

describe("days of booked flights", () => {
  test("are counted in any member state, until they are 180 days old or the flights are cancelled", async () => {
    const customer = await travelerWith("pat", "USA");
    const { orderId, arrives, leaves } = await bookParis(customer, inDays(60), inDays(120));
    const used = arrives.until(leaves, { largestUnit: "days" }).days + 1;
    const next = leaves.add({ days: 5 });
    const last = next.add({ days: 90 - used - 1 });

    const within = await into("pat", "ITA", next.toString(), last.toString());
    expect(within).toMatchObject({ verdict: ADMITTED, maxStayDays: 90 - used });
    const beyond = await into("pat", "ITA", next.toString(), last.add({ days: 1 }).toString());
    expect(beyond).toMatchObject({ verdict: "visa_required", maxStayDays: 90 - used });
    expect(JSON.stringify(beyond.checks)).toContain(`have used ${used} days`);

    // Each booked day that leaves the period of 180 days frees another one.
    const later = arrives.add({ days: 179 });
    expect(await into("pat", "ESP", later.toString(), later.add({ days: 61 }).toString())).toMatchObject({
      verdict: ADMITTED,
    });

    // The same stay is not counted twice, and other countries do not count.
    expect(await into("pat", "FRA", arrives.toString(), leaves.toString())).toMatchObject({
      verdict: ADMITTED,
      maxStayDays: 90,
    });
    expect(await into("pat", "JPN", next.toString(), next.add({ days: 89 }).toString())).toMatchObject({
      verdict: ADMITTED,
    });

    const { cancellationId } = await call("cancel_order_quote", { orderId });
    await call("confirm_cancel_order", { cancellationId });
    expect(await into("pat", "ITA", next.toString(), last.add({ days: 1 }).toString())).toMatchObject({
      verdict: ADMITTED,
      maxStayDays: 90,
    });
  });

  test("are those of the traveler alone", async () => {
    const customer = await travelerWith("quinn", "USA");
    await travelerWith("robin", "USA");
    const { leaves } = await bookParis(customer, inDays(60), inDays(120));
    const days = [leaves.add({ days: 5 }).toString(), leaves.add({ days: 94 }).toString()] as const;
    expect(await into("quinn", "ITA", ...days)).toMatchObject({ verdict: "visa_required" });
    expect(await into("robin", "ITA", ...days)).toMatchObject({ verdict: ADMITTED });
  });

  test("of a traveler of another tenant do not exist", async () => {
    await travelerWith("sam", "USA");
    const other = await newFundedTenant(service, "Others");
    const asked = {
      travelerUserId: "sam",
      originIso3: "USA",
      destinationIso3: "FRA",
      departureDate: inDays(30),
      purpose: "leisure",
    };
    const legs = [{ originIso3: "USA", destinationIso3: "FRA", departureDate: inDays(30), purpose: "leisure" }];
    for (const [tool, args] of [
      ["check_travel_eligibility", asked],
      ["check_trip_eligibility", { travelerUserId: "sam", legs }],
    ] as const) {
      const options = { key: other.apiKey, tenantId: other.tenantId };
      const { status, body } = await service.call(tool, args, options);
      expect([status, body.code]).toEqual([500, "traveler_not_found"]);
      expect((await service.call(tool, { ...args, travelerUserId: "nobody" })).body.code).toBe("traveler_not_found");
      expect((await service.call(tool, args)).status).toBe(200);
    }
  });
});

describe("check_trip_eligibility", () => {
  const leg = (originIso3: string, destinationIso3: string, day: number, more: object = {}) => ({
    originIso3,
    destinationIso3,
    departureDate: inDays(day),
    purpose: "leisure",
    ...more,
  });
  const Trip = z.looseObject({ verdict: z.string(), legs: z.array(z.looseObject({ verdict: z.string() })) });
  const trip = async (legs: readonly object[], earlierStays: readonly object[] = []) =>
    Trip.parse(await call("check_trip_eligibility", { travelerUserId: "tony", legs, earlierStays }));

  beforeAll(async () => {
    await travelerWith("tony", "USA");
  });

  test("judges each leg with the ones before it", async () => {
    const legs = (days: number) => [
      leg("USA", "FRA", 30),
      leg("FRA", "GBR", 90),
      leg("GBR", "ITA", 100),
      leg("ITA", "USA", 100 + days),
    ];
    // 61 days in France, then 29 in Italy make 90.
    expect(await trip(legs(28))).toMatchObject({
      verdict: ADMITTED,
      legs: [
        { verdict: ADMITTED, returnDate: inDays(90), maxStayDays: 90 },
        { verdict: ADMITTED },
        { verdict: ADMITTED, maxStayDays: 29 },
        { verdict: ADMITTED, destinationIso3: "USA", returnDate: null },
      ],
    });
    expect(await trip(legs(29))).toMatchObject({
      verdict: "visa_required",
      legs: [{}, {}, { verdict: "visa_required" }, {}],
    });
  });

  test("counts stays that were not booked here", async () => {
    const legs = [leg("USA", "PRT", 10, { returnDate: inDays(40) })];
    const stay = (from: number, to: number) => [{ countryIso3: "DEU", from: inDays(from), to: inDays(to) }];
    expect(await trip(legs, stay(-70, -12))).toMatchObject({ verdict: ADMITTED, legs: [{ maxStayDays: 31 }] });
    expect(await trip(legs, stay(-70, -11))).toMatchObject({ verdict: "visa_required", legs: [{ maxStayDays: 30 }] });
    expect(await trip(legs, [{ countryIso3: "GBR", from: inDays(-70), to: inDays(-11) }])).toMatchObject({
      verdict: ADMITTED,
    });
  });

  test.each([
    [[leg("FRA", "FRA", 10)], [], "legs.0.destinationIso3"],
    [[leg("FRA", "ITA", 10), leg("ITA", "ZZZ", 12)], [], "legs.1.destinationIso3"],
    [[leg("FRA", "ITA", 10), leg("ITA", "FRA", 9)], [], "legs.1.departureDate"],
    [[leg("FRA", "ITA", -1)], [], "legs.0.departureDate"],
    [[leg("FRA", "ITA", 10, { returnDate: inDays(9) })], [], "legs.0.returnDate"],
    [[leg("FRA", "ITA", 10)], [{ countryIso3: "ITA", from: inDays(-9), to: inDays(-10) }], "earlierStays.0.to"],
    [[], [], "legs"],
  ])("refuses invalid arguments: %#", async (legs, earlierStays, path) => {
    const { status, body } = await service.call("check_trip_eligibility", {
      travelerUserId: "tony",
      legs,
      earlierStays,
    });
    expect([status, body.code]).toEqual([400, "invalid_input"]);
    expect(body).toHaveProperty("issues.0.path", path);
  });
});

describe("a journey within the Schengen area", () => {
  const Answer = z.looseObject({
    verdict: z.string(),
    summary: z.string(),
    checks: z.array(z.looseObject({ id: z.string(), status: z.string() })),
    nextSteps: z.array(z.string()),
  });
  const ask = async (travelerUserId: string, asked: object = {}) =>
    Answer.parse(
      await call("check_travel_eligibility", {
        ...{ travelerUserId, originIso3: "FRA", destinationIso3: "ITA", purpose: "leisure" },
        ...{ departureDate: inDays(40), returnDate: inDays(45), ...asked },
      }),
    );

  test("depends on a visa or permit for those who need one, and its days count", async () => {
    await travelerWith("inge", "IND");
    await travelerWith("ursula", "USA");
    await travelerWith("ute", "DEU");
    for (const userId of ["ursula", "ute"]) {
      const { verdict, summary, checks, nextSteps } = await ask(userId);
      expect([verdict, summary]).toEqual(["eligible", expect.stringMatching(/usually not checked.*for a time/)]);
      expect(checks.map(({ id }) => id)).not.toContain("authorization");
      expect(nextSteps).toEqual([]);
    }
    const { verdict, summary, checks, nextSteps } = await ask("inge");
    expect(verdict).toBe("needs_information");
    expect(summary).toMatch(/^Only with a residence permit .* or with a visa .* may a holder of this passport/);
    expect(checks).toContainEqual(expect.objectContaining({ id: "visa", status: "unknown" }));
    expect(nextSteps).toEqual([expect.stringMatching(/^Before anything is paid, look at the traveler's visa/)]);
    expect((await ask("inge", { originIso3: "GBR" })).verdict).toBe("visa_required");
    expect((await ask("ursula", { returnDate: inDays(140) })).verdict).toBe("visa_required");
  });
});

describe("a return to where the trip began", () => {
  const trip = async (travelerUserId: string, places: readonly string[]) => {
    const legs = places.slice(1).map((destinationIso3, index) => ({
      originIso3: places[index],
      destinationIso3,
      departureDate: inDays(40 + index),
      purpose: "leisure",
    }));
    const { legs: judged } = await call("check_trip_eligibility", { travelerUserId, legs });
    return z
      .array(z.looseObject({ verdict: z.string(), summary: z.string(), nextSteps: z.array(z.string()) }))
      .parse(judged);
  };

  test("asks for a permit or a visa where a visitor would need one, also by another country without checks", async () => {
    await travelerWith("ravi", "IND");
    const [there, back] = await trip("ravi", ["AUT", "GBR", "DEU"]);
    expect(there?.verdict).toBe("visa_required");
    expect(back).toMatchObject({
      verdict: "needs_information",
      summary: expect.stringMatching(/^The trip began in the Schengen area: if the traveler lives there/),
    });
    expect(back?.nextSteps).toEqual([expect.stringContaining("set residence with save_traveler")]);
    // No other visitor returns there, and nobody returns on the first journey.
    expect((await trip("ravi", ["IND", "GBR", "DEU"])).map(({ verdict }) => verdict)).toEqual([
      ...["visa_required", "visa_required"],
    ]);
  });

  test("is said to be possible for residents where a visa is asked for", async () => {
    await travelerWith("arjun", "IND");
    const journey = { originIso3: "MEX", destinationIso3: "DEU", departureDate: inDays(40), purpose: "leisure" };
    const ask = () => call("check_travel_eligibility", { travelerUserId: "arjun", ...journey });
    const said = expect.stringContaining("set residence with save_traveler");
    expect(await ask()).toMatchObject({ verdict: "visa_required", nextSteps: [said, expect.anything()] });
    await call("save_traveler", { userId: "arjun", residence: "DEU" });
    expect((await ask()).verdict).toBe("eligible");
  });

  test("needs no visa for those who live there, with a passport that is still valid", async () => {
    await travelerWith("rosa", "IND");
    await call("save_traveler", { userId: "rosa", residence: "AUT" });
    const [there, back] = await trip("rosa", ["AUT", "GBR", "AUT"]);
    expect(there?.verdict).toBe("visa_required");
    expect(back).toMatchObject({
      verdict: "eligible",
      summary: expect.stringMatching(/lives there \(residence: AUT\): residents need no visa/),
    });
    expect(back?.nextSteps).toEqual([expect.stringMatching(/^Carry the residence permit \(AUT\) with the passport/)]);
    await call("save_traveler", { userId: "rosa", passports: [{ ...passport("IND"), expiresOn: inDays(40) }] });
    expect((await trip("rosa", ["AUT", "GBR", "AUT"]))[1]?.verdict).toBe("not_admitted");
  });
});

describe("a preview of a booking", () => {
  const Preview = z.looseObject({ accepted: z.boolean(), warnings: z.array(z.string()) });
  const preview = async (route: object, customerUserId: string) => {
    const args = { offerId: await offerFor(route), additionalCustomerUserIds: [customerUserId] };
    return Preview.parse(await call("preview_call", { tool: "book_flight", args }));
  };
  const abroad = { origin: "JFK", destination: "CDG", departureDate: inDays(40), returnDate: inDays(50) };

  test("warns of a required visa, and refuses nothing", async () => {
    const customer = await travelerWith("uma", "IND");
    const { accepted, warnings } = await preview(abroad, customer);
    expect(accepted).toBe(true);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/^Traveler 1 of 1, entry into FRA on .*: visa_required\./);
    // Whoever began the trip there may live there.
    expect(warnings[1]).toMatch(
      /^Traveler 1 of 1, entry into USA on .*: needs_information\. The trip began in the United/,
    );
    await call("save_traveler", { userId: "uma", residence: "USA" });
    const resident = await preview(abroad, customer);
    expect(resident.warnings).toEqual([
      expect.stringMatching(/^Traveler 1 of 1, entry into FRA on .*: visa_required\./),
    ]);
  });

  test("is repeated by the booking's answer where a country accepts none of the traveler's passports", async () => {
    await travelerWith("xena", "USA");
    const passports = [{ ...passport("USA"), expiresOn: inDays(60) }];
    await call("save_traveler", { userId: "xena", passports });
    const args = { offerId: await offerFor(abroad), additionalCustomerUserIds: ["xena"] };
    const said = /^Careful: as far as the service knows, xena may not enter FRA on .*cancel_order_quote says/;
    for (let time = 0; time < 2; time += 1) expect((await call("book_flight", args)).next).toMatch(said);
    const admitted = {
      offerId: await offerFor(abroad),
      additionalCustomerUserIds: [await travelerWith("yves", "USA")],
    };
    expect((await call("book_flight", admitted)).next).not.toContain("may not enter");
  });

  test("has the passport renewed before a visa is put into it", async () => {
    await travelerWith("zoe", "IND");
    await call("save_traveler", { userId: "zoe", passports: [{ ...passport("IND"), expiresOn: inDays(60) }] });
    const asked = { originIso3: "IND", destinationIso3: "SGP", departureDate: inDays(40), purpose: "business" };
    const { nextSteps } = await call("check_travel_eligibility", { travelerUserId: "zoe", ...asked });
    const steps = z.array(z.string()).parse(nextSteps);
    const renewing = steps.findIndex((step) => step.includes("Renew"));
    expect(renewing).toBeGreaterThanOrEqual(0);
    expect(steps.slice(0, renewing).filter((step) => /visa/i.test(step))).toEqual([]);
    expect(steps.slice(renewing).filter((step) => /visa/i.test(step))).not.toEqual([]);
  });

  test("warns of a rule that was not confirmed of late, and never of a traveler's own country", async () => {
    const { warnings } = await preview(abroad, await travelerWith("vic", "USA"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^Traveler 1 of 1, entry into FRA on .*: eligible\..*last known to be in force/);
    expect((await preview(abroad, await travelerWith("vera", "USA", "FRA"))).warnings).toEqual([]);
  });

  test("reports without a passport that nothing was checked, and ignores flights within a country", async () => {
    const customer = await travelerWith("will");
    expect((await preview(abroad, customer)).warnings).toEqual([
      expect.stringContaining("Traveler 1 of 1 has no passport"),
    ]);
    const within = { origin: "JFK", destination: "LAX", departureDate: inDays(40) };
    expect((await preview(within, customer)).warnings).toEqual([]);
  });
});
