import { type Kysely, sql } from "kysely";

/** The exchange rate of a booking; null: it was made when only dollars were booked, one for one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table booking add column rate jsonb`.execute(db);
}
