import { type Kysely, sql } from "kysely";

/** Salted hashes of orders for the escrow, from which travelers cannot be guessed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table booking
      -- The default is for the bookings that are there, and for processes of the release before.
      add column itinerary_salt text not null
        default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
      add column itinerary_hash text,
      add column ticket_order_hash text;
    create unique index booking_by_itinerary on booking (tenant_id, network, itinerary_hash)
      where itinerary_hash is not null;
    create index escrow_booking_by_itinerary on escrow_booking (tenant_id, network, itinerary_hash)
      where itinerary_hash is not null;
  `.execute(db);
}
