import { type Kysely, sql } from "kysely";

/** An authorization is one of its chain, and so is what a payer has open: the same token can have one address on several chains. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table payment
      drop constraint payment_network_asset_payer_nonce_key,
      add unique (network, chain, asset, payer, nonce);
    drop index payment_earned;
    drop index payment_ungathered;
    drop index payment_receivable;
    create index payment_earned on payment (network, chain, looked_at) where state = 'earned';
    create index payment_ungathered on payment (network, chain, id)
      where state = 'earned' and chain_transaction_id is null;
    create index payment_receivable on payment (network, chain, looked_at) where state = 'receivable';

    alter table payment_payer add column chain text;
    update payment_payer set chain = bound.chain
      from chain_network as bound where bound.network = payment_payer.network and bound.is_home;
    alter table payment_payer
      alter column chain set not null,
      drop constraint payment_payer_pkey,
      add primary key (network, chain, asset, payer);
  `.execute(db);
}
