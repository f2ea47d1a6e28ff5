import { type Kysely, sql } from "kysely";

/** The newest calls of each tenant that were refused or failed, without their arguments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table failed_call (
      id text primary key,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      key_id text not null,
      tool text,
      surface text not null,
      code text not null,
      detail text,
      issue_paths text[] not null,
      trace_id text not null,
      run_id text,
      price_micro bigint not null,
      created_at timestamptz not null
    );
    create index failed_call_of_tenant on failed_call (tenant_id, network, id);
  `.execute(db);
}
