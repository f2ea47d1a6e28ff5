import { type Kysely, sql } from "kysely";

/** Who sent what came from a chain; null: it was posted before this was kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ledger_transaction add column from_address text`.execute(db);
}
