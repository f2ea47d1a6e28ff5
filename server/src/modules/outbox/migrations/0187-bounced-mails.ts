import { type Kysely, sql } from "kysely";

/** A mail that a server accepted and another one could not deliver. It stays sent, so that nothing is sent again by itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table message add column bounced text`.execute(db);
}
