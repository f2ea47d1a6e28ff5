import { type Kysely, sql } from "kysely";

/** Bookings, the supplier's customers, and the double-entry books of prefunded balances. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table booking (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      user_id text not null,
      call_id text not null,
      kind text not null check (kind in ('flight', 'stay')),
      offer_id text not null,
      state text not null check (state in ('intended', 'ordering', 'held', 'paying', 'booked', 'failed')),
      amount_micro bigint not null check (amount_micro >= 0),
      total_amount text not null,
      total_currency text not null,
      airline_credit_id text,
      order_id text,
      pnr text,
      ticketing text check (ticketing in ('pending', 'ticketed')),
      result jsonb,
      failure_code text,
      payments integer not null default 0,
      worker_id text,
      worker_seen_at timestamptz,
      quiet_until timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((state = 'booked') = (result is not null)),
      check ((state = 'failed') = (failure_code is not null)),
      check (state not in ('held', 'paying', 'booked') or order_id is not null)
    );
    -- The natural identity: the same tenant books the same offer once.
    create unique index booking_live on booking (tenant_id, network, offer_id) where state <> 'failed';
    create index booking_unfinished on booking (created_at) where state not in ('booked', 'failed');
    create index booking_by_tenant on booking (tenant_id, network, id);

    create table customer_lease (
      network text not null,
      email text not null,
      holder text not null,
      expires_at timestamptz not null,
      primary key (network, email)
    );
    create table customer_owner (
      network text not null,
      customer_user_id text not null,
      tenant_id text not null,
      user_id text not null,
      primary key (network, customer_user_id)
    );
  `.execute(db);

  await sql`
    create table ledger_account (
      id text primary key,
      network text not null check (network in ('sandbox', 'production')),
      tenant_id text,
      kind text not null check (kind in ('prefunded', 'held', 'funding', 'collection')),
      balance_micro bigint not null default 0,
      check ((tenant_id is null) = (kind in ('funding', 'collection'))),
      -- The second wall: the posting statements refuse an overdraft themselves.
      check (balance_micro >= 0 or kind = 'funding')
    );
    create table ledger_transaction (
      id bigint generated always as identity primary key,
      reference text not null unique,
      kind text not null check (kind in ('deposit', 'hold', 'capture', 'release')),
      created_at timestamptz not null
    );
    create table ledger_entry (
      transaction_id bigint not null references ledger_transaction (id),
      account_id text not null references ledger_account (id),
      amount_micro bigint not null,
      primary key (transaction_id, account_id)
    );
    create index ledger_entry_by_account on ledger_entry (account_id);
  `.execute(db);
}
