import { type RawBuilder, sql } from "kysely";
import { currentTraceId } from "../../../domain/trace.ts";
import type { RunEvent, RunEvents } from "../../../kernel/contracts/events.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import { appendAudit } from "../../identity/index.ts";
import { insertTripEntry } from "../../trip-record/index.ts";
import { TRIP_CLOSED } from "../../trips/index.ts";
import { endStep, insertNextEntry } from "../running/store-end-step.ts";
import { notePause, noteResolution } from "../running/store-record.ts";
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
      .select([...identifying, "onTimeout"])
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
      inTransaction(async (db) => {
        const pause = await db
          .selectFrom("workflowPause")
          .select(identifying)
          .where("sessionId", "=", sessionId)
          .executeTakeFirst();
        return pause !== undefined && (await resolvePause(db, clock, pause, { resolution, by, keyId }));
      }),

    async expire(limit) {
      // Usually none has, which this check finds without a transaction.
      if ((await selectExpired(queryable).limit(1).execute()).length === 0) return 0;
      return await inTransaction(async (db) => {
        const due = await selectExpired(db).limit(limit).forUpdate().skipLocked().execute();
        for (const { onTimeout, ...pause } of due)
          await resolvePause(db, clock, pause, { resolution: onTimeout, by: TIMEOUT, keyId: undefined });
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
  const stored = await storePause(db, clock, { id, workerId }, run, pause);
  if (stored === undefined) return "lost";
  if (tripId !== undefined && (await isTripClosed(db, run, tripId))) {
    await cancelWaiting(db, clock, run, tripId);
    return "already";
  }
  if (event === undefined || stored.happened === null) return "paused";
  const { sessionId, stepId, decidedBy } = pause;
  const waiting = { sessionId, runId: id, stepId, decidedBy, event: event.name, about: event.subject };
  await resolvePause(db, clock, waiting, { resolution: stored.happened, by: event.name, keyId: undefined });
  return "already";
}

/**
 * One statement: the run's state, its step, its pause, their entry in the trip's record, and the resolution of the event if it
 * has happened. The caller holds the event's lock. Undefined: another worker has the run.
 */
async function storePause(
  db: Queryable,
  clock: Clock,
  { id, workerId }: { id: string; workerId: string },
  run: Run,
  pause: NewPause & LastStep,
): Promise<{ happened: object | null } | undefined> {
  const at = clock.now();
  const now = sql`${at.toString()}::timestamptz`;
  const traceId = sql`${currentTraceId() ?? null}::text`;
  const { sessionId, stepId, position, reason, decidedBy, event, expects, shown, onTimeout, needsOpenTrip } = pause;
  const { rows } = await sql<{ happened: object | null }>`
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
    select (
      select resolution from workflow_event
      where workflow_event.tenant_id = mine.tenant_id and workflow_event.network = mine.network
        and event = ${event?.name ?? null} and about = ${event?.subject ?? null}
    ) as happened from mine`.execute(db);
  return rows[0];
}

async function isTripClosed(db: Queryable, { tenantId, environment }: RunOwner, tripId: string): Promise<boolean> {
  const closed = await db
    .selectFrom("workflowEvent")
    .select("event")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("event", "=", TRIP_CLOSED)
    .where("about", "=", tripId)
    .executeTakeFirst();
  return closed !== undefined;
}

/** Columns that never change. */
const identifying = ["sessionId", "runId", "stepId", "decidedBy", "event", "about"] as const;

interface WaitingPause {
  sessionId: string;
  runId: string;
  stepId: string;
  decidedBy: DecidedBy;
  event: string | null;
  about: string | null;
}

/** The first resolution wins; later ones return false. */
async function resolvePause(
  db: Queryable,
  clock: Clock,
  { sessionId, ...pause }: WaitingPause,
  { resolution, by, keyId }: { resolution: object; by: string; keyId: string | undefined },
): Promise<boolean> {
  const at = clock.now();
  const now = sql`${at.toString()}::timestamptz`;
  const text = JSON.stringify(resolution);
  const trip = sql`
    select workflow_run.tenant_id, workflow_run.network, workflow_run.trip_id
    from resolved join workflow_run on workflow_run.id = resolved.run_id`;
  const { rows } = await sql<{ tenantId: string; environment: Environment }>`
    with resolved as (
      update workflow_pause set resolution = ${text}::jsonb, resolved_by = ${by}, resolved_at = ${now}
      where session_id = ${sessionId} and resolved_at is null
      returning run_id, tenant_id, step_id
    ), step as (
      update workflow_step set state = 'done', outcome = ${JSON.stringify({ resolution, by })}::jsonb, ended_at = ${now}
      from resolved where workflow_step.run_id = resolved.run_id and workflow_step.step_id = resolved.step_id
    ), run as (
      update workflow_run set state = 'running', quiet_until = null, updated_at = ${now},
        key_id = coalesce(${keyId ?? null}, key_id)
      from resolved where workflow_run.id = resolved.run_id and workflow_run.state = 'paused'
    ), told as (${insertTripEntry(trip, noteResolution({ ...withoutNulls(pause), resolution, by }, at))})
    ${trip}`.execute(db);
  const [resolved] = rows;
  if (resolved === undefined) return false;
  // An approval with its own record is audited there.
  if (pause.decidedBy === "person" && pause.event === null && by !== TIMEOUT) {
    const { tenantId, environment } = resolved;
    const details = { step: pause.stepId, resolution };
    const entry = { tenantId, environment, actor: by, action: "run.decide", subjectId: pause.runId, details };
    await appendAudit(db, entry, clock);
  }
  return true;
}

export function createRunEvents(queryable: Queryable, clock: Clock): RunEvents {
  const findWaiting = ({ tenantId, environment, name, subject }: RunEvent, stored = sql<object>`(select 1)`) =>
    queryable
      .with("stored", () => stored)
      .selectFrom("workflowPause")
      .select(identifying)
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
      for (const pause of await findWaiting(event, storeEvent(clock, event)))
        await resolvePause(queryable, clock, pause, { resolution, by: name, keyId: undefined });
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
