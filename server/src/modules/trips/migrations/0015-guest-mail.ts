import { type Kysely, sql } from "kysely";

/** Whoever sends a guest's mail takes it for a time; what fails is tried again later. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table trip
      add column mail_attempts integer not null default 0,
      -- Null: nobody has tried yet.
      add column mail_due timestamptz;
  `.execute(db);
}
