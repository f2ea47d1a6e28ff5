import { type Kysely, sql } from "kysely";

/** Records which approval allowed a call. Kept when the approval is given back, as a call that seemed dead may still continue. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table approval_use (
      call_id text not null,
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      approval_id text not null references approval (id),
      used_at timestamptz not null,
      trace_id text,
      primary key (call_id, tenant_id, network)
    );
    create index approval_use_by_age on approval_use (used_at);
    insert into approval_use (call_id, tenant_id, network, approval_id, used_at)
      select call_id, tenant_id, network, id, used_at from approval where call_id is not null;
  `.execute(db);
}
