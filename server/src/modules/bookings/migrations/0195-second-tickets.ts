import { type Kysely, sql } from "kysely";

/**
 * The flights of a booking in progress, so that a second ticket is noticed before the first has an answer, and when a
 * caller was last told that the booking's traveler has a ticket already.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table booking
      add column asked_slices jsonb,
      add column second_ticket_told_at timestamptz
  `.execute(db);
}
