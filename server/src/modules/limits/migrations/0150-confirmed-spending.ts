import { type Kysely, sql } from "kysely";

/** The amount from which the person at the client is asked first. Null: nobody is asked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table spend_limit add column confirm_from_micro bigint check (confirm_from_micro >= 0)`.execute(db);
}
