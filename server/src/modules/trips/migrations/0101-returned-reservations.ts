import { type Kysely, sql } from "kysely";

/** A cancelled booking can return its held amount to its trip. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table escrow_booking
      add column returned_micro bigint not null default 0 check (returned_micro >= 0),
      drop constraint escrow_booking_check1,
      drop constraint escrow_booking_check2,
      add constraint escrow_booking_ends_whole
        check (vendor_paid_micro + fee_paid_micro + refunded_micro + returned_micro in (0, reserved_micro)),
      add constraint escrow_booking_ends_once check (
        (state in ('settled', 'cancelled'))
          = (vendor_paid_micro + fee_paid_micro + refunded_micro + returned_micro = reserved_micro)),
      add constraint escrow_booking_returns_or_pays
        check (returned_micro = 0 or vendor_paid_micro + fee_paid_micro + refunded_micro = 0);
  `.execute(db);
}
