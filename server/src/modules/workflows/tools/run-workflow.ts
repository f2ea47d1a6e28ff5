import { z } from "zod";
import { final } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { checkInput } from "../check-input.ts";
import { defineTool } from "../context.ts";
import { RunAnswer } from "../describe-run.ts";
import { checkStart, startRun } from "../start-run.ts";
import { waitForRun } from "../wait-for-run.ts";

export const runWorkflow = defineTool({
  name: "run_workflow",
  title: "Run a workflow",
  summary:
    "Run a whole booking as a durable workflow that pauses for people and events. Returns when it pauses or ends, or after 25 s as running: then call read_run. Its calls cost the same as your own.",
  advice: "It buys and pays without asking if the policy allows it.",
  area: "workflows",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["workflows"],
  input: z.strictObject({
    workflowId: z.string().describe("service.book_flight, or another from describe_workflows"),
    input: z.record(z.string(), z.unknown()).describe("As describe_workflows lists it"),
  }),
  output: RunAnswer,
  errors: {},
  example: (today, { tripId }) => ({
    workflowId: "service.book_flight",
    input: {
      tripId,
      origin: "LHR",
      destination: "CDG",
      passengers: 2,
      departureDate: today.add({ days: 40 }).toString(),
    },
  }),
  gives: ({ runId, sessionId }) => ({ runId, ...(sessionId === null ? {} : { sessionId }) }),
  // The run's calls plan their own movements.
  plan: () => ({
    movements: [],
    irreversible: [final("the run's calls, each with its own plan")],
    remarks: ["It starts a new run, whose calls move money by their own plans."],
  }),
  async probe(asked, { workflows, caller }) {
    const { workflow, input } = await checkStart(workflows, caller, { ...asked, userId: userOfRun(caller) });
    await checkInput(workflows, caller, workflow, input);
  },
  async run({ workflowId, input }, { workflows, caller, call }) {
    const { tenantId, keyId, environment, userId } = caller;
    const named = userOfRun(caller);
    const run = await startRun(
      workflows,
      { tenantId, keyId, environment },
      {
        workflowId,
        input,
        userId: named,
        traceId: call.traceId,
        // A call repeated after a crash finds the run that it has started.
        idempotencyKey: call.idempotencyKey === undefined ? call.id : `${userId}:${call.idempotencyKey}`,
      },
    );
    const answer = await waitForRun(workflows, run);
    if (answer === undefined) throw new Error("A run that was just started is not there.");
    return answer;
  },
});

/** The user that it runs for: calls name the user that the key may act for. */
const userOfRun = ({ userId, namedUserId }: Caller) => namedUserId ?? userId;
