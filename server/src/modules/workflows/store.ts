import { type InferResult, sql } from "kysely";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import { createWorkerLeases } from "../../platform/leased-queue/worker-leases.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredKey } from "../../ports/identity.ts";
import { selectKey } from "../identity/index.ts";
import { keepUsers } from "../travelers/index.ts";
import { insertTripEntry } from "../trip-record/index.ts";
import { createPauses } from "./pausing/store-pauses.ts";
import { endStep, insertNextEntry } from "./running/store-end-step.ts";
import { noteEnd, noteStart } from "./running/store-record.ts";
import type { NewRun, Run, RunOwner, Runs } from "./runs.ts";
import { cancelRun } from "./store-cancel.ts";
import { readTimeline, timelineColumns } from "./store-timeline.ts";

const RUN_COLUMNS = [
  "id",
  "tenantId",
  "environment",
  "workflowId",
  "version",
  "userId",
  "keyId",
  "input",
  "tripId",
  "state",
  "cancelRequestedBy",
  "result",
  "failure",
  "traceId",
  "createdAt",
  "updatedAt",
  "endedAt",
] as const;

const selectRuns = (queryable: Queryable) => queryable.selectFrom("workflowRun").select(RUN_COLUMNS);

type Row = InferResult<ReturnType<typeof selectRuns>>[number];

function toRun(row: Row): Run {
  return withoutNulls(row);
}

/** Joins the caller's transaction if `queryable` is one. */
export function createRuns(queryable: Queryable, clock: Clock): Runs {
  return {
    ...createReads(queryable),
    ...createChanges(queryable, clock),
    ...createLeases(queryable, clock),
    ...createJournal(queryable, clock),
    ...createPauses(queryable, clock, { readRun: (id) => findRun(queryable, id), includesOwner }),
  };
}

function includesOwner(owners: readonly RunOwner[], { tenantId, environment }: RunOwner): boolean {
  return owners.some((owner) => owner.tenantId === tenantId && owner.environment === environment);
}

function createReads(queryable: Queryable): Pick<Runs, "find" | "read" | "list" | "listPaused"> {
  return {
    async read(owners, runId) {
      const row = await selectRuns(queryable).select(timelineColumns).where("id", "=", runId).executeTakeFirst();
      if (row === undefined || !includesOwner(owners, row)) return undefined;
      const { steps, pause, ...run } = row;
      return { run: toRun(run), ...readTimeline({ steps, pause }) };
    },

    async find(owners, runId) {
      const run = await findRun(queryable, runId);
      return run === undefined || !includesOwner(owners, run) ? undefined : run;
    },

    async list(tenantId, environment, { limit, before, state }) {
      let query = selectRuns(queryable).where("tenantId", "=", tenantId).where("environment", "=", environment);
      if (before !== undefined) query = query.where("id", "<", before);
      if (state !== undefined) query = query.where("state", "=", state);
      return (await query.orderBy("id", "desc").limit(limit).execute()).map(toRun);
    },

    async listPaused({ tenantId, environment }, tripId) {
      const query = selectRuns(queryable).where("tenantId", "=", tenantId).where("environment", "=", environment);
      const rows = await query
        .where(sql<string>`lower(trip_id)`, "=", tripId.toLowerCase())
        .where("state", "=", "paused")
        .execute();
      return rows.map(toRun);
    },
  };
}

function createChanges(
  queryable: Queryable,
  clock: Clock,
): Pick<Runs, "insert" | "isKnown" | "requestCancel" | "prune"> {
  return {
    async isKnown({ tenantId, environment }, idempotencyKey) {
      const known = await queryable
        .selectFrom("workflowRun")
        .select("id")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("idempotencyKey", "=", idempotencyKey)
        .executeTakeFirst();
      return known !== undefined;
    },

    async insert(run, keptUserIds = []) {
      const inserted = await insertRun(queryable, run, keptUserIds, clock.now());
      if (inserted !== undefined) return { kind: "new", run: inserted };
      const { tenantId, environment, idempotencyKey = null } = run;
      const first = await queryable
        .selectFrom("workflowRun")
        .select(["id", "requestHash"])
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("idempotencyKey", "=", idempotencyKey)
        .executeTakeFirst();
      if (first === undefined) return { kind: "no_user" };
      if (first.requestHash !== run.requestHash) return { kind: "mismatch" };
      return { kind: "same", run: await getRun(queryable, first.id) };
    },

    requestCancel: (runId, by, steps) => inTransaction(queryable, (db) => cancelRun(db, clock, runId, { by, steps })),

    async prune(before) {
      const at = sql`${before.toString()}::timestamptz`;
      await pruneRows(queryable, "workflow_event", sql`at < ${at}`);
      return await pruneRows(queryable, "workflow_run", sql`ended_at < ${at}`);
    },
  };
}

const inTransaction = <T>(queryable: Queryable, work: (db: Queryable) => Promise<T>): Promise<T> =>
  queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);

/**
 * Undefined: a run has the idempotency key, or the run's user is gone. Users are kept before the run is stored: who erases one
 * of them then finds it.
 */
async function insertRun(
  queryable: Queryable,
  run: NewRun,
  keptUserIds: readonly string[],
  at: Temporal.Instant,
): Promise<Run | undefined> {
  const now = sql`${at.toString()}::timestamptz`;
  const { userId = null, tripId = null, idempotencyKey = null } = run;
  const columns = sql.join(RUN_COLUMNS.map((column) => sql.ref(column)));
  const { rows } = await sql<Row>`
    with kept as materialized (${keepUsers(run, keptUserIds)}),
    inserted as (
      insert into workflow_run (id, tenant_id, network, key_id, workflow_id, version, input, trace_id, user_id, trip_id,
        idempotency_key, request_hash, state, created_at, updated_at)
      select ${run.id}, ${run.tenantId}, ${run.environment}, ${run.keyId}, ${run.workflowId}, ${run.version}::int,
        ${JSON.stringify(run.input)}::jsonb, ${run.traceId}, ${userId}, ${tripId}, ${idempotencyKey}, ${run.requestHash},
        'running', ${now}, ${now}
      where (select count(*) from kept) >= 0 and (${userId}::text is null or ${userId} in (select id from kept))
      on conflict do nothing returning ${columns}
    ),
    remembered as (${insertTripEntry(sql`select tenant_id, network, trip_id from inserted`, noteStart(run, at))})
    select ${columns} from inserted`.execute(queryable);
  return rows[0] === undefined ? undefined : toRun(rows[0]);
}

async function findRun(queryable: Queryable, id: string): Promise<Run | undefined> {
  const row = await selectRuns(queryable).where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : toRun(row);
}

async function getRun(queryable: Queryable, id: string): Promise<Run> {
  return toRun(await selectRuns(queryable).where("id", "=", id).executeTakeFirstOrThrow());
}

/** Notes how an attempt at a step failed. */
async function noteAttempt(
  queryable: Queryable,
  runId: string,
  { stepId, code }: { stepId: string; code: string },
): Promise<void> {
  await queryable
    .updateTable("workflowStep")
    .set({ outcome: JSON.stringify({ ok: false, code }) })
    .where("runId", "=", runId)
    .where("stepId", "=", stepId)
    .where("state", "=", "running")
    .execute();
}

function createLeases(
  queryable: Queryable,
  clock: Clock,
): Pick<Runs, "lease" | "queue" | "touch" | "postpone" | "end" | "release"> {
  const leases = createWorkerLeases<Row, Run>(queryable, clock, {
    name: "workflow_run",
    open: { in: ["running"] },
    returning: RUN_COLUMNS,
    toRecord: toRun,
  });
  const mine = ({ id, workerId }: { id: string; workerId: string }, db = queryable) =>
    db.updateTable("workflowRun").where("id", "=", id).where("workerId", "=", workerId).where("state", "=", "running");
  const free = { workerId: null, workerSeenAt: null };

  return {
    lease: (workerId, limit, staleSeconds) => leases.claimStale(workerId, staleSeconds, limit),
    queue: (staleSeconds) => leases.queue(staleSeconds),
    touch: ({ id, workerId }) => leases.touch(id, workerId),

    async postpone(leased, until, failed) {
      const quietUntil = until.toString();
      if (failed !== undefined) await noteAttempt(queryable, leased.id, failed);
      const row = await mine(leased)
        .set({ ...free, quietUntil })
        .returning("id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async end({ id, workerId }, run, { ended, ...end }) {
      const now = clock.now();
      const at = sql`${now.toString()}::timestamptz`;
      const outcome =
        end.state === "completed"
          ? sql`result = ${JSON.stringify(end.result)}::jsonb`
          : sql`failure = ${JSON.stringify(end.failure)}::jsonb`;
      const { rows } = await sql`
        with mine as (
          update workflow_run set worker_id = null, worker_seen_at = null, state = ${end.state}, ${outcome},
            updated_at = ${at}, ended_at = ${at}
          where id = ${id} and worker_id = ${workerId} and state = 'running'
          returning id, tenant_id, network, trip_id
        ), ${endStep(ended, now)}, over as (${insertNextEntry(noteEnd(run, end, now))})
        select id from mine`.execute(queryable);
      return rows.length > 0;
    },

    async release(workerId) {
      await queryable
        .updateTable("workflowRun")
        .set(free)
        .where("workerId", "=", workerId)
        .where("state", "=", "running")
        .execute();
    },
  };
}

/** The steps of runs. A worker writes only while it has the run's lease. */
function createJournal(queryable: Queryable, clock: Clock): Pick<Runs, "steps" | "journal"> {
  return {
    async steps(runId) {
      const rows = await queryable
        .selectFrom("workflowStep")
        .leftJoin("workflowPause", (join) =>
          join
            .onRef("workflowPause.runId", "=", "workflowStep.runId")
            .onRef("workflowPause.stepId", "=", "workflowStep.stepId"),
        )
        .select([
          "workflowStep.stepId",
          "position",
          "tool",
          "state",
          "attempt",
          "outcome",
          "meterId",
          "priceMicro",
          "startedAt",
          "endedAt",
          "workflowPause.remindedAt",
        ])
        .where("workflowStep.runId", "=", runId)
        .orderBy("position")
        .execute();
      return rows.map(withoutNulls);
    },

    /** One statement: the end of a step, the beginning of the next with the run's key, and their entries in the trip's record. */
    async journal({ id, workerId }, { ended, begun }) {
      const now = sql`${clock.now().toString()}::timestamptz`;
      const begin =
        begun === undefined
          ? sql`select 1`
          : sql`
              insert into workflow_step (run_id, step_id, position, tool, state, attempt, started_at, trace_id)
              select id, ${begun.stepId}, ${begun.position}, ${begun.tool ?? null}, 'running', 1, ${now},
                ${currentTraceId() ?? null} from mine
              on conflict (run_id, step_id) do update set attempt = workflow_step.attempt + 1, outcome = null returning 1`;
      const { rows } = await sql<{ cancelRequestedBy: string | null } & (StoredKey | { keyHash: null })>`
        with mine as (
          update workflow_run set worker_seen_at = ${now}, updated_at = ${now}
          where id = ${id} and worker_id = ${workerId} and state = 'running' 
          returning id, tenant_id, network, trip_id, key_id, cancel_requested_by
        ), begun as (${begin}), ${endStep(ended, clock.now())}
        select cancel_requested_by, key.*
        from mine left join lateral (${selectKey(sql`mine.key_id`)}) key on true`.execute(queryable);
      const [mine] = rows;
      if (mine === undefined) return { isMine: false };
      const { cancelRequestedBy, ...key } = mine;
      return {
        isMine: true,
        cancelRequestedBy: cancelRequestedBy ?? undefined,
        key: key.keyHash === null ? undefined : key,
      };
    },
  };
}
