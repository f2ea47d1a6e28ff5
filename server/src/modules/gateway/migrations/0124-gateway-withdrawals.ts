import { type Kysely, sql } from "kysely";

/** Withdrawals from the Gateway, which the wallet itself sends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table gateway_withdrawal (
      id text primary key,
      network text not null check (network in ('sandbox', 'production')),
      chain text not null,
      tenant_id text not null,
      address text not null,
      amount_micro bigint not null check (amount_micro > 0),
      state text not null default 'requested' check (state in ('requested', 'waiting', 'completed', 'failed')),
      gas_transaction_id text,
      -- The transaction that the wallet sends now: stored before it is sent.
      raw text,
      hash text,
      nonce integer,
      -- Of everything that it sent, the last one last.
      hashes text[] not null default '{}',
      withdrawal_block bigint,
      failure text,
      next_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check ((next_at is null) = (state in ('completed', 'failed'))),
      check ((raw is null) = (hash is null) and (raw is null) = (nonce is null))
    );
    -- Another one would begin the delay of the first again.
    create unique index gateway_withdrawal_open on gateway_withdrawal (network, chain, tenant_id) where next_at is not null;
    create index gateway_withdrawal_due on gateway_withdrawal (next_at) where next_at is not null;
    create index gateway_withdrawal_by_tenant on gateway_withdrawal (tenant_id, network, chain, created_at);

    create function tell_gateway_withdrawal() returns trigger language plpgsql as $$
    begin
      perform pg_notify('work_changed', 'gateway_withdrawal ' || work_time(new.next_at));
      return null;
    end $$;
    create trigger gateway_withdrawal_due after insert or update of next_at on gateway_withdrawal for each row
      when (new.next_at is not null) execute function tell_gateway_withdrawal();
  `.execute(db);
}
