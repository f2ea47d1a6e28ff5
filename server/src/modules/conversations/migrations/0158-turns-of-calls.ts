import { type Kysely, sql } from "kysely";

/** The call of a tool that began the turn, which paid for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table conversation_turn add column call_id text`.execute(db);
}
