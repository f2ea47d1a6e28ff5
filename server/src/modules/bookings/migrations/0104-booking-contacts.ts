import { type Kysely, sql } from "kysely";

/** Guests' contact details as salted hashes, so that a repeat with other details learns that they were not applied. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table booking
      -- By the name of the detail. Null: booked before this was kept, of a flight, or of somebody who was erased.
      add column contact_hashes jsonb;
  `.execute(db);
}
