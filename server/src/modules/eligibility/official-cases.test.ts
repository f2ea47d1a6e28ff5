import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type EligibilityCase, eligibilityCases, listEntries } from "../../../test/support/eligibility-cases.ts";
import { createRules } from "./assess.ts";
import { assessPassports, withoutPassport } from "./assess-traveler.ts";
import { worstVerdict } from "./findings.ts";
import { readRegimes } from "./read-regimes.ts";

/** Each depends on a kind of passport, which travelers' profiles do not record. */
const NEED_A_KIND_OF_PASSPORT: ReadonlySet<string> = new Set([
  "schengen-georgia-diplomatic-suspended",
  "schengen-georgia-service-suspended",
  "schengen-ukraine-non-biometric-visa",
]);

const regimes = readRegimes(undefined);
const rules = createRules(regimes);

function judge(asked: EligibilityCase) {
  const parseDay = (text: string) => Temporal.PlainDate.from(text);
  const passports = asked.passports.map(({ nationality = "", issuedOn, expiresOn = "" }) => ({
    nationality,
    number: "P12345642",
    issuedOn,
    expiresOn,
  }));
  const bookedStays = asked.earlierStays.map(({ countryIso3, from, to }) => ({
    countryIso3,
    from: parseDay(from),
    to: parseDay(to),
  }));
  const judged = listEntries(asked).map(({ destinationIso3, departureDate, returnDate, purpose, turnsBack }) => {
    const journey = {
      destinationIso3,
      arrivesOn: parseDay(departureDate),
      leavesOn: returnDate === undefined ? undefined : parseDay(returnDate),
      purpose,
      turnsBack,
    };
    const [best] = assessPassports(rules, { passports, bookedStays }, journey, parseDay(asked.today));
    return { assessment: best?.assessment ?? withoutPassport(""), passport: best?.document.nationality };
  });
  return {
    verdict: worstVerdict(judged.map(({ assessment }) => assessment.verdict)),
    authorizations: judged.flatMap(({ assessment: { authorization } }) => authorization?.type ?? []),
    bestPassport: judged.at(-1)?.passport,
    checks: judged.flatMap(({ assessment }) => assessment.checks),
  };
}

test("only where rules ask for earlier stays can these decide an admission", () => {
  const byStays = [...regimes].filter(([, { regime }]) => JSON.stringify(regime).includes("stayedIn"));
  const countries = byStays.map(([country]) => country);
  expect(countries).toContain("USA");
  expect([...regimes.keys()].filter((country) => rules.admitsByStays(country))).toEqual(countries);
});

test("the guide names every destination that has rules", () => {
  const guide = readFileSync(resolve(import.meta.dirname, "../../../../docs/entry-rules.md"), "utf8");
  const [, covered = ""] = /^The rules cover (.*)$/m.exec(guide) ?? [];
  for (const title of new Set([...regimes.values()].map(({ regime }) => regime.title)))
    expect(covered).toContain(title);
});

/** The tools refuse these before the rules see them; official-cases-by-tool.test.ts covers them. */
const reachesRules = ({ id, expect: { verdict } }: EligibilityCase) =>
  verdict !== "invalid_input" && !NEED_A_KIND_OF_PASSPORT.has(id);

describe.each([...eligibilityCases])("%s", (_, cases) => {
  test.each(cases.filter(reachesRules).map((asked) => [asked.id, asked.source.title, asked] as const))(
    "%s: %s",
    (_id, _title, asked) => {
      const { verdict, authorization, bestPassport, why } = asked.expect;
      const judged = judge(asked);
      const because = `${why} ${JSON.stringify(judged.checks)}`;
      expect(judged.verdict, because).toBe(verdict);
      if (authorization !== null) expect(judged.authorizations, because).toContain(authorization);
      if (bestPassport !== undefined) expect(judged.bestPassport, because).toBe(bestPassport);
    },
  );
});

test("only cases of a kind of passport that profiles do not record are left out", () => {
  const all = [...eligibilityCases.values()].flat();
  const known = new Set(["ordinary", "refugee", "stateless"]);
  const needing = all.filter(({ passports }) => passports.some(({ kind }) => !known.has(kind)));
  expect(new Set(needing.map(({ id }) => id))).toEqual(NEED_A_KIND_OF_PASSPORT);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
});
