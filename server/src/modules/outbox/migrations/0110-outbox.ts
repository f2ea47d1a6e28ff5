import { type Kysely, sql } from "kysely";

/** Messages may use any carrier, go to people without an id, and be composed from a record when they are sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table message
      alter column user_id drop not null,
      add column carrier text not null default 'mail',
      -- The record that it is composed from; null: its words are stored with it.
      add column record_id text,
      drop constraint message_check1,
      add check (state not in ('intended', 'sending') or encrypted_mail is not null or record_id is not null);
  `.execute(db);
}
