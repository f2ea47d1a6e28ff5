import { type Kysely, sql } from "kysely";

/** Orders that an airline holds unpaid, and the particulars that distinguish a repeated booking from another one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table booking
      -- The call that held the order, what it answered, and until when the airline holds it.
      add column hold_call_id text,
      add column hold_result jsonb,
      add column hold_until timestamptz,
      -- Of what was asked for beside the travelers. Null: booked before this was kept.
      add column particulars_hash text,
      drop constraint booking_kind_check,
      drop constraint booking_state_check,
      drop constraint booking_order_status_check,
      add constraint booking_kind_check check (kind in ('flight', 'stay', 'flight_hold')),
      add constraint booking_state_check
        check (state in ('intended', 'ordering', 'on_hold', 'held', 'paying', 'booked', 'failed')),
      add constraint booking_order_status_check
        check (order_status in ('held', 'confirmed', 'cancelled', 'lapsed')),
      add constraint booking_on_hold_check
        check (state <> 'on_hold' or (order_id is not null and hold_call_id is not null and hold_result is not null));
  `.execute(db);
}
