import { type Kysely, sql } from "kysely";

/**
 * Extra fields that payers sent with their payments, as JSON, kept until settlement so that a facilitator gets them after a
 * restart too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table payment add column beside text`.execute(db);
}
