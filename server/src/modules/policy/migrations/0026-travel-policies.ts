import { type Kysely, sql } from "kysely";

/** The tenants' travel policies with immutable versions, and the enforced policy. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table travel_policy (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      policy_id text not null,
      version integer not null check (version > 0),
      document jsonb not null,
      effective_at timestamptz not null,
      created_at timestamptz not null,
      created_by text not null,
      primary key (tenant_id, network, policy_id, version)
    );

    create table travel_policy_enforcement (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      policy_id text,
      changed_at timestamptz not null,
      changed_by text not null,
      primary key (tenant_id, network)
    );
  `.execute(db);
}
