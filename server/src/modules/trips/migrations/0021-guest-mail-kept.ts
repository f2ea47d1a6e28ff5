import { type Kysely, sql } from "kysely";

/** A mail can be kept: shown to the buyer and not delivered. Mails per day are counted by tenant and by recipient. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table trip
      drop constraint trip_mail_check,
      add constraint trip_mail_check check (mail in ('none', 'pending', 'sent', 'failed', 'kept'));

    create table guest_mail_count (
      network text not null check (network in ('sandbox', 'production')),
      -- A tenant's id, or a hash of the recipient's address.
      counted text not null,
      -- YYYY-MM-DD, in UTC.
      day text not null,
      mails integer not null check (mails > 0),
      primary key (network, counted, day)
    );
    create index guest_mail_count_by_day on guest_mail_count (day);
  `.execute(db);
}
