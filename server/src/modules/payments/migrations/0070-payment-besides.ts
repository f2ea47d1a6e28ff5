import { type Kysely, sql } from "kysely";

/** What payers sent beside their payments, as JSON, until they are settled: a facilitator gets it after a restart, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table payment add column beside text`.execute(db);
}
