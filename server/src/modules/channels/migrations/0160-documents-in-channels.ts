import { type Kysely, sql } from "kysely";

/** A button can mean that a document is read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table channel_button drop constraint channel_button_means_check,
      add constraint channel_button_means_check check (means in ('approve', 'reject', 'say', 'scan'));
  `.execute(db);
}
