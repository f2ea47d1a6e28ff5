import { type Kysely, sql } from "kysely";

/** The sender of money from a chain; null: posted by an earlier release. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ledger_transaction add column from_address text`.execute(db);
}
