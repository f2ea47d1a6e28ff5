import { type Kysely, sql } from "kysely";

/** Escrow contracts besides the chain's own, each of which an operator has allowed one tenant. Rows are never deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table further_escrow (
      network text not null,
      chain text not null,
      address text not null,
      tenant_id text not null references tenant (id),
      -- The ledger tracks movements after this block; the earlier balance was entered as a whole.
      since_block bigint not null,
      grace_seconds bigint not null,
      returns_to_trip boolean not null,
      allowed_at timestamptz not null,
      -- No new trip is prefunded in it. Those inside go on.
      revoked_at timestamptz,
      primary key (network, chain, address),
      foreign key (network, chain) references chain_network (network, chain)
    );
    create index further_escrow_of_tenant on further_escrow (tenant_id);
    -- A tenant's account of that kind has what is in its further escrows.
    alter table ledger_account
      drop constraint ledger_account_check,
      add check (kind = 'escrow' or (tenant_id is null) = (kind in ('collection', 'collection_outgoing', 'external')));
    -- Counts the rows of the chain, so that whoever has read its blocks without the newest of them reads them again.
    alter table chain_network add column further_escrows integer not null default 0;
  `.execute(db);
}
