import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  clockFrom,
  type Document,
  findDetail,
  findStatus,
  type Journey,
  openDesk,
} from "../../../test/support/eligibility.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

let service: TestService;
let desk: ReturnType<typeof openDesk>;
beforeAll(async () => {
  service = await startTestService({}, { clock: clockFrom("2026-11-26") });
  desk = openDesk(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const check = (documents: string | Document | readonly Document[], journey: Journey) => desk.check(documents, journey);

const DAYS = ["2026-12-10", "2026-12-17"] as const;

describe("the passport", () => {
  const french = (expiresOn: string, issuedOn?: string) => ({
    nationality: "USA",
    expiresOn,
    ...(issuedOn === undefined ? {} : { issuedOn }),
  });

  test.each([
    // Schengen: three months after the departure, issued within ten years.
    ["FRA", french("2027-03-17"), "eligible", "pass"],
    ["FRA", french("2027-03-16"), "not_admitted", "fail"],
    ["FRA", french("2031-12-31", "2016-12-11"), "eligible", "pass"],
    ["FRA", french("2031-12-31", "2016-12-10"), "not_admitted", "fail"],
    // Thailand: six months after the arrival.
    ["THA", french("2027-06-10"), "eligible", "pass"],
    ["THA", french("2027-06-09"), "not_admitted", "fail"],
    // Japan: until the departure.
    ["JPN", french("2026-12-17"), "eligible", "pass"],
    ["JPN", french("2026-12-16"), "not_admitted", "fail"],
  ])("into %s: %j is %s", async (destination, document, verdict, status) => {
    const checked = await check(document, [destination, ...DAYS]);
    expect([checked.verdict, findStatus(checked, "validity")], JSON.stringify(checked)).toEqual([verdict, status]);
  });

  test("that expires before the arrival is not accepted, not even at home", async () => {
    const expired = { nationality: "USA", expiresOn: "2026-12-09" };
    for (const destination of ["JPN", "USA", "ATA"]) {
      const checked = await check(expired, [destination, ...DAYS]);
      expect([checked.verdict, findStatus(checked, "passport")]).toEqual(["not_admitted", "fail"]);
    }
    expect((await check({ ...expired, expiresOn: "2026-12-10" }, ["USA", ...DAYS])).verdict).toBe("eligible");
  });

  test("needs no six months for nationals of the six-month club", async () => {
    const expiresOn = "2026-12-20";
    expect((await check({ nationality: "FRA", expiresOn }, ["USA", ...DAYS])).verdict).toBe(
      "eligible_with_authorization",
    );
    expect((await check({ nationality: "KAZ", expiresOn }, ["USA", ...DAYS])).verdict).toBe("not_admitted");
  });

  test("is unknown to be valid long enough where sources disagree", async () => {
    const judged = async (expiresOn: string) => {
      const checked = await check({ nationality: "IND", expiresOn }, ["QAT", "2027-03-05", "2027-03-12"]);
      return [checked.verdict, findStatus(checked, "validity")];
    };
    expect(await judged("2027-06-04")).toEqual(["not_admitted", "fail"]);
    expect(await judged("2027-08-09")).toEqual(["unknown", "unknown"]);
    expect(await judged("2027-09-05")).toEqual(["eligible", "pass"]);
  });

  test("of a stateless person or a refugee needs an official answer", async () => {
    for (const nationality of ["XXA", "XXB"]) {
      const checked = await check(nationality, ["FRA", ...DAYS]);
      expect([checked.verdict, findStatus(checked, "passport")]).toEqual(["needs_information", "unknown"]);
    }
    const both = await check([{ nationality: "XXB" }, { nationality: "IND" }], ["FRA", ...DAYS]);
    expect(both).toMatchObject({ verdict: "visa_required", passport: { nationality: "IND" } });
  });

  test("is missing", async () => {
    const checked = await check([], ["FRA", ...DAYS]);
    expect(checked).toMatchObject({ verdict: "needs_information", passport: null, alternatives: [] });
    expect(checked.nextSteps.join(" ")).toContain("save_traveler");
  });

  test("is chosen from several, without showing a number", async () => {
    const documents = [
      { nationality: "IND", number: "INDIA0011" },
      { nationality: "USA", number: "AMERICA22" },
      { nationality: "FRA", number: "FRANCE033" },
    ];
    const userId = await desk.travelerWith(...documents);
    const into = async (destination: string) => {
      const answer = await desk.ask(userId, [destination, ...DAYS]);
      for (const { number } of documents) expect(answer.text).not.toContain(number);
      return answer.body.result;
    };
    expect(await into("FRA")).toMatchObject({
      verdict: "eligible",
      passport: { nationality: "FRA", number: "***33", expiresOn: "2031-12-31" },
      alternatives: [
        { nationality: "USA", verdict: "eligible", number: "***22" },
        // A national of the destination gets no visa for it.
        { nationality: "IND", verdict: "needs_information", number: "***11" },
      ],
    });
    expect(await into("USA")).toMatchObject({ verdict: "eligible", passport: { nationality: "USA" } });
    expect(await into("IND")).toMatchObject({ verdict: "eligible", passport: { nationality: "IND" } });
    expect(await into("CHN")).toMatchObject({ verdict: "eligible", passport: { nationality: "FRA" } });
  });
});

describe("stay, purpose and transit", () => {
  test("the longest stay includes its first and its last day", async () => {
    const within = await check("USA", ["FRA", "2026-12-01", "2027-02-28"]);
    expect([within.verdict, within.maxStayDays, findStatus(within, "stay")]).toEqual(["eligible", 90, "pass"]);
    const beyond = await check("USA", ["FRA", "2026-12-01", "2027-03-01"]);
    expect([beyond.verdict, findStatus(beyond, "stay")]).toEqual(["visa_required", "fail"]);
    expect(beyond.authorization).toBeNull();
  });

  test("without returnDate a limited stay is not known to be short enough", async () => {
    const open = await check("USA", ["JPN", "2026-12-01", undefined]);
    expect([open.verdict, findStatus(open, "stay")]).toEqual(["needs_information", "unknown"]);
    expect(open.nextSteps.join(" ")).toContain("until 2027-02-28");
    // A returnDate would not change the verdict.
    expect((await check("IND", ["FRA", "2026-12-01", undefined])).verdict).toBe("visa_required");
  });

  test("a rule for visitors covers no study and no treatment", async () => {
    for (const purpose of ["study", "medical"]) {
      const checked = await check("USA", ["FRA", ...DAYS, purpose]);
      expect([checked.verdict, findStatus(checked, "purpose")]).toEqual(["visa_required", "fail"]);
      expect(findDetail(checked, "purpose")).toContain(purpose);
    }
    expect((await check("DEU", ["FRA", ...DAYS, "study"])).verdict).toBe("eligible");
    expect((await check("FRA", ["IND", ...DAYS, "medical"])).verdict).toBe("eligible_with_authorization");
    expect((await check("FRA", ["IND", ...DAYS, "study"])).verdict).toBe("visa_required");
    expect((await check("NGA", ["USA", ...DAYS, "study"])).verdict).toBe("not_admitted");
  });

  test("a rule for tourists covers no business", async () => {
    expect((await check("USA", ["TUR", ...DAYS, "leisure"])).verdict).toBe("eligible");
    expect((await check("USA", ["TUR", ...DAYS, "business"])).verdict).toBe("visa_required");
  });

  test.each([
    // Airside on the day of arrival, landside if the traveler stays the night.
    ["IND", "GBR", undefined, "visa_required"],
    ["PHL", "GBR", undefined, "unknown"],
    ["USA", "GBR", undefined, "eligible"],
    ["USA", "GBR", "2026-12-11", "eligible_with_authorization"],
    ["PHL", "JPN", "2026-12-10", "unknown"],
    ["PHL", "JPN", "2026-12-11", "visa_required"],
    ["NGA", "DEU", undefined, "visa_required"],
    ["IND", "DEU", undefined, "unknown"],
    ["FRA", "USA", undefined, "eligible_with_authorization"],
    ["PHL", "USA", undefined, "visa_required"],
    ["USA", "CHN", "2026-12-19", "eligible"],
    ["USA", "CHN", "2026-12-20", "visa_required"],
    ["FRA", "NZL", undefined, "eligible_with_authorization"],
  ])("%s changes planes in %s until %s: %s", async (nationality, destination, to, verdict) => {
    const checked = await check(nationality, [destination, "2026-12-10", to, "transit"]);
    expect(checked.verdict, JSON.stringify(checked)).toBe(verdict);
    const sides = checked.checks.filter(({ id }) => id === "transit").map(({ detail }) => detail.split(":")[0]);
    expect(sides.toSorted()).toEqual(["Airside", "Landside"]);
  });

  test("changing planes airside is a yes only for nationalities of a list that was read, and has no steps of the border", async () => {
    const [listed, exempt, other] = await Promise.all(
      ["NGA", "BRA", "LBN"].map((nationality) => check(nationality, ["DEU", "2026-12-10", undefined, "transit"])),
    );
    expect([listed?.verdict, exempt?.verdict, other?.verdict]).toEqual(["visa_required", "eligible", "unknown"]);
    const [said] = other?.checks.filter(({ id }) => id === "transit") ?? [];
    expect(said).toMatchObject({
      status: "unknown",
      detail: expect.stringContaining("Ask the embassy of the country"),
    });
    expect([exempt, other].flatMap((checked) => checked?.nextSteps ?? []).join()).not.toContain("fingerprints");
    expect((await check("BRA", ["DEU", ...DAYS])).nextSteps.join()).toContain("fingerprints");
  });

  test("a yes that rests on memory alone is not known, with the reason and whom to ask", async () => {
    const { verdict, checks } = await check("IND", ["TUR", "2026-12-10", undefined, "transit"]);
    expect(verdict).toBe("unknown");
    expect(checks).toContainEqual(
      expect.objectContaining({
        status: "unknown",
        detail: expect.stringMatching(/^Airside: .* recorded from memory.* Ask the embassy of the country/),
      }),
    );
  });

  test("a yes from memory stays for whom a rule admits through the border: certain if that was read, else with a warning", async () => {
    const sides = await Promise.all(
      ["GBR", "FRA", "ZAF"].map((nationality) => check(nationality, ["TUR", "2026-12-10", undefined, "transit"])),
    );
    expect(sides.map(({ verdict }) => verdict)).toEqual(["eligible", "eligible", "unknown"]);
    const airside = sides.map(({ checks }) => checks.find(({ detail }) => detail.startsWith("Airside:")));
    expect(airside.map((side) => side?.status)).toEqual(["pass", "warn", "unknown"]);
    expect(airside[1]?.detail).toMatch(/recorded from memory, so confirm them with the airline/);
    expect(sides[1]?.summary).toContain("recorded from memory");
    // A rule for everybody who is not named admits as many as it was remembered for.
    const unnamed = await check("BRA", ["SGP", "2026-12-10", undefined, "transit"]);
    expect(unnamed.verdict).toBe("unknown");
  });

  test("who needs a visa to leave the transit area is not told that the passport is enough to enter", async () => {
    const { verdict, summary } = await check("NGA", ["VNM", "2026-12-10", undefined, "transit"]);
    expect(verdict).toBe("eligible");
    expect(summary).toMatch(/change planes in Viet ?[Nn]am without passing border control/);
    expect(summary).not.toMatch(/enough to enter/);
  });

  test("a passport that is not accepted is told why", async () => {
    const expired = await check({ nationality: "DEU", issuedOn: "2016-12-01", expiresOn: "2026-12-01" }, [
      "USA",
      ...DAYS,
    ]);
    expect(expired.verdict).toBe("not_admitted");
    expect(expired.summary).toMatch(/does not accept this passport \(Germany\) for this journey\. .*2026-12-01/);
  });
});

describe("invalid arguments", () => {
  const asked = {
    travelerUserId: "user_demo",
    originIso3: "GBR",
    destinationIso3: "FRA",
    departureDate: "2026-12-10",
    returnDate: "2026-12-12",
    purpose: "leisure",
  };

  test.each([
    [{ originIso3: "ZZZ" }, "originIso3"],
    [{ destinationIso3: "Fr" }, "destinationIso3"],
    [{ destinationIso3: "gbr" }, "destinationIso3"],
    [{ destinationIso3: "GBR" }, "destinationIso3"],
    [{ departureDate: "2026-11-25" }, "departureDate"],
    [{ departureDate: "2026-02-30" }, "departureDate"],
    [{ returnDate: "2026-12-09" }, "returnDate"],
    [{ purpose: "work" }, "purpose"],
    [{ visa: "B1" }, "visa"],
  ])("%j is refused", async (change, path) => {
    const { status, body } = await service.call("check_travel_eligibility", { ...asked, ...change });
    expect([status, body.code]).toEqual([400, "invalid_input"]);
    expect(body).toHaveProperty("issues.0.path", path);
  });

  test("today, and a return on the day of the departure, are valid", async () => {
    const days = { departureDate: "2026-11-26", returnDate: "2026-11-26" };
    expect((await service.call("check_travel_eligibility", { ...asked, ...days })).status).toBe(200);
  });
});
