import { type Kysely, sql } from "kysely";

/** Tells tenants of transfers between chains that have ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_tenant_of_transfer() returns trigger language plpgsql as $$
    begin
      perform tell_tenant(new.tenant_id, new.network, 'transfer.' || new.status, 'transfer:' || new.id,
        jsonb_build_object('transferId', new.id, 'kind', new.kind, 'fromChain', new.from_chain, 'toChain', new.to_chain,
          'token', new.token, 'amountSent', decimal_text(new.amount_micro), 'amountReceived', decimal_text(new.received_micro)),
        new.trace_id);
      return null;
    end $$;
    create trigger cross_chain_transfer_told after update of status on cross_chain_transfer for each row
      when (new.status is distinct from old.status and new.status in ('completed', 'failed'))
      execute function tell_tenant_of_transfer();
  `.execute(db);
}
