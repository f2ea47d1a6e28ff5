import { type Kysely, sql } from "kysely";

/** Totals of usage records by key and caller, as long as they can be asked for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table usage_payer_hour (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      begins_at timestamptz not null,
      -- Empty: calls that no key has paid.
      key_id text not null,
      subject text not null,
      calls bigint not null,
      price_micro bigint not null,
      last_at timestamptz not null,
      primary key (tenant_id, network, begins_at, key_id, subject)
    );
    create index usage_payer_hour_begins on usage_payer_hour (begins_at);

    create table usage_payer_day (like usage_payer_hour including all);

    -- Records before this moment were summed by tool only. Null: none were.
    alter table usage_summed add column payers_since timestamptz;
    update usage_summed set payers_since = date_trunc('hour', until - interval '1 hour');
  `.execute(db);
}
