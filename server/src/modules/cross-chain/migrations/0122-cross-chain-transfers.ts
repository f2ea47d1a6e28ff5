import { type Kysely, sql } from "kysely";

/** Transfers from one chain to another, and the ledger's accounts of money in flight and of their fees. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ledger_account
      drop constraint ledger_account_kind_check,
      add check (kind in ('prefunded', 'held', 'outgoing', 'in_flight', 'transfer_fee', 'gateway', 'gateway_reserved',
        'gateway_withdrawing', 'collection', 'collection_outgoing', 'escrow', 'external'));
    alter table ledger_transaction
      drop constraint ledger_transaction_kind_check,
      add check (kind in ('deposit', 'hold', 'capture', 'release', 'send', 'take_back', 'refund', 'movement', 'adopt',
        'gateway_reserve', 'gateway_release', 'land'));

    create table cross_chain_transfer (
      id text primary key,
      network text not null check (network in ('sandbox', 'production')),
      tenant_id text not null,
      idempotency_key text not null,
      call_id text,
      trace_id text,
      kind text not null,
      status text not null default 'submitted'
        check (status in ('submitted', 'burned', 'attested', 'minted', 'completed', 'failed')),
      from_chain text not null,
      to_chain text not null,
      token text not null check (token in ('USDC', 'EURC')),
      recipient text not null,
      amount_micro bigint not null check (amount_micro > 0),
      fee_micro bigint check (fee_micro >= 0),
      received_micro bigint check (received_micro >= 0),
      -- The token that arrives, if it is exchanged on the way.
      received_token text not null check (received_token in ('USDC', 'EURC')),
      -- Its transactions: step, chain, id and hash.
      steps jsonb not null default '[]',
      -- What only its kind reads.
      detail jsonb not null default '{}',
      expected_by timestamptz not null,
      -- Why it does not get on; null: it does.
      waiting text,
      -- Since its last step.
      attempts integer not null default 0,
      -- Increased with every change by its worker, so that a worker whose lease has passed changes nothing.
      version integer not null default 0,
      -- Something that it waits for has happened since it was leased.
      is_woken boolean not null default false,
      -- When it is due, or its lease ends; null: it has ended.
      next_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      ended_at timestamptz,
      check ((next_at is null) = (status in ('completed', 'failed')) and (next_at is null) = (ended_at is not null))
    );
    create unique index cross_chain_transfer_key on cross_chain_transfer (network, tenant_id, idempotency_key);
    create index cross_chain_transfer_due on cross_chain_transfer (kind, next_at) where next_at is not null;
    create index cross_chain_transfer_open on cross_chain_transfer (tenant_id, network) where next_at is not null;

    create function tell_transfer() returns trigger language plpgsql as $$
    begin
      if new.next_at is null then
        perform pg_notify('work_changed', 'transfer_ended ' || new.id || ' ' || new.status);
      else
        perform pg_notify('work_changed', 'transfer_' || new.kind || ' 0');
      end if;
      return null;
    end $$;
    create trigger cross_chain_transfer_changed after update of is_woken, next_at on cross_chain_transfer for each row
      when ((new.is_woken and not old.is_woken) or (new.next_at is null and old.next_at is not null))
      execute function tell_transfer();
  `.execute(db);
}
