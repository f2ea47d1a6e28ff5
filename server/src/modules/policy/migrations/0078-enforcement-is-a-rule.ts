import { type Kysely, sql } from "kysely";

/** Whoever judges by the policy that it remembers to be enforced can tell by one number whether it still is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger travel_policy_enforcement_counted after insert or update or delete on travel_policy_enforcement
      for each row execute function count_rules_version()
  `.execute(db);
}
