import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table service_process (
      id text primary key,
      started_at timestamptz not null default now(),
      seen_at timestamptz not null default now()
    )`.execute(db);

  // Spent includes records and reservations, so that the cap holds while calls run.
  await sql`
    create table tenant_spend (
      tenant_id text not null,
      period text not null,
      spent_micro bigint not null default 0 check (spent_micro >= 0),
      primary key (tenant_id, period)
    )`.execute(db);

  await sql`
    create table call (
      id text primary key,
      tenant_id text not null,
      key_id text not null,
      subject text not null,
      tool text not null,
      surface text not null,
      period text not null,
      list_price_micro bigint not null,
      discount_percent integer not null,
      price_micro bigint not null check (price_micro >= 0),
      usage_status text not null,
      trace_id text not null,
      idempotency_key text,
      process_id text not null,
      state text not null default 'reserved' check (state in ('reserved', 'captured', 'released', 'replaced')),
      effect text not null default 'none' check (effect in ('none', 'open', 'done', 'failed')),
      result text,
      usage_id text,
      created_at timestamptz not null,
      settled_at timestamptz
    )`.execute(db);
  await sql`create index call_reserved on call (process_id) where state = 'reserved'`.execute(db);
  await sql`create index call_created on call (created_at)`.execute(db);

  await sql`
    create table usage_record (
      id text primary key,
      tenant_id text,
      key_id text,
      subject text not null,
      tool text not null,
      surface text not null,
      list_price_micro bigint not null,
      discount_percent integer not null,
      price_micro bigint not null check (price_micro >= 0),
      status text not null check (status in ('sandbox', 'unsettled', 'settled')),
      trace_id text not null,
      idempotency_key text,
      call_id text,
      latency_ms double precision not null,
      created_at timestamptz not null
    )`.execute(db);
  await sql`create index usage_record_tenant on usage_record (tenant_id, id desc)`.execute(db);
  // A call that writes or spends is paid at most once, whoever settles it.
  await sql`create unique index usage_record_call on usage_record (call_id) where call_id is not null`.execute(db);

  await sql`
    create table idempotency (
      tenant_id text not null,
      subject text not null,
      tool text not null,
      key text not null,
      request_hash text not null,
      call_id text not null,
      process_id text not null,
      state text not null default 'running' check (state in ('running', 'done')),
      outcome text,
      usage_id text,
      price_micro bigint not null default 0,
      created_at timestamptz not null,
      primary key (tenant_id, subject, tool, key)
    )`.execute(db);
  await sql`create unique index idempotency_call on idempotency (call_id)`.execute(db);
  await sql`create index idempotency_running on idempotency (process_id) where state = 'running'`.execute(db);
  await sql`create index idempotency_created on idempotency (created_at)`.execute(db);
}
