import { sql } from "kysely";
import { currentTraceId } from "../../../domain/trace.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import { withoutNulls } from "../../../platform/database/without-nulls.ts";
import type { Clock } from "../../../ports/clock.ts";
import { insertTripEntry } from "../../memory/index.ts";
import type { Runs } from "../runs.ts";

/** The steps of runs. What a worker writes is written only while it has the run's lease. */
export function createJournal(queryable: Queryable, clock: Clock): Pick<Runs, "steps" | "journal"> {
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

    /** One statement: the end of a step travels with the beginning of the next one, and with what the trip's record says of it. */
    async journal({ id, workerId }, { ended, begun }) {
      const now = sql`${clock.now().toString()}::timestamptz`;
      const end =
        ended === undefined
          ? sql`select 1`
          : sql`
              update workflow_step set state = ${ended.state}, outcome = ${JSON.stringify(ended.outcome)}::jsonb,
                meter_id = ${ended.meterId ?? null}, price_micro = ${ended.priceMicro ?? null}, ended_at = ${now}
              where run_id = (select id from mine) and step_id = ${ended.stepId} returning 1`;
      const begin =
        begun === undefined
          ? sql`select 1`
          : sql`
              insert into workflow_step (run_id, step_id, position, tool, state, attempt, started_at, trace_id)
              select id, ${begun.stepId}, ${begun.position}, ${begun.tool ?? null}, 'running', 1, ${now},
                ${currentTraceId() ?? null} from mine
              on conflict (run_id, step_id) do update set attempt = workflow_step.attempt + 1, outcome = null returning 1`;
      const told = sql`select tenant_id, network, trip_id from mine`;
      const remember = ended?.entry === undefined ? sql`select 1` : insertTripEntry(told, ended.entry);
      const { rows } = await sql<{ cancelRequestedBy: string | null }>`
        with mine as (
          update workflow_run set worker_seen_at = ${now}, updated_at = ${now}
          where id = ${id} and worker_id = ${workerId} and state = 'running' 
          returning id, tenant_id, network, trip_id, cancel_requested_by
        ), ended as (${end}), begun as (${begin}), remembered as (${remember})
        select cancel_requested_by from mine`.execute(queryable);
      const [mine] = rows;
      return { isMine: mine !== undefined, cancelRequestedBy: mine?.cancelRequestedBy ?? undefined };
    },
  };
}
