import { type Kysely, sql } from "kysely";

/** Spending limits of keys and tenants, the spending of calls, and the counters of each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const environment = sql`environment text not null check (environment in ('sandbox', 'production'))`;

  // An empty key_id: the limits of the tenant itself, over all of its keys. Null: no limit of this kind.
  await sql`
    create table spend_limit (
      tenant_id text not null,
      ${environment},
      key_id text not null,
      per_call_micro bigint check (per_call_micro >= 0),
      per_day_micro bigint check (per_day_micro >= 0),
      per_month_micro bigint check (per_month_micro >= 0),
      recipients text[],
      tools text[],
      updated_at timestamptz not null,
      primary key (tenant_id, environment, key_id)
    )`.execute(db);

  // The amount that an account has used in a period, including reservations. For escrowed money it becomes negative if a trip's
  // funding fails after it was used.
  await sql`
    create table spend_counter (
      tenant_id text not null,
      ${environment},
      account text not null,
      period text not null,
      used_micro bigint not null default 0,
      primary key (tenant_id, environment, account, period)
    )`.execute(db);

  // The spending of a call. It counts while the call's effect is open, and permanently when that is done.
  await sql`
    create table call_spend (
      tenant_id text not null,
      ${environment},
      call_id text not null,
      key_id text not null,
      state text not null default 'reserved' check (state in ('reserved', 'used', 'released')),
      amount_micro bigint not null check (amount_micro >= 0),
      conversions jsonb not null default '[]',
      created_at timestamptz not null,
      primary key (tenant_id, environment, call_id)
    )`.execute(db);
  await sql`create index call_spend_call on call_spend (call_id)`.execute(db);
  await sql`create index call_spend_reserved on call_spend (tenant_id, environment, call_id) where state = 'reserved'`.execute(
    db,
  );
  await sql`create index call_spend_created on call_spend (created_at)`.execute(db);

  await sql`
    create table call_spend_line (
      tenant_id text not null,
      ${environment},
      call_id text not null,
      account text not null,
      period text not null,
      amount_micro bigint not null,
      primary key (tenant_id, environment, call_id, account, period),
      foreign key (tenant_id, environment, call_id) references call_spend on delete cascade
    )`.execute(db);
}
