import { type RawBuilder, sql } from "kysely";
import type { RandomBytes } from "../../domain/ids.ts";
import { newId } from "../../domain/ids.ts";
import { inTrace } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import { takeRows } from "../../platform/leased-queue/take-rows.ts";
import { createWorkerLeases } from "../../platform/leased-queue/worker-leases.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { PauseReminder, PauseReminders, RemindedPause } from "./reminders.ts";
import { rememberReminder } from "./store-record.ts";

interface Row {
  id: string;
  tenantId: string;
  environment: Environment;
  kind: string;
  sessionId: string;
  userId: string | null;
  state: string;
  failureCode: string | null;
  quietUntil: Temporal.Instant | null;
  createdAt: Temporal.Instant;
  traceId: string | null;
}

const toReminder = ({ id, tenantId, environment, kind, sessionId, state, createdAt, ...row }: Row): PauseReminder => ({
  ...{ id, tenantId, environment, kind, sessionId, state, createdAt, userId: row.userId ?? undefined },
  ...{ callId: undefined, result: undefined, failureCode: row.failureCode ?? undefined },
  ...{ quietUntil: row.quietUntil ?? undefined, traceId: row.traceId },
});

interface Due {
  sessionId: string;
  runId: string;
  stepId: string;
  tenantId: string;
  environment: Environment;
  traceId: string | null;
}

/** Joins the caller's transaction when `queryable` is one. */
export function createPauseReminders(queryable: Queryable, clock: Clock, random: RandomBytes): PauseReminders {
  const { touch, leave, claimStale } = createWorkerLeases<Row, PauseReminder>(queryable, clock, {
    ...{ name: "pause_reminder", open: { notIn: ["sent", "failed"] }, sending: ["pending"], toRecord: toReminder },
  });
  return {
    ...{ touch, leave, claimStale },

    async get(id) {
      const { rows } = await sql<Row>`select * from pause_reminder where id = ${id}`.execute(queryable);
      return rows.map(toReminder)[0];
    },

    async advance(id, { from, workerId }, to, change) {
      const { rows } = await sql`
        update pause_reminder set state = ${to}, failure_code = ${change?.failureCode ?? null},
          updated_at = ${clock.now().toString()}::timestamptz
        where id = ${id} and state = ${from} and worker_id = ${workerId} returning id`.execute(queryable);
      return rows.length > 0;
    },

    async remind(limit) {
      if (queryable.isTransaction) return await remind(queryable, { clock, random, limit });
      // Mostly there is none: that is seen without a transaction.
      const at = sql`${clock.now().toString()}::timestamptz`;
      const { rows } = await sql`select 1 from workflow_pause where ${isDue(at)} limit 1`.execute(queryable);
      if (rows.length === 0) return 0;
      return await queryable.transaction().execute((db) => remind(db, { clock, random, limit }));
    },

    async pauseOf({ sessionId, tenantId, environment }) {
      const { rows } = await sql<RemindedPause & Record<"tripId" | "event" | "about", string | null>>`
        select pause.run_id, run.workflow_id, lower(run.trip_id) as trip_id, pause.reason, pause.event, pause.about,
          pause.on_timeout, pause.expires_at
        from workflow_pause pause join workflow_run run on run.id = pause.run_id
        where pause.session_id = ${sessionId} and pause.tenant_id = ${tenantId} and pause.network = ${environment}
          and pause.resolved_at is null`.execute(queryable);
      return rows.map((row): RemindedPause => withoutNulls(row))[0];
    },
  };
}

const isDue = (at: RawBuilder<unknown>) =>
  sql`resolved_at is null and reminded_at is null and remind_at <= ${at} and expires_at > ${at}`;

async function remind(
  db: Queryable,
  { clock, random, limit }: { clock: Clock; random: RandomBytes; limit: number },
): Promise<number> {
  const now = clock.now();
  const at = sql`${now.toString()}::timestamptz`;
  const rows = await takeRows<Due>(db, {
    ...{ table: "workflow_pause", key: ["session_id"], orderBy: "remind_at", limit, where: isDue(at) },
    set: sql`reminded_at = ${at}`,
    returning: ["session_id", "run_id", "step_id", "tenant_id", "network", "trace_id"],
  });
  for (const due of rows) {
    const reminded = await sql<{ userId: string | null }>`${whoCanAct(due)}`.execute(db);
    for (const { userId } of reminded.rows) {
      await sql`
        insert into pause_reminder (id, tenant_id, network, session_id, user_id, created_at, updated_at, trace_id)
        values (${newId("rem_", now.epochMilliseconds, random)}, ${due.tenantId}, ${due.environment}, ${due.sessionId},
          ${userId}, ${at}, ${at}, ${due.traceId})`.execute(db);
    }
    await inTrace(due.traceId, () => rememberReminder(db, due, reminded.rows.length, now));
  }
  return rows.length;
}

/** A guest, and a booker beside, can say what a guest's profile lacks. Tickets are issued by the airline: of such a pause nobody is told. */
const whoCanAct = ({ sessionId }: Due) => sql`
  with pause as (
    select pause.*, run.user_id, run.trip_id, case
        when event in ('trip_claimed', 'guest_traveler_given') then 'guest' when event = 'approval_decided' or decided_by = 'person' then 'approver'
        when decided_by = 'caller' then 'booker' end as who
    from workflow_pause pause join workflow_run run on run.id = pause.run_id where session_id = ${sessionId}
  ), persons as (
    select person.id, person.roles from person join pause using (tenant_id, network) where person.removed_at is null
  ), own as (select id from persons where id = (select user_id from pause))
  select null as user_id from pause join trip using (tenant_id, network)
    where who = 'guest' and trip.trip_id = lower(pause.trip_id) and trip.encrypted_guest_email is not null
  union all
  select persons.id from persons join pause on who = 'approver'
    where roles && array['approver', 'finance', 'admin'] and persons.id is distinct from pause.user_id
  union all
  select persons.id from persons join pause on (who = 'booker' or event = 'guest_traveler_given')
    where persons.id in (select id from own) or (not exists (select from own) and roles && array['booker', 'admin'])`;
