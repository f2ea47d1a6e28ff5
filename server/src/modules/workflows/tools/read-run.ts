import { z } from "zod";
import { defineTool } from "../context.ts";
import { RunAnswer } from "../describe-run.ts";
import { LONGEST_WAIT_SECONDS, readChangedRun, Since, waitDescription } from "../wait-for-run.ts";

export const readRunTool = defineTool({
  name: "read_run",
  title: "Read a workflow run",
  summary:
    "Show a run, at once or at its next change: status, pause and who decides it, steps with their costs, and result.",
  area: "workflows",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["workflows"],
  input: z.strictObject({
    runId: z.string().describe("From run_workflow"),
    wait: z.int().min(0).max(LONGEST_WAIT_SECONDS).default(0).describe(waitDescription),
    since: Since,
  }),
  output: RunAnswer,
  errors: { run_not_found: "You have no such run. Use the runId from run_workflow." },
  example: (_today, ids) => ({ runId: ids.runId }),
  async run({ runId, wait, since }, { workflows, caller, call, fail }) {
    const owner = { tenantId: caller.tenantId, environment: caller.environment };
    const asked = { wait, since, owner: caller.keyId, signal: call.signal };
    const run = await readChangedRun(workflows, [owner], runId, asked);
    if (run === undefined) throw fail("run_not_found");
    return run;
  },
});
