import { type Kysely, sql } from "kysely";

/** The owner of an offer found with private inputs, until the supplier has long forgotten the offer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table private_offer (
      network text not null check (network in ('sandbox', 'production')),
      offer_id text not null,
      tenant_id text not null,
      expires_at timestamptz not null,
      primary key (network, offer_id)
    );
    create index private_offer_by_expiry on private_offer (expires_at);
  `.execute(db);
}
