import { type Kysely, sql } from "kysely";

/** The quoted refunds of flight cancellations, for previews that do not ask the supplier. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table flight_cancellation_quote (
      network text not null check (network in ('sandbox', 'production')),
      id text not null,
      tenant_id text not null,
      trace_id text,
      order_id text not null,
      refund_amount text,
      refund_currency text,
      refund_to text,
      -- In place of money: a list of amount and currency.
      credits jsonb not null,
      created_at timestamptz not null,
      primary key (network, id)
    );
    create index flight_cancellation_quote_by_age on flight_cancellation_quote (created_at);
  `.execute(db);
}
