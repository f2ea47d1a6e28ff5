import { type Kysely, sql } from "kysely";

/** Links a booking to the reservation in escrow that pays for it, so that the wallet is not charged too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table booking
      -- Null: the wallet pays.
      add column escrow_booking_id text,
      -- What the reservation still owes to the service for it.
      add column cover_micro bigint not null default 0 check (cover_micro >= 0),
      -- What the wallet has paid of that instead, as the reservation ended without paying.
      add column cover_charged_micro bigint not null default 0 check (cover_charged_micro >= 0);
    create unique index booking_once_for_reservation on booking (tenant_id, network, escrow_booking_id)
      where escrow_booking_id is not null and state <> 'failed';
  `.execute(db);
}
