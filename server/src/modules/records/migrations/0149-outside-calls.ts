import { type Kysely, sql } from "kysely";

/** Calls to third parties, without addresses, arguments and answers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table outside_call (
      id text primary key,
      tenant_id text not null references tenant (id),
      network text not null check (network in ('sandbox', 'production')),
      party text not null,
      operation text not null,
      state text not null check (state in ('answered', 'refused', 'failed', 'unanswered')),
      status integer,
      problem text,
      request_id text,
      latency_ms integer not null,
      trace_id text,
      trip_id text,
      run_id text,
      conversation_id text,
      created_at timestamptz not null
    );
    create index outside_call_list on outside_call (tenant_id, network, party, created_at desc);
    create index outside_call_by_trace on outside_call (trace_id);
    create index outside_call_by_trip on outside_call (tenant_id, network, trip_id, created_at) where trip_id is not null;
    create index outside_call_by_age on outside_call (created_at);
  `.execute(db);
}
