import { type Kysely, sql } from "kysely";

/** The chain that a trip's money is on, and that of its bookings, which are read without their trip. So far it is the home chain. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table trip add column chain text;
    update trip set chain = bound.chain from chain_network as bound where bound.network = trip.network and bound.is_home;
    alter table trip alter column chain set not null;

    alter table escrow_booking add column chain text;
    update escrow_booking set chain = trip.chain from trip
      where trip.network = escrow_booking.network and trip.trip_id = escrow_booking.trip_id;
    alter table escrow_booking alter column chain set not null;
  `.execute(db);
}
