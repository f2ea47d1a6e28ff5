import { sql } from "kysely";
import { z } from "zod";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { RunTimeline } from "./runs.ts";

const Instant = z.string().transform((text) => Temporal.Instant.from(text));
const JsonObject = z.record(z.string(), z.unknown());

const Steps = z.array(
  z.object({
    stepId: z.string(),
    position: z.int(),
    tool: z.string().nullable(),
    state: z.enum(["running", "waiting", "done", "failed"]),
    attempt: z.int(),
    outcome: z.unknown(),
    meterId: z.string().nullable(),
    // As text, since JSON numbers are not exact.
    priceMicro: z.string().transform(BigInt).nullable(),
    startedAt: Instant,
    endedAt: Instant.nullable(),
    remindedAt: Instant.nullable(),
  }),
);

const Pause = z.object({
  sessionId: z.string(),
  runId: z.string(),
  stepId: z.string(),
  reason: z.string(),
  decidedBy: z.enum(["caller", "person", "service"]),
  expects: JsonObject,
  shown: JsonObject.nullable(),
  event: z.string().nullable(),
  about: z.string().nullable(),
  onTimeout: JsonObject,
  expiresAt: Instant,
  createdAt: Instant,
});

/** Columns of a query over `workflow_run`: its steps and its open pause, as JSON. */
export const timelineColumns = [
  sql<unknown>`(
    select coalesce(json_agg(json_build_object(
      'stepId', step.step_id, 'position', step.position, 'tool', step.tool, 'state', step.state,
      'attempt', step.attempt, 'outcome', step.outcome, 'meterId', step.meter_id,
      'priceMicro', step.price_micro::text, 'startedAt', step.started_at, 'endedAt', step.ended_at,
      'remindedAt', pause.reminded_at) order by step.position), '[]')
    from workflow_step step
      left join workflow_pause pause on pause.run_id = step.run_id and pause.step_id = step.step_id
    where step.run_id = workflow_run.id)`.as("steps"),
  sql<unknown>`(
    select json_build_object(
      'sessionId', pause.session_id, 'runId', pause.run_id, 'stepId', pause.step_id, 'reason', pause.reason,
      'decidedBy', pause.decided_by, 'expects', pause.expects, 'shown', pause.shown, 'event', pause.event,
      'about', pause.about, 'onTimeout', pause.on_timeout, 'expiresAt', pause.expires_at,
      'createdAt', pause.created_at)
    from workflow_pause pause where pause.run_id = workflow_run.id and pause.resolved_at is null limit 1)`.as("pause"),
];

export function readTimeline(row: { steps: unknown; pause: unknown }): Pick<RunTimeline, "pause" | "steps"> {
  const pause = Pause.nullable().parse(row.pause);
  return {
    steps: Steps.parse(row.steps).map(withoutNulls),
    pause: pause === null ? undefined : withoutNulls(pause),
  };
}
