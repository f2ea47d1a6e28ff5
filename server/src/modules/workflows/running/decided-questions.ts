import { z } from "zod";
import { type JournaledStep, TIMEOUT } from "../runs.ts";

/** Questions to a person about a step, besides the workflow's own pauses. */
const QUESTIONS = ["approval", "stuck", "changed", "key"] as const;

export const Decided = z.object({ resolution: z.object({ status: z.string() }), by: z.string().optional() });

/** Returns the refusal of a step that a person has declined. */
export function findRefusal(
  journal: ReadonlyMap<string, JournaledStep>,
  stepId: string,
): { code: string; detail: string } | undefined {
  for (const { stepId: id, outcome } of journal.values()) {
    if (!QUESTIONS.some((question) => id.startsWith(`${stepId}:${question}:`))) continue;
    const { resolution: { status } = {}, by } = Decided.safeParse(outcome).data ?? {};
    if (status === "rejected" && by === TIMEOUT)
      return { code: "approval_expired", detail: `Nobody decided about ${stepId} in time.` };
    if (status === "rejected") return { code: "approval_rejected", detail: `${stepId} was not approved.` };
    if (status === "cancelled") return { code: "run_cancelled", detail: `The run was cancelled at ${stepId}.` };
  }
  return undefined;
}
