import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { clockFrom, type Document, findStatus, type Journey, openDesk } from "../../../test/support/eligibility.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

const clock = clockFrom("2026-11-26");

/** An operator's own rules, beside the embedded ones and in place of some: the dataset of the documentation, and a regime. */
const Dataset = z.object({ regimes: z.array(z.looseObject({ id: z.string() })) });
const source = {
  title: "Ministry of Tests",
  url: "https://entry.example/rules",
  asOf: "2026-11-20",
  basis: "read",
} as const;
const example = /```json\n([\s\S]*?)```/.exec(
  readFileSync(new URL("../../../../docs/entry-rules.md", import.meta.url), "utf8"),
);
const dataset = Dataset.parse(JSON.parse(example?.[1] ?? ""));
dataset.regimes.push({
  id: "new-zealand",
  title: "New Zealand",
  officialUrl: "https://entry.example",
  countries: "NZL",
  sources: { law: source },
  entry: [{ nationalities: "FRA", kind: "visa", source: "law" }],
  validity: { months: 0, after: "departure", source: "law" },
});

let service: TestService;
let desk: ReturnType<typeof openDesk>;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "wayfare-rules-"));
  const path = join(folder, "rules.json");
  writeFileSync(path, JSON.stringify(dataset));
  service = await startTestService({ ELIGIBILITY_DATASET_PATH: path }, { clock });
  desk = openDesk(service);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const check = (documents: string | Document, journey: Journey) => desk.check(documents, journey);

const DAYS = ["2026-12-10", "2026-12-17"] as const;

describe("visitors", () => {
  test.each([
    ["USA", "FRA", "eligible"],
    ["IND", "FRA", "visa_required"],
    ["DEU", "FRA", "eligible"],
    ["USA", "GBR", "eligible_with_authorization"],
    ["LCA", "GBR", "visa_required"],
    ["IRL", "GBR", "eligible"],
    ["GBR", "IRL", "eligible"],
    ["ZAF", "IRL", "visa_required"],
    ["FRA", "USA", "eligible_with_authorization"],
    ["IND", "USA", "visa_required"],
    ["NGA", "USA", "not_admitted"],
    ["CAN", "USA", "eligible"],
    ["FSM", "USA", "eligible"],
    ["USA", "CAN", "eligible"],
    ["DEU", "CAN", "eligible_with_authorization"],
    ["MEX", "CAN", "visa_required"],
    ["DEU", "MEX", "eligible"],
    ["UKR", "MEX", "eligible_with_authorization"],
    ["PER", "MEX", "visa_required"],
    ["USA", "BRA", "eligible_with_authorization"],
    ["FRA", "BRA", "eligible"],
    ["FRA", "ARG", "eligible"],
    ["CHN", "ARG", "visa_required"],
    ["FRA", "CHL", "eligible"],
    ["VEN", "CHL", "visa_required"],
    ["USA", "COL", "eligible"],
    ["IND", "COL", "visa_required"],
    ["USA", "PER", "eligible"],
    ["CUB", "PER", "visa_required"],
    ["FRA", "JPN", "eligible"],
    ["PHL", "JPN", "visa_required"],
    ["THA", "KOR", "eligible_with_authorization"],
    ["CHN", "KOR", "visa_required"],
    ["FRA", "CHN", "eligible"],
    ["USA", "CHN", "visa_required"],
    ["HKG", "CHN", "eligible_with_authorization"],
    ["GBR", "HKG", "eligible"],
    ["IND", "HKG", "eligible_with_authorization"],
    ["NGA", "HKG", "visa_required"],
    ["USA", "MAC", "eligible"],
    ["NGA", "MAC", "visa_required"],
    ["USA", "TWN", "eligible"],
    ["THA", "TWN", "unknown"],
    ["CHN", "SGP", "eligible"],
    ["IND", "SGP", "visa_required"],
    ["USA", "MYS", "eligible"],
    ["ISR", "MYS", "not_admitted"],
    ["BGD", "MYS", "eligible_with_authorization"],
    ["USA", "THA", "eligible"],
    ["NGA", "THA", "visa_required"],
    ["IND", "THA", "unknown"],
    ["SGP", "IDN", "eligible"],
    ["USA", "IDN", "eligible_with_authorization"],
    ["NGA", "IDN", "visa_required"],
    ["DEU", "VNM", "eligible"],
    ["USA", "VNM", "eligible_with_authorization"],
    ["USA", "PHL", "eligible"],
    ["PAK", "PHL", "visa_required"],
    ["FRA", "IND", "eligible_with_authorization"],
    ["NPL", "IND", "eligible"],
    ["PAK", "IND", "visa_required"],
    ["OMN", "ARE", "eligible"],
    ["USA", "ARE", "eligible_with_authorization"],
    ["PHL", "ARE", "visa_required"],
    ["USA", "SAU", "eligible_with_authorization"],
    ["NGA", "SAU", "visa_required"],
    ["USA", "QAT", "eligible"],
    ["NGA", "QAT", "eligible_with_authorization"],
    ["DEU", "TUR", "eligible"],
    ["ZAF", "TUR", "eligible_with_authorization"],
    ["SYR", "TUR", "visa_required"],
    ["USA", "ISR", "eligible_with_authorization"],
    ["IND", "ISR", "visa_required"],
    ["USA", "EGY", "eligible_with_authorization"],
    ["NGA", "EGY", "visa_required"],
    ["USA", "MAR", "eligible"],
    ["MLI", "MAR", "eligible_with_authorization"],
    ["NGA", "MAR", "visa_required"],
    ["GBR", "ZAF", "eligible"],
    ["NZL", "ZAF", "visa_required"],
    ["USA", "KEN", "eligible_with_authorization"],
    ["ZAF", "KEN", "eligible"],
    ["USA", "AUS", "eligible_with_authorization"],
    ["NZL", "AUS", "eligible"],
    ["IND", "AUS", "visa_required"],
    ["GBN", "GBR", "eligible"],
    // Rules for everybody else apply only to nationals of states.
    ["GBS", "GBR", "unknown"],
    ["GBN", "IND", "unknown"],
  ])("%s into %s: %s", async (nationality, destination, verdict) => {
    const checked = await check(nationality, [destination, ...DAYS]);
    expect(checked.verdict, JSON.stringify(checked)).toBe(verdict);
    if (verdict === "eligible_with_authorization") expect(checked.authorization).not.toBeNull();
    // Every rule names its source and its date.
    if (verdict !== "unknown") for (const { source: named } of checked.checks) expect(named).not.toBeNull();
  });

  test("a country without rules is never a yes, and one's own country always is", async () => {
    expect((await check("USA", ["ATA", ...DAYS])).verdict).toBe("unknown");
    for (const purpose of ["leisure", "study", "medical"]) {
      expect((await check("URY", ["URY", ...DAYS, purpose])).verdict).toBe("eligible");
      expect((await check("JPN", ["JPN", "2026-12-10", undefined, purpose])).verdict).toBe("eligible");
    }
  });

  test("a recalled rule is named in the verdict, and an authorization with where to get it", async () => {
    const recalled = await check("FRA", ["USA", ...DAYS]);
    expect(recalled.summary).toContain("recorded from memory");
    expect(recalled.authorization).toMatchObject({ type: "ESTA", officialUrl: "https://esta.cbp.dhs.gov" });
    expect(recalled.checks.map((one) => one.source?.basis)).toContain("recalled");
    // Only if it decides: the Schengen area's list of visas was read, its rule on the passport's validity was not.
    const other = await check("USA", ["FRA", ...DAYS]);
    expect(other.checks.map((one) => one.source?.basis)).toContain("recalled");
    expect(other.summary).not.toContain("memory");
    const readRule = await check("DEU", ["MCO", ...DAYS]);
    expect(readRule.summary).not.toContain("memory");
  });
});

describe("days on which rules begin and end", () => {
  test.each([
    // The exemption from K-ETA.
    ["GBR", "KOR", "2026-12-31", "eligible"],
    ["GBR", "KOR", "2027-01-01", "eligible_with_authorization"],
    // Visa-free entry into China.
    ["GBR", "CHN", "2026-12-31", "eligible"],
    ["GBR", "CHN", "2027-01-01", "visa_required"],
    ["RUS", "CHN", "2026-12-10", "unknown"],
    // ETIAS is announced first, then required.
    ["USA", "ESP", "2027-03-31", "eligible"],
    ["USA", "ESP", "2027-04-01", "eligible_with_authorization"],
    // Malaysia for Indian nationals.
    ["IND", "MYS", "2026-12-31", "eligible"],
    ["IND", "MYS", "2027-01-01", "eligible_with_authorization"],
    // Resolutions of Viet Nam.
    ["DEU", "VNM", "2028-03-14", "eligible"],
    ["DEU", "VNM", "2028-03-15", "eligible_with_authorization"],
    // The Philippines for Chinese nationals.
    ["CHN", "PHL", "2027-01-15", "eligible"],
    ["CHN", "PHL", "2027-01-16", "visa_required"],
  ])("%s into %s on %s: %s", async (nationality, destination, day, verdict) => {
    const checked = await check(nationality, [destination, day, day]);
    expect(checked.verdict, JSON.stringify(checked)).toBe(verdict);
  });

  test("an announced authorization is a warning", async () => {
    const checked = await check("USA", ["ESP", "2027-03-01", "2027-03-05"]);
    expect([findStatus(checked, "authorization"), checked.authorization?.type]).toEqual(["warn", "ETIAS"]);
    expect(checked.nextSteps.join(" ")).toContain("travel-europe.europa.eu");
  });

  test("a rule that was last confirmed over 90 days ago is stale, and the answer tells", async () => {
    const journey = ["MCO", "2027-06-01", "2027-06-05"] as const;
    clock.day = "2027-02-18";
    const fresh = await check("DEU", journey);
    expect([fresh.stale, fresh.asOf]).toEqual([false, "2026-11-20"]);
    clock.day = "2027-02-19";
    const old = await check("DEU", journey);
    expect([old.stale, old.asOf, old.verdict]).toEqual([true, "2026-11-20", "eligible"]);
    expect(old.summary).toContain("2026-11-20");
    clock.day = "2026-11-26";
  });
});

describe("an operator's dataset", () => {
  test("adds countries and replaces embedded regimes", async () => {
    expect(await check("DEU", ["MCO", ...DAYS])).toMatchObject({
      verdict: "eligible",
      source: "Entry rules from the operator's dataset",
      sourceLevel: "embedded",
    });
    expect((await check("BGR", ["MCO", ...DAYS])).verdict).toBe("visa_required");
    expect(await check("FRA", ["MCO", ...DAYS, "study"])).toMatchObject({ verdict: "eligible", maxStayDays: null });
    expect((await check("IND", ["MCO", "2026-12-31", "2026-12-31"])).verdict).toBe("visa_required");
    expect((await check("IND", ["MCO", "2027-01-01", "2027-01-01"])).verdict).toBe("eligible_with_authorization");
    expect((await check("FRA", ["NZL", ...DAYS])).verdict).toBe("visa_required");
    expect((await check("USA", ["NZL", ...DAYS])).verdict).toBe("unknown");
  });

  test("that is unusable stops the start, and the error names the place", async () => {
    const path = join(folder, "broken.json");
    const [monaco] = dataset.regimes;
    const broken = { regimes: [{ ...monaco, entry: [{ nationalities: "FRA", kind: "evisa", source: "decree" }] }] };
    for (const [text, reason] of [
      ["{", "ELIGIBILITY_DATASET_PATH"],
      [JSON.stringify(broken), 'there is no source "decree"'],
      [JSON.stringify(broken), "a rule of the kind evisa names no authorization"],
      [JSON.stringify({ regimes: [{ ...monaco, countries: "@NATO" }] }), "@NATO is no set"],
      [JSON.stringify({ regimes: [{ ...monaco, countries: "XQZ" }] }), "XQZ is no country"],
    ] as const) {
      writeFileSync(path, text);
      await expect(startTestService({ ELIGIBILITY_DATASET_PATH: path })).rejects.toThrow(reason);
    }
  });
});
