import { type Kysely, sql } from "kysely";

/** Networks, wallets, chain transactions, and the ledger's links to chain events. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The chain that an environment's money is on. Another one under the same name is refused at the start.
    create table chain_network (
      network text primary key check (network in ('sandbox', 'production')),
      chain_id bigint not null,
      genesis_hash text not null,
      contracts jsonb not null default '{}',
      -- Every movement up to this block is posted.
      indexed_number bigint not null,
      indexed_hash text not null,
      -- Why money tools stand still; null: they do not.
      stopped_because text,
      updated_at timestamptz not null
    );

    create table wallet (
      id text primary key,
      network text not null references chain_network (network),
      kind text not null check (kind in ('treasury', 'collection', 'relayer')),
      tenant_id text,
      address text not null check (address = lower(address)),
      encrypted_key text not null,
      next_nonce bigint not null default 0,
      created_at timestamptz not null,
      unique (network, address),
      check ((tenant_id is null) = (kind <> 'treasury'))
    );
    create unique index wallet_of_service on wallet (network, kind) where tenant_id is null;
    create unique index wallet_of_tenant on wallet (network, tenant_id) where tenant_id is not null;

    create table chain_transaction (
      id text primary key,
      network text not null references chain_network (network),
      idempotency_key text not null,
      tenant_id text,
      call_id text,
      purpose text not null,
      chain_order jsonb not null,
      -- The answer of the call that waits for it, but for what only the chain knows.
      result jsonb,
      state text not null default 'queued' check (state in ('queued', 'signed', 'confirmed', 'reverted')),
      -- withdraw: what was sent had no effect, and is now made unusable for whoever has seen it.
      step text not null default 'carry_out' check (step in ('carry_out', 'withdraw')),
      signer_id text references wallet (id),
      nonce bigint,
      raw text,
      hash text,
      -- Transactions that were sent for it before the one in hash.
      earlier_hashes text[] not null default '{}',
      -- Why it was reverted.
      failure text,
      block_number bigint,
      block_hash text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (network, idempotency_key),
      unique (signer_id, nonce),
      check ((state = 'queued') = (raw is null)),
      check ((raw is null) = (hash is null)),
      check ((state in ('confirmed', 'reverted')) = (block_number is not null))
    );
    -- Not unique: somebody else can carry out several orders in one transaction.
    create index chain_transaction_hash on chain_transaction (network, hash) where hash is not null;
    create index chain_transaction_open on chain_transaction (network, created_at) where state in ('queued', 'signed');
    create index chain_transaction_call on chain_transaction (call_id) where call_id is not null;
  `.execute(db);
}
