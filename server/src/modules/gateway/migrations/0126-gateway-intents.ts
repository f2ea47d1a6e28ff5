import { type Kysely, sql } from "kysely";

/** The burn intents of transfers out of the Gateway, and what is set aside for each until the operator has burned it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table gateway_intent (
      transfer_id text primary key,
      network text not null check (network in ('sandbox', 'production')),
      chain text not null,
      -- Of the deposit that it was missing; null: there was enough.
      deposit_id text,
      -- Null: not signed yet. An intent is replaced only when it can no longer be minted.
      spec_hash text,
      reserved_micro bigint not null check (reserved_micro >= 0),
      burned_at timestamptz
    );
    create unique index gateway_intent_by_spec on gateway_intent (network, chain, spec_hash) where spec_hash is not null;
    create index gateway_intent_by_deposit on gateway_intent (deposit_id) where deposit_id is not null;
  `.execute(db);
}
