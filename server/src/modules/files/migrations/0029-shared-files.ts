import { type Kysely, sql } from "kysely";

/** Files that anyone with their address may read until it expires. Only a hash of the address is stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table shared_file (
      token_hash bytea primary key,
      -- A tenant, or 'payer:<address>' for who paid without a key.
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      file_name text not null,
      content_type text not null,
      content bytea not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    )
  `.execute(db);
  await sql`create index shared_file_of_tenant on shared_file (tenant_id, network, created_at desc)`.execute(db);
  await sql`create index shared_file_expiry on shared_file (expires_at)`.execute(db);
}
