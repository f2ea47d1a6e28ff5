import { type Kysely, sql } from "kysely";

/** Finds what somebody is booked on already. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index booking_by_traveler on booking using gin (travelers jsonb_path_ops)`.execute(db);
}
