import { type Kysely, sql } from "kysely";

/** Notifies caches of a tenant's policies about changes, including which policy is enforced. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function notify_travel_policy_changed() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        perform pg_notify('tenant_settings_changed', old.network || ' ' || old.tenant_id);
      end if;
      if tg_op <> 'DELETE' then
        perform pg_notify('tenant_settings_changed', new.network || ' ' || new.tenant_id);
      end if;
      return null;
    end $$;
    create trigger travel_policy_changed after insert or update or delete on travel_policy
      for each row execute function notify_travel_policy_changed();
    create trigger travel_policy_enforcement_changed after insert or update or delete on travel_policy_enforcement
      for each row execute function notify_travel_policy_changed();
  `.execute(db);
}
