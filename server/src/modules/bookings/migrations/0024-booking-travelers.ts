import { type Kysely, sql } from "kysely";

/** Who travels, in the order of the offer's passengers. Null: booked before this was kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table booking add column travelers jsonb`.execute(db);
}
