import { type Kysely, sql } from "kysely";

/** Wallets and transactions belong to a chain of an environment. The chain that an environment had so far is its home chain. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table wallet drop constraint wallet_network_fkey;
    alter table chain_transaction drop constraint chain_transaction_network_fkey;

    -- CAIP-2.
    alter table chain_network
      add column chain text,
      -- Where everything happens that names no chain.
      add column is_home boolean not null default true;
    update chain_network set chain = 'eip155:' || chain_id;
    alter table chain_network
      alter column chain set not null,
      alter column is_home drop default,
      drop constraint chain_network_pkey,
      add primary key (network, chain);
    create unique index chain_network_home on chain_network (network) where is_home;

    alter table wallet add column chain text;
    update wallet set chain = bound.chain from chain_network as bound where bound.network = wallet.network;
    alter table wallet
      alter column chain set not null,
      drop constraint wallet_network_address_key,
      add unique (network, chain, address),
      add foreign key (network, chain) references chain_network (network, chain);
    drop index wallet_of_service;
    drop index wallet_of_tenant;
    create unique index wallet_of_service on wallet (network, chain, kind) where tenant_id is null;
    create unique index wallet_of_tenant on wallet (network, chain, tenant_id) where tenant_id is not null;

    alter table chain_transaction add column chain text;
    update chain_transaction set chain = bound.chain
      from chain_network as bound where bound.network = chain_transaction.network;
    alter table chain_transaction
      alter column chain set not null,
      drop constraint chain_transaction_network_idempotency_key_key,
      add unique (network, chain, idempotency_key),
      add foreign key (network, chain) references chain_network (network, chain);
    drop index chain_transaction_hash;
    drop index chain_transaction_open;
    drop index chain_transaction_request;
    create index chain_transaction_hash on chain_transaction (network, chain, hash) where hash is not null;
    create index chain_transaction_open on chain_transaction (network, chain, created_at)
      where state in ('queued', 'signed');
    create index chain_transaction_request on chain_transaction (network, chain, tenant_id, request_key)
      where request_key is not null;
  `.execute(db);
}
