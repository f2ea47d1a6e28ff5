import { type Kysely, sql } from "kysely";

/** Nothing is reserved during such a pause: when the trip is closed, its run can only end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_pause add column needs_open_trip boolean not null default false`.execute(db);
}
