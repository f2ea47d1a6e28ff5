import { type Kysely, sql } from "kysely";

/** Tells tenants of runs that pause or end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_tenant_of_run() returns trigger language plpgsql as $$
    begin
      perform tell_tenant(new.tenant_id, new.network, 'run.' || new.state, 'run:' || new.id,
        jsonb_build_object('runId', new.id, 'workflowId', new.workflow_id, 'status', new.state, 'tripId', new.trip_id),
        new.trace_id);
      return null;
    end $$;
    create trigger workflow_run_told after update of state on workflow_run for each row
      when (new.state is distinct from old.state and new.state in ('paused', 'completed', 'failed'))
      execute function tell_tenant_of_run();
  `.execute(db);
}
