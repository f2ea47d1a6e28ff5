import { type Kysely, sql } from "kysely";

/** The most that a key's calls may cost in a month. Null: no such limit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table spend_limit add column fees_micro bigint check (fees_micro >= 0)`.execute(db);
}
