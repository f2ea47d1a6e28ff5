import { type Kysely, sql } from "kysely";

/** Travelers in the order of the offer's passengers. Null in older bookings. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table booking add column travelers jsonb`.execute(db);
}
