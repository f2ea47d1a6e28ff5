import { type Kysely, sql } from "kysely";

/** Tells tenants of requests for approval and how they end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_approval() returns trigger language plpgsql as $$
    declare
      about jsonb := jsonb_build_object('approvalId', new.id, 'tool', new.tool, 'role', new.role, 'state', new.state,
        'amountUsd', decimal_text(new.amount_micro), 'expiresAt', new.expires_at);
      what text := case new.state when 'pending' then 'requested' when 'approved' then 'decided' when 'rejected' then 'decided'
        else 'withdrawn' end;
    begin
      perform tell_tenant(new.tenant_id, new.network, 'approval.' || what, 'approval:' || new.id, about, new.trace_id);
      return null;
    end $$;
    create trigger approval_asked_told after insert on approval for each row
      when (new.state = 'pending') execute function tell_approval();
    create trigger approval_told after update of state on approval for each row
      when (new.state is distinct from old.state and new.state in ('approved', 'rejected', 'revoked', 'replaced'))
      execute function tell_approval();
  `.execute(db);
}
