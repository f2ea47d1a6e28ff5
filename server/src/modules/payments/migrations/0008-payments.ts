import { type Kysely, sql } from "kysely";

/** Signed payments for single calls, and what each payer has open. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table payment (
      id text primary key,
      network text not null check (network in ('sandbox', 'production')),
      -- CAIP-2, as the payer signed for it.
      chain text not null,
      asset text not null check (asset = lower(asset)),
      payer text not null check (payer = lower(payer)),
      nonce text not null check (nonce = lower(nonce)),
      pay_to text not null check (pay_to = lower(pay_to)),
      amount_micro bigint not null check (amount_micro >= 0),
      -- Unix seconds; a payer may sign any number of 256 bits.
      valid_after numeric(78) not null,
      valid_before numeric(78) not null,
      signature text not null,
      max_timeout_seconds integer not null,
      token_name text not null,
      token_version text not null,
      request_hash text not null,
      tool text not null,
      tenant_id text,
      key_id text,
      subject text not null,
      call_id text not null unique,
      process_id text not null,
      trace_id text not null,
      list_price_micro bigint not null,
      discount_percent integer not null,
      latency_ms double precision not null default 0,
      state text not null default 'claimed' check (state in ('claimed', 'earned', 'settled', 'receivable')),
      result text,
      usage_id text,
      chain_transaction_id text,
      transaction_hash text,
      failure text,
      -- When its outcome was asked for last.
      looked_at timestamptz not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (network, asset, payer, nonce),
      check ((state = 'claimed') = (result is null)),
      check ((state = 'settled') = (usage_id is not null and transaction_hash is not null)),
      check ((tenant_id is null) = (key_id is null)),
      check (state <> 'receivable' or failure is not null)
    );
    create index payment_claimed on payment (process_id) where state = 'claimed';
    create index payment_earned on payment (network, looked_at) where state = 'earned';
    create index payment_ungathered on payment (network, id) where state = 'earned' and chain_transaction_id is null;
    create index payment_receivable on payment (network, looked_at) where state = 'receivable';
    create index payment_chain_transaction on payment (chain_transaction_id) where chain_transaction_id is not null;

    -- What a payer owes for calls under way may not be more than it has; its row is the lock.
    create table payment_payer (
      network text not null,
      asset text not null,
      payer text not null,
      open_micro bigint not null default 0 check (open_micro >= 0),
      receivables integer not null default 0 check (receivables >= 0),
      primary key (network, asset, payer)
    );
  `.execute(db);
}
