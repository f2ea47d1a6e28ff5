import { type Kysely, sql } from "kysely";

/** Where a stay is. The search that found it knows, and is forgotten within days. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table booking
      -- Latitude and longitude. Null: booked before this was kept, of a flight, or the supplier did not say.
      add column stay_position jsonb
  `.execute(db);
}
