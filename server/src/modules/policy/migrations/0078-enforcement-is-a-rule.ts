import { type Kysely, sql } from "kysely";

/** One version number tells caches whether the policy that they hold is still the enforced one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger travel_policy_enforcement_counted after insert or update or delete on travel_policy_enforcement
      for each row execute function count_rules_version()
  `.execute(db);
}
