import { type QueryExecutorProvider, sql } from "kysely";
import { earliestId } from "../../../domain/ids.ts";

/**
 * Partitions usage records by their ids, which begin with the time. The existing table becomes the first partition without
 * being copied; it ends with the current month, or later if a record's id requires it. A job creates later partitions in
 * advance; the last one takes everything that fits nowhere else. A call's id is unique within a partition only: the call's own
 * row prevents paying it twice.
 */
export async function up(db: QueryExecutorProvider): Promise<void> {
  const { rows } = await sql<{ now: string; last: string | null }>`
    select to_char(now() at time zone 'UTC', 'YYYY-MM') as now, (select max(id) from usage_record where id like 'use\\_%') as last
    `.execute(db);
  const [found] = rows;
  let month = Temporal.PlainYearMonth.from(found?.now ?? "1970-01").add({ months: 1 });
  while (endBefore(month) <= (found?.last ?? "")) month = month.add({ months: 1 });

  await sql`
    alter table usage_record rename to usage_record_first;
    alter index usage_record_pkey rename to usage_record_first_pkey;
    alter index usage_record_tenant rename to usage_record_first_tenant;
    alter index usage_record_call rename to usage_record_first_call;
    alter index usage_record_unsettled rename to usage_record_first_unsettled;
    alter index usage_record_settlement rename to usage_record_first_settlement;
    alter index if exists usage_record_tool rename to usage_record_first_tool;

    create table usage_record (like usage_record_first including defaults including constraints) partition by range (id);
    alter table usage_record add constraint usage_record_pkey primary key (id);
    create index usage_record_tenant on usage_record (tenant_id, network, id desc);
    create index usage_record_tool on usage_record (tenant_id, network, tool, id desc);
    create index usage_record_unsettled on usage_record (tenant_id, id) where status = 'unsettled' and settlement_id is null;
    create index usage_record_settlement on usage_record (settlement_id) where settlement_id is not null;
    create index usage_record_created on usage_record using brin (created_at) with (pages_per_range = 16);
    create table usage_record_other (like usage_record including all);
  `.execute(db);
  await sql
    .raw(
      `alter table usage_record attach partition usage_record_first for values from (minvalue) to ('${endBefore(month)}');
       alter table usage_record attach partition usage_record_other default;`,
    )
    .execute(db);
}

const endBefore = (month: Temporal.PlainYearMonth): string =>
  earliestId("use_", month.toPlainDate({ day: 1 }).toZonedDateTime("UTC").epochMilliseconds);
