import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { withdrawApproval } from "../approvals/index.ts";
import type { RunOwner, Runs } from "./runs.ts";

/** Ends an open pause: the run continues, finds that it is cancelled, and undoes its steps. */
export async function cancelRun(
  db: Queryable,
  clock: Clock,
  runId: string,
  { by, steps }: { by: string; steps?: number | undefined },
): ReturnType<Runs["requestCancel"]> {
  const now = clock.now().toString();
  // Beginning a step locks this row too.
  const { rows } = await sql<RunOwner & { state: string; isCancelled: boolean; steps: number }>`
    with run as (select id, tenant_id, network, state, cancel_requested_by from workflow_run where id = ${runId} for update)
    select tenant_id, network as environment, state, cancel_requested_by is not null as is_cancelled, (select count(*)::int from workflow_step where run_id = run.id) as steps from run`.execute(
    db,
  );
  const [run] = rows;
  if (run?.state !== "running" && run?.state !== "paused") return "ended";
  if (run.isCancelled) return "cancelled";
  if (steps !== undefined && run.steps !== steps) return "gone_on";
  const ended = await db
    .updateTable("workflowPause")
    .set({ resolvedBy: by, resolvedAt: now })
    .where("runId", "=", runId)
    .where("resolvedAt", "is", null)
    .returning(["event", "about"])
    .execute();
  for (const { event, about } of ended) {
    if (event === "approval_decided" && about !== null) await withdrawUnawaited(db, clock, run, { id: about, by });
  }
  await db
    .updateTable("workflowRun")
    .set({ cancelRequestedBy: by, state: "running", quietUntil: null, updatedAt: now })
    .where("id", "=", runId)
    .execute();
  return "cancelled";
}

/** Withdraws an approval that no other run waits for. */
async function withdrawUnawaited(
  db: Queryable,
  clock: Clock,
  { tenantId, environment }: RunOwner,
  { id, by }: { id: string; by: string },
): Promise<void> {
  const other = await db
    .selectFrom("workflowPause")
    .select("runId")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("event", "=", "approval_decided")
    .where("about", "=", id)
    .where("resolvedAt", "is", null)
    .executeTakeFirst();
  if (other === undefined) await withdrawApproval(db, clock, { tenantId, environment, id }, by);
}

/** Cancels runs of a closed trip that have reserved nothing of it. */
export async function cancelWaiting(db: Queryable, clock: Clock, owner: RunOwner, tripId: string): Promise<void> {
  const { rows } = await sql<{ runId: string }>`
    select pause.run_id from workflow_pause pause join workflow_run run on run.id = pause.run_id
    where run.tenant_id = ${owner.tenantId} and run.network = ${owner.environment} and lower(run.trip_id) = ${tripId}
      and run.state = 'paused' and pause.resolved_at is null and pause.needs_open_trip`.execute(db);
  for (const { runId } of rows) await cancelRun(db, clock, runId, { by: "the end of its trip" });
}
