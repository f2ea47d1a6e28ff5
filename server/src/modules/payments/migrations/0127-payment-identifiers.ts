import { type Kysely, sql } from "kysely";

/** The payer's own id of a payment (x402's `payment-identifier`): one payment has it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table payment add column payment_identifier text;
    create unique index payment_identifier on payment (network, chain, asset, payer, payment_identifier)
      where payment_identifier is not null;
  `.execute(db);
}
