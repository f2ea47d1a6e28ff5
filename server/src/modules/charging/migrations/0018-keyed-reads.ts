import { type Kysely, sql } from "kysely";

/** How often the read of a key was repeated. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table idempotency add column reruns integer not null default 0`.execute(db);
}
