import { type Kysely, sql } from "kysely";

/** All offers found by a tenant's search, while they are bookable: compressed, as they are read together. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table found_search (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      search_id text not null,
      found bytea not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      primary key (tenant_id, network, search_id)
    );
    create index found_search_by_expiry on found_search (expires_at);
    -- It is packed already.
    alter table found_search alter column found set storage external;
  `.execute(db);
}
