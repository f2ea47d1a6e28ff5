import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { final } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { defineTool } from "../context.ts";
import { RunAnswer } from "../describe-run.ts";
import { checkResume, type Resumer, resumeRun } from "../pausing/resume-run.ts";
import { waitForRun } from "../wait-for-run.ts";

const errors = {
  session_not_found: "There is no paused run with this session. Use the sessionId from read_run.",
  pause_over: "This pause was already resolved or has timed out. Read the run.",
  resolved_by_event:
    "The run waits for a claim or for tickets, and the trip or the supplier does not confirm the resolution. The run stays paused and continues by itself: read it later.",
  person_decides: "Only a person who may decide approvals can resolve this pause. Ask one, and read the run later.",
} as const;

export const resumeRunTool = defineTool({
  name: "resume_run",
  title: "Resume a paused run",
  summary:
    "Give a paused run what it expects, such as the travelers. A pause with decidedBy person is resolved by a person, never here. Returns when the run pauses again or ends.",
  area: "workflows",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["workflows"],
  input: z.strictObject({
    sessionId: z.string().describe("From run_workflow or read_run"),
    resolution: z.record(z.string(), z.unknown()).describe("Fits the `expects` of the paused run"),
  }),
  output: RunAnswer,
  errors,
  example: (_today, ids) => ({ sessionId: ids.sessionId, resolution: { status: "cancelled" } }),
  // The run's calls plan their own movements.
  plan: () => ({ movements: [], irreversible: [final("the run's calls, each with its own plan")] }),
  probe: (asked, { workflows, caller }) => inWordsOfTool(checkResume(workflows, buildResumer(caller), asked)),

  async run(asked, { workflows, caller }) {
    const run = await inWordsOfTool(resumeRun(workflows, buildResumer(caller), asked));
    const answer = await waitForRun(workflows, run);
    if (answer === undefined) throw said("session_not_found");
    return answer;
  },
});

const buildResumer = ({ tenantId, environment, keyId, userId }: Caller): Resumer => ({
  owners: [{ tenantId, environment }],
  name: userId,
  mayDecide: false,
  keyIdFor: () => keyId,
});

function said(code: keyof typeof errors, detail: string = errors[code]): Failure {
  return new Failure(code, { detail });
}

/** Maps errors to the codes that the tool declares. */
async function inWordsOfTool<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === "not_found") throw said("session_not_found");
    if (error.code === "session_closed") throw said("pause_over");
    if (error.code === "conflict") throw said("resolved_by_event", error.detail);
    if (error.code === "missing_scope") throw said("person_decides");
    throw error;
  }
}
