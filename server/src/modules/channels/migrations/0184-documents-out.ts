import { type Kysely, sql } from "kysely";

/** Messages with a document. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The chat system's id of the document, known before anybody can see it: by it, a message whose answer was lost is found.
    alter table channel_message add column upload_id text;
  `.execute(db);
}
