import { type Kysely, sql } from "kysely";

/** A worker leases a guest's mail while sending it; failures are retried later. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table trip
      add column mail_attempts integer not null default 0,
      -- Null: nobody has tried yet.
      add column mail_due timestamptz;
  `.execute(db);
}
