import { type Kysely, sql } from "kysely";

/** An index to find the existing bookings of a traveler. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index booking_by_traveler on booking using gin (travelers jsonb_path_ops)`.execute(db);
}
