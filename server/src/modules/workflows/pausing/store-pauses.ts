import { type RawBuilder, sql } from "kysely";
import { currentTraceId } from "../../../domain/trace.ts";
import type { RunEvent, RunEvents } from "../../../kernel/contracts/run-events.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import type { Clock } from "../../../ports/clock.ts";
import { appendAudit } from "../../identity/index.ts";
import { TRIP_CLOSED } from "../../trips/index.ts";
import { endStep, insertNextEntry } from "../running/store-end-step.ts";
import { notePause, rememberResolution } from "../running/store-record.ts";
import {
  type DecidedBy,
  type LastStep,
  type NewPause,
  type Run,
  type RunOwner,
  type RunPause,
  type Runs,
  TIMEOUT,
} from "../runs.ts";
import { cancelWaiting } from "../store-cancel.ts";

export const EXPIRING_PAUSES = {
  name: "workflow_pause",
  earliest: "select min(expires_at) from workflow_pause where resolved_at is null",
};

const pauseColumns = [
  "sessionId",
  "runId",
  "stepId",
  "reason",
  "decidedBy",
  "expects",
  "shown",
  "event",
  "about",
  "onTimeout",
  "expiresAt",
  "createdAt",
] as const;

type PauseRow = Omit<RunPause, "shown" | "event" | "about"> & {
  shown: unknown;
  event?: string | undefined;
  about?: string | undefined;
};
const toPause = ({ shown, event, about, ...pause }: PauseRow): RunPause => ({
  ...pause,
  event,
  about,
  shown: typeof shown === "object" && shown !== null ? shown : undefined,
});

/** The pauses of runs. */
export function createPauses(
  queryable: Queryable,
  clock: Clock,
  reads: {
    readRun(id: string): Promise<Run | undefined>;
    includesOwner(owners: readonly RunOwner[], owner: RunOwner): boolean;
  },
): Pick<Runs, "park" | "findSession" | "resolve" | "expire"> {
  const { readRun, includesOwner } = reads;
  const inTransaction = <T>(work: (db: Queryable) => Promise<T>): Promise<T> =>
    queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);

  const selectExpired = (db: Queryable) =>
    db
      .selectFrom("workflowPause")
      .select(["sessionId", "onTimeout"])
      .where("resolvedAt", "is", null)
      .where("expiresAt", "<=", sql<Temporal.Instant>`${clock.now().toString()}::timestamptz`)
      .orderBy("expiresAt");

  return {
    park: (leased, run, pause) => inTransaction((db) => parkRun(db, clock, leased, run, pause)),

    async findSession(owners, sessionId) {
      const row = await queryable
        .selectFrom("workflowPause")
        .select([...pauseColumns, "tenantId", "environment", "resolvedAt"])
        .where("sessionId", "=", sessionId)
        .executeTakeFirst();
      if (row === undefined || !includesOwner(owners, row)) return undefined;
      const { resolvedAt, tenantId: _tenantId, environment: _network, ...pause } = withoutNulls(row);
      const run = await readRun(pause.runId);
      if (run === undefined) return undefined;
      return { run, pause: toPause(pause), isOpen: resolvedAt === undefined && run.state === "paused" };
    },

    resolve: (sessionId, resolution, by, keyId) =>
      inTransaction((db) => resolvePause(db, clock, { sessionId, resolution, by, keyId })),

    async expire(limit) {
      // Usually none has, which this check finds without a transaction.
      if ((await selectExpired(queryable).limit(1).execute()).length === 0) return 0;
      return await inTransaction(async (db) => {
        const due = await selectExpired(db).limit(limit).forUpdate().skipLocked().execute();
        for (const { sessionId, onTimeout } of due)
          await resolvePause(db, clock, { sessionId, resolution: onTimeout, by: TIMEOUT, keyId: undefined });
        return due.length;
      });
    },
  };
}

/** Raising an event and starting to wait for it both take this lock, so that neither misses the other. */
async function lockEvent(
  db: Queryable,
  run: Pick<Run, "tenantId" | "environment">,
  name: string,
  subject: string,
): Promise<void> {
  const text = `workflow_event:${run.environment}:${run.tenantId}:${name}:${subject}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`.execute(db);
}

async function parkRun(
  db: Queryable,
  clock: Clock,
  { id, workerId }: { id: string; workerId: string },
  run: Run,
  pause: NewPause & LastStep,
): Promise<"paused" | "already" | "lost"> {
  const { event } = pause;
  if (event !== undefined) await lockEvent(db, run, event.name, event.subject);
  const tripId = pause.needsOpenTrip ? run.tripId?.toLowerCase() : undefined;
  if (tripId !== undefined) await lockEvent(db, run, TRIP_CLOSED, tripId);
  if (!(await storePause(db, clock, { id, workerId }, run, pause))) return "lost";
  if (tripId !== undefined && (await findEvent(db, run, TRIP_CLOSED, tripId)) !== undefined) {
    await cancelWaiting(db, clock, run, tripId);
    return "already";
  }
  if (event === undefined) return "paused";
  const happened = await findEvent(db, run, event.name, event.subject);
  if (happened === undefined) return "paused";
  await resolvePause(db, clock, {
    sessionId: pause.sessionId,
    resolution: happened.resolution,
    by: event.name,
    keyId: undefined,
  });
  return "already";
}

/** One statement: the run's state, its step, its pause and their entry in the trip's record. False: another worker has it. */
async function storePause(
  db: Queryable,
  clock: Clock,
  { id, workerId }: { id: string; workerId: string },
  run: Run,
  pause: NewPause & LastStep,
): Promise<boolean> {
  const at = clock.now();
  const now = sql`${at.toString()}::timestamptz`;
  const traceId = sql`${currentTraceId() ?? null}::text`;
  const { sessionId, stepId, position, reason, decidedBy, event, expects, shown, onTimeout, needsOpenTrip } = pause;
  const { rows } = await sql`
    with mine as (
      update workflow_run set state = 'paused', worker_id = null, worker_seen_at = null, updated_at = ${now}
      where id = ${id} and worker_id = ${workerId} and state = 'running' and cancel_requested_by is null
      returning id, tenant_id, network, trip_id
    ), waiting as (
      insert into workflow_step (run_id, step_id, position, tool, state, attempt, started_at, trace_id)
      select id, ${stepId}, ${position}, null, 'waiting', 1, ${now}, ${traceId} from mine
      -- The same step has waited for this before.
      on conflict (run_id, step_id) do update set state = 'waiting'
    ), pause as (
      insert into workflow_pause (session_id, run_id, step_id, tenant_id, network, reason, decided_by, expects, shown,
        event, about, on_timeout, needs_open_trip, remind_at, expires_at, created_at, trace_id)
      select ${sessionId}, id, ${stepId}, tenant_id, network, ${reason}, ${decidedBy}, ${JSON.stringify(expects)}::jsonb,
        ${shown === undefined ? null : JSON.stringify(shown)}::jsonb, ${event?.name ?? null}, ${event?.subject ?? null},
        ${JSON.stringify(onTimeout)}::jsonb, ${needsOpenTrip}::boolean, ${pause.remindAt.toString()}::timestamptz,
        ${pause.expiresAt.toString()}::timestamptz, ${now}, ${traceId} from mine
    ), ${endStep(pause.ended, at)}, paused as (${insertNextEntry(notePause(run, pause, at))})
    select id from mine`.execute(db);
  return rows.length > 0;
}

const findEvent = (db: Queryable, { tenantId, environment }: RunOwner, name: string, subject: string) =>
  db
    .selectFrom("workflowEvent")
    .select("resolution")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("event", "=", name)
    .where("about", "=", subject)
    .executeTakeFirst();

/** The first resolution wins; later ones return false. */
async function resolvePause(
  db: Queryable,
  clock: Clock,
  {
    sessionId,
    resolution,
    by,
    keyId,
  }: { sessionId: string; resolution: object; by: string; keyId: string | undefined },
): Promise<boolean> {
  const now = sql`${clock.now().toString()}::timestamptz`;
  const text = JSON.stringify(resolution);
  const { rows } = await sql<ResolvedPause>`
    with resolved as (
      update workflow_pause set resolution = ${text}::jsonb, resolved_by = ${by}, resolved_at = ${now}
      where session_id = ${sessionId} and resolved_at is null
      returning run_id, tenant_id, step_id, decided_by, event, about
    ), step as (
      update workflow_step set state = 'done', outcome = ${JSON.stringify({ resolution, by })}::jsonb, ended_at = ${now}
      from resolved where workflow_step.run_id = resolved.run_id and workflow_step.step_id = resolved.step_id
    ), run as (
      update workflow_run set state = 'running', quiet_until = null, updated_at = ${now},
        key_id = coalesce(${keyId ?? null}, key_id)
      from resolved where workflow_run.id = resolved.run_id and workflow_run.state = 'paused'
    )
    select * from resolved`.execute(db);
  const [resolved] = rows;
  if (resolved === undefined) return false;
  await rememberResolution(db, { ...withoutNulls(resolved), resolution, by }, clock.now());
  const { runId, tenantId, stepId, decidedBy, event } = resolved;
  // An approval with its own record is audited there.
  if (decidedBy === "person" && event === null && by !== TIMEOUT) {
    const details = { step: stepId, resolution };
    await appendAudit(db, { tenantId, actor: by, action: "run.decide", subjectId: runId, details }, clock);
  }
  return true;
}

interface ResolvedPause {
  runId: string;
  tenantId: string;
  stepId: string;
  decidedBy: DecidedBy;
  event: string | null;
  about: string | null;
}

export function createRunEvents(queryable: Queryable, clock: Clock): RunEvents {
  const findWaiting = ({ tenantId, environment, name, subject }: RunEvent, stored = sql<object>`(select 1)`) =>
    queryable
      .with("stored", () => stored)
      .selectFrom("workflowPause")
      .select(["sessionId", "runId"])
      .where("tenantId", "=", tenantId)
      .where("environment", "=", environment)
      .where("event", "=", name)
      .where("about", "=", subject)
      .where("resolvedAt", "is", null)
      .execute();
  return {
    async raise(event) {
      await lockEvent(queryable, event, event.name, event.subject);
      const { name, resolution } = event;
      for (const { sessionId } of await findWaiting(event, storeEvent(clock, event)))
        await resolvePause(queryable, clock, { sessionId, resolution, by: name, keyId: undefined });
      if (name === TRIP_CLOSED) await cancelWaiting(queryable, clock, event, event.subject);
    },

    waitingRuns: async (event) => (await findWaiting(event)).map(({ runId }) => runId),
  };
}

/** Returns the statement that stores the event, once. Its caller holds the event's lock. */
function storeEvent(
  clock: Clock,
  { tenantId, environment, name, subject, resolution }: RunEvent & { resolution: object },
): RawBuilder<object> {
  return sql<object>`(
    insert into workflow_event (tenant_id, network, event, about, resolution, at, trace_id)
    values (${tenantId}, ${environment}, ${name}, ${subject}, ${JSON.stringify(resolution)}::jsonb,
      ${clock.now().toString()}::timestamptz, ${currentTraceId() ?? null})
    on conflict do nothing
  )`;
}
