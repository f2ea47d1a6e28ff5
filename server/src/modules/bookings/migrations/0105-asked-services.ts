import { type Kysely, sql } from "kysely";

/** Bags and seats requested with a booking, so that those of a held order can be added once it is paid. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table booking
      -- Null: booked before this was kept.
      add column asked_services jsonb,
      -- How often bags were sent to be added to the order.
      add column additions integer not null default 0,
      drop constraint booking_state_check,
      add constraint booking_state_check
        check (state in ('intended', 'ordering', 'on_hold', 'held', 'paying', 'adding', 'booked', 'failed')),
      add constraint booking_adding_check check (state <> 'adding' or order_id is not null);
  `.execute(db);
}
