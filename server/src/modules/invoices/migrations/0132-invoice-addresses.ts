import { type Kysely, sql } from "kysely";

/** The address of an invoice's files, which stays the same until it is revoked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Readable, unlike other tokens: it opens nothing but the document beside it. Null: not asked for yet, or revoked.
    alter table booking_invoice add column file_token text;
    create unique index booking_invoice_by_token on booking_invoice (file_token) where file_token is not null;
  `.execute(db);
}
