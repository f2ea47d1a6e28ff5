import { z } from "zod";
import { Severity } from "./document.ts";
import { MOST_SHOWN, type Verdict } from "./evaluate.ts";

/** A verdict, as every surface shows it. */
export const VerdictAnswer = z.object({
  decision: z.enum(["allow", "warn", "require_approval", "deny"]).describe("The decision of the strictest broken rule"),
  violations: z
    .array(
      z.object({
        rule: z.string(),
        severity: Severity,
        limit: z.string(),
        actual: z.string(),
        unit: z.string(),
        text: z.string(),
      }),
    )
    .describe("Strictest first"),
  notEvaluated: z
    .array(z.object({ rule: z.string(), severity: Severity, missing: z.array(z.string()) }))
    .describe("Rules that could not be checked, with the missing facts; they are neither kept nor broken"),
  notShown: z.int().describe(`Number of entries in both lists beyond the first ${MOST_SHOWN}`),
  policyId: z.string(),
  version: z.int(),
});

export function describeVerdict(
  { decision, violations, notEvaluated, notShown }: Verdict,
  { policyId, version }: { policyId: string; version: number },
): z.output<typeof VerdictAnswer> {
  return {
    decision,
    violations: [...violations],
    notEvaluated: notEvaluated.map((one) => ({ ...one, missing: [...one.missing] })),
    notShown,
    policyId,
    version,
  };
}
