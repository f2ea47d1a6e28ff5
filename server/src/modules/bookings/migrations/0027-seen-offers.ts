import { type Kysely, sql } from "kysely";

/** Bookable offers that tenants were shown, by which a purchase is judged before the supplier is asked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table seen_offer (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      offer_id text not null,
      offer jsonb not null,
      seen_at timestamptz not null,
      primary key (tenant_id, network, offer_id)
    );
    create index seen_offer_by_age on seen_offer (seen_at);

    create table seen_search (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      search_id text not null,
      comparables jsonb not null,
      seen_at timestamptz not null,
      primary key (tenant_id, network, search_id)
    );
    create index seen_search_by_age on seen_search (seen_at);
  `.execute(db);
}
