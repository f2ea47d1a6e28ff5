import { type Kysely, sql } from "kysely";

/** Whose an offer of a search with private inputs is, until the supplier has long forgotten it. */
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
