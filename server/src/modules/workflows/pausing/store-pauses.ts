import { sql } from "kysely";
import { currentTraceId } from "../../../domain/trace.ts";
import type { RunEvent, RunEvents } from "../../../kernel/contracts/run-events.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import type { Clock } from "../../../ports/clock.ts";
import { appendAudit } from "../../identity/index.ts";
import { TRIP_CLOSED } from "../../trips/index.ts";
import { rememberPause, rememberResolution } from "../running/store-record.ts";
import { type NewPause, type Run, type RunOwner, type RunPause, type Runs, TIMEOUT } from "../runs.ts";
import { cancelWaiting } from "../store-cancel.ts";

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
): Pick<Runs, "openPause" | "park" | "findSession" | "resolve" | "expire"> {
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
    async openPause(runId) {
      const row = await queryable
        .selectFrom("workflowPause")
        .select(pauseColumns)
        .where("runId", "=", runId)
        .where("resolvedAt", "is", null)
        .executeTakeFirst();
      return row === undefined ? undefined : toPause(withoutNulls(row));
    },

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
  pause: NewPause,
): Promise<"paused" | "already" | "lost"> {
  const now = clock.now().toString();
  const { event, position, shown, expects, onTimeout, remindAt, expiresAt, needsOpenTrip, ...columns } = pause;
  const { tenantId, environment } = run;
  if (event !== undefined) await lockEvent(db, run, event.name, event.subject);
  const tripId = needsOpenTrip ? run.tripId?.toLowerCase() : undefined;
  if (tripId !== undefined) await lockEvent(db, run, TRIP_CLOSED, tripId);
  const mine = await db
    .updateTable("workflowRun")
    .set({ state: "paused", workerId: null, workerSeenAt: null, updatedAt: now })
    .where("id", "=", id)
    .where("workerId", "=", workerId)
    .where("state", "=", "running")
    .where("cancelRequestedBy", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (mine === undefined) return "lost";
  await db
    .insertInto("workflowStep")
    .values({
      runId: id,
      stepId: pause.stepId,
      position,
      tool: null,
      state: "waiting",
      attempt: 1,
      startedAt: now,
      traceId: currentTraceId(),
    })
    // The same step has waited for this before.
    .onConflict((conflict) => conflict.columns(["runId", "stepId"]).doUpdateSet({ state: "waiting" }))
    .execute();
  await db
    .insertInto("workflowPause")
    .values({
      ...columns,
      needsOpenTrip,
      runId: id,
      tenantId,
      environment,
      createdAt: now,
      traceId: currentTraceId(),
      expects: JSON.stringify(expects),
      shown: shown === undefined ? null : JSON.stringify(shown),
      event: event?.name ?? null,
      about: event?.subject ?? null,
      onTimeout: JSON.stringify(onTimeout),
      remindAt: remindAt.toString(),
      expiresAt: expiresAt.toString(),
    })
    .execute();
  await rememberPause(db, run, pause, clock.now());
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
  const now = clock.now().toString();
  const text = JSON.stringify(resolution);
  const resolved = await db
    .updateTable("workflowPause")
    .set({ resolution: text, resolvedBy: by, resolvedAt: now })
    .where("sessionId", "=", sessionId)
    .where("resolvedAt", "is", null)
    .returning(["runId", "tenantId", "stepId", "decidedBy", "event", "about"])
    .executeTakeFirst();
  if (resolved === undefined) return false;
  await rememberResolution(db, { ...withoutNulls(resolved), resolution, by }, clock.now());
  const { runId, tenantId, stepId, decidedBy, event } = resolved;
  // An approval with its own record is audited there.
  if (decidedBy === "person" && event === null && by !== TIMEOUT) {
    const details = { step: stepId, resolution };
    await appendAudit(db, { tenantId, actor: by, action: "run.decide", subjectId: runId, details }, clock);
  }
  await db
    .updateTable("workflowStep")
    .set({ state: "done", outcome: JSON.stringify({ resolution, by }), endedAt: now })
    .where("runId", "=", runId)
    .where("stepId", "=", stepId)
    .execute();
  await db
    .updateTable("workflowRun")
    .set({ state: "running", quietUntil: null, updatedAt: now, ...(keyId === undefined ? {} : { keyId }) })
    .where("id", "=", runId)
    .where("state", "=", "paused")
    .execute();
  return true;
}

export function createRunEvents(queryable: Queryable, clock: Clock): RunEvents {
  const findWaiting = ({ tenantId, environment, name, subject }: RunEvent) =>
    queryable
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
      await storeEvent(queryable, clock, event);
      const { name, resolution } = event;
      for (const { sessionId } of await findWaiting(event))
        await resolvePause(queryable, clock, { sessionId, resolution, by: name, keyId: undefined });
      if (name === TRIP_CLOSED) await cancelWaiting(queryable, clock, event, event.subject);
    },

    waitingRuns: async (event) => (await findWaiting(event)).map(({ runId }) => runId),
  };
}

async function storeEvent(
  db: Queryable,
  clock: Clock,
  { tenantId, environment, name, subject, resolution }: RunEvent & { resolution: object },
): Promise<void> {
  await lockEvent(db, { tenantId, environment }, name, subject);
  const at = clock.now().toString();
  await db
    .insertInto("workflowEvent")
    .values({
      tenantId,
      environment,
      event: name,
      about: subject,
      resolution: JSON.stringify(resolution),
      at,
      traceId: currentTraceId(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
