import { type Kysely, sql } from "kysely";

/** Stored apart from the guest's name and address, which are removed after a while. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table trip add column for_guest boolean not null default false`.execute(db);
  await sql`
    update trip set for_guest = true
    where encrypted_guest_email is not null or btrim(coalesce(details ->> 'guestName', '')) <> ''
  `.execute(db);
}
