import { createWriteStream, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { sql } from "kysely";
import { earliestId, readEpochMilliseconds } from "../../domain/ids.ts";
import type { OpenDatabase, Queryable } from "../../platform/database/database.ts";
import type { Log } from "../../ports/log.ts";

const MONTHS_AHEAD = 2;
const PREFIX = "use_";
/** An arbitrary number, the same for every process that changes partitions. */
const PARTITIONS_LOCK = 7_411_200_502n;
const RECORDS_OF_A_READ = 2_000;

interface Partition {
  name: string;
  /** The first id after the partition. */
  end: string;
}

/** Creates the missing partitions of this month and the next ones. */
export async function makeUsagePartitions(db: OpenDatabase["db"], now: Temporal.Instant): Promise<void> {
  const wanted = firstIdAfter(toYearMonth(now).add({ months: MONTHS_AHEAD }));
  while (await whileLocked(db, (transaction) => makeNext(transaction, wanted)));
}

/** False: none is missing. */
async function makeNext(transaction: Queryable, wanted: string): Promise<boolean> {
  const last = (await findPartitions(transaction)).at(-1);
  if (last === undefined || last.end >= wanted) return false;
  const month = toYearMonth(Temporal.Instant.fromEpochMilliseconds(readEpochMilliseconds(last.end)));
  const name = `usage_record_${month.toString().replace("-", "_")}`;
  const [begin, end] = [last.end, firstIdAfter(month)];
  // The partition is filled and indexed before it is attached. Records that arrived without it move there.
  await sql
    .raw(
      `create table ${name} (like usage_record including all);
       create unique index ${name}_call on ${name} (call_id) where call_id is not null;
       with moved as (delete from usage_record_other where id >= '${begin}' and id < '${end}' returning *)
         insert into ${name} select * from moved;
       alter table usage_record attach partition ${name} for values from ('${begin}') to ('${end}')`,
    )
    .execute(transaction);
  return true;
}

interface RetireOptions {
  db: OpenDatabase["db"];
  now: Temporal.Instant;
  /** In addition to the current month. 0: kept permanently. */
  keepMonths: number;
  /** Undefined: records are removed without an export. */
  exportDir: string | undefined;
  log: Log;
}

/** Removes partitions beyond the retention time; unpaid records keep their partition. */
export async function retireUsagePartitions(options: RetireOptions): Promise<void> {
  if (options.keepMonths === 0) return;
  while (await whileLocked(options.db, (transaction) => retireOldest(transaction, options)));
}

/** False: none is old, or the oldest is still needed. */
async function retireOldest(transaction: Queryable, options: RetireOptions): Promise<boolean> {
  const { now, keepMonths, exportDir, log } = options;
  const [oldest] = await findPartitions(transaction);
  if (oldest === undefined || oldest.end > firstIdAfter(toYearMonth(now).subtract({ months: keepMonths + 1 })))
    return false;
  const open = await sql`
    select 1 from ${sql.table(oldest.name)} where status = 'unsettled' limit 1`.execute(transaction);
  const summed = await sql`
    select 1 from usage_summed where until > ${idInstant(oldest.end).toString()}`.execute(transaction);
  if (open.rows.length > 0 || summed.rows.length === 0) return false;
  if (exportDir !== undefined) await exportPartition(transaction, oldest.name, exportDir);
  await sql
    .raw(`alter table usage_record detach partition ${oldest.name}; drop table ${oldest.name}`)
    .execute(transaction);
  log.info({ partition: oldest.name, exportDir }, "old usage records were removed");
  return true;
}

/** One JSON object per line. The file gets its name only when it is complete. */
async function exportPartition(db: Queryable, name: string, exportDir: string): Promise<void> {
  mkdirSync(exportDir, { recursive: true, mode: 0o700 });
  const file = join(exportDir, `${name}.jsonl.gz`);
  const target = createWriteStream(`${file}.part`, { mode: 0o600, flush: true });
  await pipeline(Readable.from(readLines(db, name)), createGzip(), target);
  renameSync(`${file}.part`, file);
}

async function* readLines(db: Queryable, name: string): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const { rows } = await sql<{ id: string; line: string }>`
      select id, to_json(record)::text as line from ${sql.table(name)} record
      where id > ${after} order by id limit ${RECORDS_OF_A_READ}`.execute(db);
    if (rows.length > 0) yield `${rows.map(({ line }) => line).join("\n")}\n`;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** In order, without the default partition. */
async function findPartitions(db: Queryable): Promise<readonly Partition[]> {
  const { rows } = await sql<Partition>`
    select * from (
      select class.relname as name,
        substring(pg_get_expr(class.relpartbound, class.oid) from 'TO \\(''(use_[0-9A-Z]{26})''\\)') as end
      from pg_inherits join pg_class class on class.oid = pg_inherits.inhrelid
      where pg_inherits.inhparent = 'usage_record'::regclass) found
    where "end" is not null order by "end"`.execute(db);
  return rows;
}

/** One process at a time; others leave it to that one. Callers' statements wait only briefly. */
async function whileLocked(
  db: OpenDatabase["db"],
  work: (transaction: Queryable) => Promise<boolean>,
): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${PARTITIONS_LOCK}) as locked`.execute(transaction);
    if (rows[0]?.locked !== true) return false;
    await sql`set local lock_timeout = '2s'`.execute(transaction);
    return await work(transaction);
  });
}

function toYearMonth(instant: Temporal.Instant): Temporal.PlainYearMonth {
  return instant.toZonedDateTimeISO("UTC").toPlainDate().toPlainYearMonth();
}

/** The first id of the following month. */
function firstIdAfter(month: Temporal.PlainYearMonth): string {
  const next = month.add({ months: 1 }).toPlainDate({ day: 1 });
  return earliestId(PREFIX, next.toZonedDateTime("UTC").epochMilliseconds);
}

const idInstant = (id: string): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(readEpochMilliseconds(id));
