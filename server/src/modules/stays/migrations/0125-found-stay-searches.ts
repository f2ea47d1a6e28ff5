import { type Kysely, sql } from "kysely";

/** All places found by a tenant's search for stays, while their rates can be read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table found_stay_search (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      search_id text not null,
      found jsonb not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      primary key (tenant_id, network, search_id)
    );
    create index found_stay_search_by_expiry on found_stay_search (expires_at);
  `.execute(db);
}
