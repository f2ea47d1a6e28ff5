import { type Kysely, sql } from "kysely";

/** Scans of identity documents until they are used, for at most ten minutes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table document_scan (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      -- SHA-256 of the scan's id, which is not stored.
      id_hash text not null,
      -- Under a key that follows from the scan's id alone.
      sealed bytea not null,
      expires_at timestamptz not null,
      primary key (tenant_id, network, id_hash)
    );
    create index document_scan_expiry on document_scan (expires_at);
  `.execute(db);
}
