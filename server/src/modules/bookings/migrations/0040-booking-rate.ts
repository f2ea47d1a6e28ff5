import { type Kysely, sql } from "kysely";

/** The exchange rate of a booking; null for older bookings in dollars, one for one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table booking add column rate jsonb`.execute(db);
}
