import { type Kysely, sql } from "kysely";

/** Totals of usage records by hour and by day (UTC): they stay when records are removed, and name nobody. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table usage_hour (
      tenant_id text not null,
      network text not null check (network in ('sandbox', 'production')),
      begins_at timestamptz not null,
      tool text not null,
      calls bigint not null,
      list_price_micro bigint not null,
      price_micro bigint not null,
      primary key (tenant_id, network, begins_at, tool)
    );
    create index usage_hour_begins on usage_hour (begins_at);

    create table usage_day (like usage_hour including all);

    -- One row: until when records are summed.
    create table usage_summed (
      id boolean primary key default true check (id),
      until timestamptz
    );
    insert into usage_summed (until) values (null);
  `.execute(db);
}
