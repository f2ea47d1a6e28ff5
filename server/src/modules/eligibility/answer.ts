import { z } from "zod";
import type { Passport } from "../travelers/index.ts";
import { FROM_MEMORY } from "./assess.ts";
import { showPassport, withoutPassport } from "./assess-traveler.ts";
import type { Assessed } from "./choose-passport.ts";
import { checkIds, type EligibilityAssessment, verdicts } from "./eligibility-rules.ts";

const Source = z.object({
  title: z.string(),
  url: z.string(),
  asOf: z.string(),
  basis: z.enum(["read", "recalled"]).describe("recalled: the source could not be read when the rule was recorded"),
});

const ShownPassport = z.object({ nationality: z.string(), expiresOn: z.string(), number: z.string() });

/** For one journey into one country. */
export const Assessment = z.object({
  verdict: z.enum(verdicts),
  summary: z.string(),
  checks: z
    .array(
      z.object({
        id: z.enum(checkIds),
        status: z.enum(["pass", "warn", "fail", "unknown"]),
        detail: z.string(),
        source: Source.nullable(),
      }),
    )
    .readonly(),
  authorization: z
    .object({ type: z.string(), leadTime: z.string(), officialUrl: z.string() })
    .nullable()
    .describe("What to get instead of a visa from a consulate"),
  maxStayDays: z
    .number()
    .nullable()
    .describe("For this stay, including days used by other stays; null: no limit is known"),
  passport: ShownPassport.nullable().describe("The best one to travel on"),
  alternatives: z
    .array(ShownPassport.extend({ verdict: z.enum(verdicts), summary: z.string() }))
    .readonly()
    .describe("The traveler's other passports"),
  stale: z.boolean().describe("true: a rule behind the verdict was last known to be in force over 90 days ago"),
  asOf: z.string().nullable(),
  source: z.string(),
  sourceLevel: z.literal("embedded"),
  nextSteps: z.array(z.string()).readonly(),
});

export const DISCLAIMER =
  "This compares official rules that the service knows with the traveler's profile. It is not legal advice, and the border officer decides.";

const EMBEDDED = "Entry rules included with the service";

/** The best passport first. `isFirst`: no earlier journey of the answer has said what its rules rest on. */
export function describeAssessed(
  assessed: readonly Assessed<Passport>[],
  { isFirst }: { isFirst: boolean },
): z.input<typeof Assessment> {
  const [best, ...others] = assessed;
  return {
    ...shown(best?.assessment ?? withoutPassport(EMBEDDED), isFirst),
    passport: best === undefined ? null : showPassport(best.document),
    alternatives: others.map(({ document, assessment }) => ({
      ...showPassport(document),
      verdict: assessment.verdict,
      summary: assessment.summary,
    })),
  };
}

function shown({ recalled: _, doubts, ...assessment }: EligibilityAssessment, isFirst: boolean) {
  return {
    ...assessment,
    summary: sayWithDoubts({ ...assessment, doubts }, isFirst),
    sourceLevel: "embedded" as const,
  };
}

/** Later sentences of an answer leave out what the first one said. */
export const sayWithDoubts = (
  { summary, doubts }: Pick<EligibilityAssessment, "summary" | "doubts">,
  isFirst: boolean,
): string => [summary, ...doubts.filter((doubt) => isFirst || doubt !== FROM_MEMORY)].join(" ");
