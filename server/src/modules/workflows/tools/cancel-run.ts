import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { final } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { cancelRuns, LOSS_NOT_ACCEPTED } from "../cancel-runs.ts";
import { defineTool, type Stores } from "../context.ts";
import { RunAnswer } from "../describe-run.ts";
import { waitForRun } from "../wait-for-run.ts";

const runNotFound = "You have no such run. Use the runId from run_workflow.";

export const cancelRunTool = defineTool({
  name: "cancel_run",
  title: "Cancel a run",
  summary:
    "Cancel a run, or all paused runs of a trip: its steps are undone, and it fails with run_cancelled. A run whose tickets are confirmed finishes instead. Returns when they have ended.",
  advice:
    "failure says what was undone, refunded and lost. The trip's budget, including the run's reservations, stays in escrow for another run until close_trip.",
  area: "workflows",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["workflows"],
  input: z
    .strictObject({
      runId: z.string().optional().describe("From run_workflow"),
      tripId: z.string().optional().describe("Instead of runId: every paused run of this trip"),
      acceptLoss: z.boolean().default(false).describe("true: also cancel what is not fully refundable"),
    })
    .refine(({ runId, tripId }) => (runId === undefined) !== (tripId === undefined), {
      message: "must name either runId or tripId",
    }),
  output: z.object({ runs: z.array(RunAnswer).describe("Runs that had already ended are unchanged") }),
  errors: {
    run_not_found: runNotFound,
    loss_not_accepted: LOSS_NOT_ACCEPTED,
  },
  example: (_today, { runId }) => ({ runId }),
  usesUp: ["runId", "sessionId"],
  // The run's undos plan their own movements.
  plan: () => ({ movements: [], irreversible: [final("the run's undos, each with its own plan")] }),
  probe: (asked, { workflows, caller }) => findRuns(workflows.stores, caller, asked),
  async run({ acceptLoss, ...asked }, { workflows, caller }) {
    const runs = await findRuns(workflows.stores, caller, asked);
    await cancelRuns(workflows, runs, { by: caller.userId, acceptLoss });
    const ended = await Promise.all(runs.map((run) => waitForRun(workflows, run)));
    return { runs: ended.filter((run) => run !== undefined) };
  },
});

async function findRuns(
  { runs }: Pick<Stores, "runs">,
  { tenantId, environment }: Pick<Caller, "tenantId" | "environment">,
  { runId, tripId = "" }: { runId?: string | undefined; tripId?: string | undefined },
) {
  const owner = { tenantId, environment };
  if (runId === undefined) return await runs.listPaused(owner, tripId);
  const found = await runs.find([owner], runId);
  if (found === undefined) throw new Failure("run_not_found", { detail: runNotFound });
  return [found];
}
