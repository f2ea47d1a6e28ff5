import { z } from "zod";
import { defineTool } from "../context.ts";
import { RunAnswer } from "../describe-run.ts";
import { readRun } from "../wait-for-run.ts";

export const readRunTool = defineTool({
  name: "read_run",
  title: "Read a workflow run",
  summary: "Show a run: its status, its pause and who decides it, its steps with their costs, and its result.",
  area: "workflows",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["workflows"],
  input: z.strictObject({ runId: z.string().describe("From run_workflow") }),
  output: RunAnswer,
  errors: { run_not_found: "You have no such run. Use the runId from run_workflow." },
  example: (_today, ids) => ({ runId: ids.runId }),
  async run({ runId }, { workflows, caller, fail }) {
    const owner = { tenantId: caller.tenantId, environment: caller.environment };
    const run = await readRun(workflows.stores.runs, [owner], runId);
    if (run === undefined) throw fail("run_not_found");
    return run;
  },
});
