import { type Kysely, sql } from "kysely";

/** One version number tells caches of limits whether they still hold. Maintained by triggers, so that no writer forgets it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tenant add column rules_version integer not null default 0;
    create function count_rules_version() returns trigger language plpgsql as $$
    begin
      update tenant set rules_version = rules_version + 1 where id = coalesce(new.tenant_id, old.tenant_id);
      return null;
    end $$;
    create trigger spend_limit_changed after insert or update or delete on spend_limit
      for each row execute function count_rules_version();
  `.execute(db);
}
