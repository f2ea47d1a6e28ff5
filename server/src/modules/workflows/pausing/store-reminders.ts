import { type RawBuilder, sql } from "kysely";
import { inTrace } from "../../../domain/trace.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import { takeRows } from "../../../platform/leased-queue/take-rows.ts";
import type { Clock } from "../../../ports/clock.ts";
import { rememberReminder } from "../running/store-record.ts";
import type { DuePause, PauseReminders, RemindedPause } from "./reminders.ts";

type DueRow = Omit<DuePause, "userIds"> & { runId: string; stepId: string };

export const PAUSES_TO_REMIND_OF = {
  name: "workflow_pause",
  earliest:
    "select min(remind_at) from workflow_pause where resolved_at is null and reminded_at is null and expires_at > $1",
};

/** Joins the caller's transaction if `queryable` is one. */
export function createPauseReminders(queryable: Queryable, clock: Clock): PauseReminders {
  const at = () => sql`${clock.now().toString()}::timestamptz`;
  return {
    async isAnyDue() {
      const { rows } = await sql`select 1 from workflow_pause where ${isDue(at())} limit 1`.execute(queryable);
      return rows.length > 0;
    },

    async takeDue(limit) {
      const rows = await takeRows<DueRow>(queryable, {
        table: "workflow_pause",
        key: ["session_id"],
        orderBy: "remind_at",
        limit,
        where: isDue(at()),
        set: sql`reminded_at = ${at()}`,
        returning: ["session_id", "run_id", "step_id", "tenant_id", "network", "trace_id"],
      });
      const due: DuePause[] = [];
      for (const pause of rows) {
        const persons = await sql<{ userId: string | null }>`${whoCanAct(pause)}`.execute(queryable);
        const userIds = persons.rows.map(({ userId }) => userId ?? undefined);
        await inTrace(pause.traceId, () => rememberReminder(queryable, pause, userIds.length, clock.now()));
        due.push({ ...pause, userIds });
      }
      return due;
    },

    async find({ tenantId, environment }, sessionId) {
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

/**
 * A guest, or a booker, can complete a guest's profile. Tickets come from the airline, so nobody is reminded of such a pause.
 */
const whoCanAct = ({ sessionId }: DueRow) => sql`
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
