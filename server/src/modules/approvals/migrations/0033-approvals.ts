import { type Kysely, sql } from "kysely";

/** Approvals of calls: the request, the decision, and the call that used it up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table approval (
      id text primary key,
      -- The order in which they were asked for, also within a millisecond.
      position bigint generated always as identity,
      tenant_id text not null references tenant (id),
      network text not null check (network in ('sandbox', 'production')),
      call_hash text not null,
      content_hash text not null,
      tool text not null,
      traveler_id text not null,
      policy_id text not null,
      policy_version integer not null,
      amount_micro bigint,
      tolerance_micro bigint not null check (tolerance_micro >= 0),
      evidence jsonb not null,
      role text not null check (role in ('approver', 'finance', 'admin')),
      requested_by text not null,
      requested_key_id text not null,
      requested_at timestamptz not null,
      expires_at timestamptz not null,
      state text not null check (state in ('pending', 'approved', 'rejected', 'revoked', 'replaced', 'used')),
      decided_by text,
      decided_with text check (decided_with in ('key', 'token', 'link')),
      decided_at timestamptz,
      reason text,
      call_id text,
      used_at timestamptz,
      check ((state = 'used') = (call_id is not null))
    );
    create index approval_by_call on approval (tenant_id, network, call_hash, position desc);
    create index approval_by_tenant on approval (tenant_id, network, position desc);
    create unique index approval_waiting on approval (tenant_id, network, call_hash) where state = 'pending';
    create index approval_used_by on approval (call_id) where call_id is not null;
  `.execute(db);
}
