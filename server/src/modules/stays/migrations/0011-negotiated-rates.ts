import { type Kysely, sql } from "kysely";

/** The owners of negotiated rates of stays. Deleted rates are kept as the owners of their quotes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table negotiated_rate (
      network text not null check (network in ('sandbox', 'production')),
      negotiated_rate_id text not null,
      tenant_id text not null,
      created_at timestamptz not null,
      deleted_at timestamptz,
      primary key (network, negotiated_rate_id)
    );
    create index negotiated_rate_active on negotiated_rate (tenant_id, network, created_at) where deleted_at is null;
  `.execute(db);
}
