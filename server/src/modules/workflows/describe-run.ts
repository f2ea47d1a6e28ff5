import { z } from "zod";
import { detailsOfOthers } from "../../domain/schemas.ts";
import type { JournaledStep, Run, RunPause } from "./runs.ts";

export const RUN_STATES = ["running", "paused", "completed", "failed"] as const;

const TimelineStep = z.object({
  step: z.string(),
  tool: z.string().nullable().describe("null: a pause"),
  state: z.enum(["running", "waiting", "done", "failed"]),
  attempt: z.int(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  remindedAt: z.string().nullable().describe("For a pause: when the people who can resolve it were reminded"),
  priceMicroUsdc: z.string().nullable().describe("What the call cost"),
  meterId: z.string().nullable().describe("Id of its usage record"),
  code: z.string().nullable().describe("Error code of a step that failed, or of its last attempt"),
  references: z.record(z.string(), z.string()).describe("Ids, hashes and amounts in its answer"),
});

export const RunSummary = z.object({
  runId: z.string(),
  workflowId: z.string(),
  status: z.enum(RUN_STATES),
  tripId: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  endedAt: z.string().nullable(),
});

export const RunAnswer = RunSummary.extend({
  sessionId: z.string().nullable().describe("Identifies this pause; send it to resume"),
  nextStepId: z.string().nullable().describe("The step at which the run is paused"),
  pauseReason: z.string().nullable(),
  decidedBy: z.enum(["caller", "person", "service"]).nullable().describe("Who may resolve the pause"),
  expects: z.record(z.string(), z.unknown()).nullable().describe("JSON Schema of the resolution"),
  shown: detailsOfOthers("The subject of the decision").nullable(),
  expiresAt: z.string().nullable().describe("When the pause ends by itself"),
  onTimeout: z.record(z.string(), z.unknown()).nullable().describe("The resolution that then applies"),
  result: z.unknown().describe("null unless completed"),
  failure: z
    .unknown()
    .describe(
      "null unless failed: code, detail, the steps undone and not undone, the refund and loss of each undone order, whether each reservation's money returned to the trip's budget (returnedTo trip) or to the wallet, and in next whether the run can be started again",
    ),
  totalPriceMicroUsdc: z.string().describe("Total price of the run's calls so far"),
  steps: z.array(TimelineStep),
});

export function summarizeRun(run: Run): z.output<typeof RunSummary> {
  return {
    runId: run.id,
    workflowId: run.workflowId,
    status: run.state,
    tripId: run.tripId ?? null,
    createdAt: run.createdAt.toString(),
    updatedAt: run.updatedAt.toString(),
    endedAt: run.endedAt?.toString() ?? null,
  };
}

export function describeRun(
  run: Run,
  pause: RunPause | undefined,
  steps: readonly JournaledStep[],
): z.output<typeof RunAnswer> {
  const running = steps.findLast(({ state }) => state === "running" || state === "waiting");
  return {
    ...summarizeRun(run),
    sessionId: pause?.sessionId ?? null,
    nextStepId: run.endedAt === undefined ? (pause?.stepId ?? running?.stepId ?? null) : null,
    pauseReason: pause?.reason ?? null,
    decidedBy: pause?.decidedBy ?? null,
    expects: pause?.expects ?? null,
    shown: pause?.shown === undefined ? null : { ...pause.shown },
    expiresAt: pause?.expiresAt.toString() ?? null,
    onTimeout: pause?.onTimeout ?? null,
    result: run.result ?? null,
    failure: run.failure ?? null,
    totalPriceMicroUsdc: steps.reduce((sum, { priceMicro = 0n }) => sum + priceMicro, 0n).toString(),
    steps: steps.map(describeStep),
  };
}

const Outcome = z.object({
  code: z.string().optional(),
  result: z.unknown().optional(),
  resolution: z.unknown().optional(),
});

function describeStep(step: JournaledStep): z.output<typeof TimelineStep> {
  const outcome = Outcome.safeParse(step.outcome).data;
  return {
    step: step.stepId,
    tool: step.tool ?? null,
    state: step.state,
    attempt: step.attempt,
    startedAt: step.startedAt.toString(),
    endedAt: step.endedAt?.toString() ?? null,
    remindedAt: step.remindedAt?.toString() ?? null,
    priceMicroUsdc: step.priceMicro?.toString() ?? null,
    meterId: step.meterId ?? null,
    code: outcome?.code ?? null,
    references: referencesIn(outcome?.result ?? outcome?.resolution),
  };
}

const REFERENCE = /(Id|Hash|Number|Amount|Usdc|Currency|pnr|status|decision)$/;

/** Keeps the ids and amounts of a step's answer, without the rest. */
function referencesIn(result: unknown): Record<string, string> {
  if (typeof result !== "object" || result === null) return {};
  const named = Object.entries(result).filter(([name, value]) => REFERENCE.test(name) && typeof value === "string");
  return Object.fromEntries(named.map(([name, value]) => [name, String(value)]));
}
