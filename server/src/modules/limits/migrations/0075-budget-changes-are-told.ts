import { type Kysely, sql } from "kysely";

/** Notifies caches of tenants without budgets about the first one. The rest of a budget is never cached. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function notify_budget_changed() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        perform pg_notify('tenant_settings_changed', old.environment || ' ' || old.tenant_id);
      end if;
      if tg_op <> 'DELETE' then
        perform pg_notify('tenant_settings_changed', new.environment || ' ' || new.tenant_id);
      end if;
      return null;
    end $$;
    create trigger budget_changed after insert or update or delete on budget
      for each row execute function notify_budget_changed();
  `.execute(db);
}
