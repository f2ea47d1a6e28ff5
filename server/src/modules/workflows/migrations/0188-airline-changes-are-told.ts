import { type Kysely, sql } from "kysely";

/** Tells every process that an airline changed the flights of an order (`0119-work-is-told`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger booking_airline_changed after update of order_schedule_changes on booking for each row
      when (new.order_schedule_changes <> '[]'::jsonb and new.order_schedule_changes is distinct from old.order_schedule_changes)
      execute function tell_work('airline_change')`.execute(db);
}
