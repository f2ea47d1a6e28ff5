import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLog } from "../../../test/support/identity.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { newId } from "../../domain/ids.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import * as usagePartitions from "../charging/migrations/0068-usage-partitions.ts";
import { createPayerSums } from "./store-payer-sums.ts";
import { makeUsagePartitions, retireUsagePartitions } from "./store-usage-partitions.ts";
import { createUsageSums } from "./store-usage-sums.ts";

/** Usage records over years: their partitions, their sums and their removal. */

let testDatabase: TestDatabase;
let opened: OpenDatabase;
let exportDir: string;
beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  opened = openDatabase(testDatabase.url, { poolSize: 4, onError: () => undefined });
  exportDir = mkdtempSync(join(tmpdir(), "wayfare-export-"));
});
afterAll(async () => {
  await opened?.close();
  await testDatabase?.drop();
  rmSync(exportDir, { recursive: true, force: true });
});

const NOW = Temporal.Now.instant();
const month = (ahead: number) => {
  const first = NOW.toZonedDateTimeISO("UTC").with({ day: 2, hour: 3 }).round("hour");
  return first.add({ months: ahead }).toInstant();
};

async function record(at: Temporal.Instant, change: { status?: string; tool?: string; table?: string } = {}) {
  const { status = "sandbox", tool = "probe", table = "usage_record" } = change;
  const id = newId("use_", at.epochMilliseconds);
  await opened.pool.query(
    `insert into ${table} (id, tenant_id, network, key_id, subject, tool, surface, list_price_micro, discount_percent, price_micro,
       status, trace_id, latency_ms, created_at, call_id)
     values ($1, 'tenant_1', 'sandbox', 'key', 'svc:key', $2, 'dispatch', 500, 0, 350, $3, 'trace', 1, $4, $1)`,
    [id, tool, status, at.toString()],
  );
  return id;
}

const readPartition = async (id: string): Promise<unknown> =>
  (
    await opened.pool.query<{ name: string }>(
      "select tableoid::regclass::text as name from usage_record where id = $1",
      [id],
    )
  ).rows[0]?.name;
const partitionName = (at: Temporal.Instant) => `usage_record_${at.toString().slice(0, 7).replace("-", "_")}`;
const idsLeft = async () => (await opened.pool.query<{ id: string }>("select id from usage_record order by id")).rows;
const sum = async (now: Temporal.Instant) => {
  while (await opened.db.transaction().execute((transaction) => createUsageSums(transaction).sum(now)));
};

test("records of an earlier release are left in place, and later ones are partitioned by month; records that came before their partition move there", async () => {
  await opened.db.transaction().execute(async (transaction) => {
    // The table as in that release, with rows.
    await sql`
      create schema before; set local search_path to before;
      create table usage_record (like public.usage_record including defaults including constraints);
      alter table usage_record add primary key (id);
      create index usage_record_tenant on usage_record (tenant_id, network, id desc);
      create unique index usage_record_call on usage_record (call_id) where call_id is not null;
      create index usage_record_unsettled on usage_record (tenant_id, id) where status = 'unsettled' and settlement_id is null;
      create index usage_record_settlement on usage_record (settlement_id) where settlement_id is not null;
      create index usage_record_tool on usage_record (tenant_id, network, tool, id desc);
      insert into usage_record (id, subject, tool, surface, list_price_micro, discount_percent, price_micro, status, trace_id, latency_ms, created_at, network)
      select 'use_' || lpad(i::text, 26, '0'), 's', 't', 'x', 1, 0, 1, 'sandbox', 't', 1, now(), 'sandbox' from generate_series(1, 1000) i`.execute(
      transaction,
    );
    const first = sql<{ file: string }>`select pg_relation_filepath('before.usage_record') as file`;
    const { rows: before } = await first.execute(transaction);
    await usagePartitions.up(transaction);
    const { rows: counted } = await sql<{ count: number; file: string }>`
      select count(*)::int as count, pg_relation_filepath('before.usage_record_first') as file from usage_record`.execute(
      transaction,
    );
    expect(counted).toEqual([{ count: 1_000, file: before[0]?.file }]);
    await sql`set local search_path to public; drop schema before cascade`.execute(transaction);
  });

  const early = await record(month(2));
  expect(await readPartition(early)).toBe("usage_record_other");
  await Promise.all([makeUsagePartitions(opened.db, NOW), makeUsagePartitions(opened.db, NOW)]);
  expect(await readPartition(early)).toBe(partitionName(month(2)));
  expect(await readPartition(await record(NOW))).toBe("usage_record_first");
  expect(await readPartition(await record(month(1)))).toBe(partitionName(month(1)));
  // A call is not paid twice.
  const again = "insert into usage_record select * from usage_record where id = $1";
  await expect(opened.pool.query(again, [early])).rejects.toMatchObject({ code: "23505" });
});

test("they are summed by hour and by day, including late ones, and the sums match the records", async () => {
  const now = month(3);
  await makeUsagePartitions(opened.db, now);
  for (const minutes of [1, 2, 70])
    await record(now.subtract({ minutes }), { tool: minutes === 2 ? "other" : "probe" });
  await sum(now);
  await record(now.subtract({ minutes: 3 }));
  await sum(now.add({ minutes: 1 }));
  const sums = createUsageSums(opened.db);
  const by = async (unit: "hour" | "day", tool?: string) => {
    const page = { by: unit, tool, before: undefined, limit: 2 };
    return (await sums.list("tenant_1", "sandbox", page)).map(({ calls, priceMicro }) => [calls, priceMicro]);
  };
  expect(await by("hour")).toEqual([
    [3n, 1_050n],
    [1n, 350n],
  ]);
  expect((await by("day"))[0]).toEqual([4n, 1_400n]);
  expect(await by("hour", "other")).toEqual([[1n, 350n]]);
  const { rows } = await opened.pool.query(
    `select (select sum(calls)::int from usage_hour) = count(*) and (select sum(price_micro) from usage_day) = sum(price_micro) as agree
     from usage_record where tenant_id = 'tenant_1'`,
  );
  expect(rows).toEqual([{ agree: true }]);
  expect(
    await sums.list("tenant_1", "production", { by: "day", tool: undefined, before: undefined, limit: 5 }),
  ).toEqual([]);
});

test("by key and by caller they are the same as the records, from whichever hour on", async () => {
  const now = month(3).add({ hours: 7, minutes: 20 });
  // Whole days, parts of days, and hours that are not summed yet.
  for (let hours = 0; hours < 90; hours += 7) {
    const id = await record(now.subtract({ hours, minutes: 1 }));
    const even = hours % 2 === 0;
    await opened.pool.query(
      "update usage_record set tenant_id = 'tenant_2', key_id = $2, subject = $3, price_micro = $4 where id = $1",
      [id, hours === 21 ? null : even ? "key_even" : "key_odd", even ? "user_ada" : "svc:key_odd", hours + 1],
    );
  }
  // Summed again from the first of them on.
  await opened.pool.query("update usage_summed set until = $1", [now.subtract({ hours: 95 }).toString()]);
  await sum(now.subtract({ hours: 4 }));
  const payers = createPayerSums(opened.db);
  const floor = (at: Temporal.Instant) => at.round({ smallestUnit: "hour", roundingMode: "floor" });
  for (const hours of [1, 5, 12, 25, 40, 61, 94]) {
    const since = now.subtract({ hours });
    for (const [by, column] of [
      ["key", "key_id"],
      ["person", "subject"],
    ] as const) {
      const { rows } = await opened.pool.query(
        `select ${column} as name, count(*)::text as calls, sum(price_micro)::text as price from usage_record
         where tenant_id = 'tenant_2' and created_at >= $1 group by 1 order by sum(price_micro) desc, 1`,
        [floor(since).toString()],
      );
      const groups = await payers.group("tenant_2", "sandbox", { by, since, groups: 10 });
      const found = groups?.map(({ name, calls, priceMicro }) => ({ name, calls: `${calls}`, price: `${priceMicro}` }));
      expect(found, `${by} of ${hours} hours`).toEqual(rows);
    }
  }
  // Earlier records were summed by tool only.
  await opened.pool.query("update usage_summed set payers_since = $1", [floor(now.subtract({ hours: 50 })).toString()]);
  const group = (hours: number) =>
    payers.group("tenant_2", "sandbox", { by: "key", since: now.subtract({ hours }), groups: 10 });
  expect(await group(49)).toBeDefined();
  expect(await group(52)).toBeUndefined();
  await opened.pool.query("update usage_summed set payers_since = null");
  // Only as long as anybody can ask for them.
  await sum(now.add({ hours: 24 * 100 }));
  const { rows: left } = await opened.pool.query("select 1 from usage_payer_hour where tenant_id = 'tenant_2'");
  expect(left).toEqual([]);
});

test("old ones are exported completely and removed with their month; unpaid or unsummed ones stay", async () => {
  const unpaid = await record(month(1), { status: "unsettled" });
  const options = { db: opened.db, exportDir, log: silentLog };
  const before = await idsLeft();
  await retireUsagePartitions({ ...options, now: month(3), keepMonths: 0 });
  await retireUsagePartitions({ ...options, now: month(3), keepMonths: 3 });
  expect(await idsLeft()).toEqual(before);

  await retireUsagePartitions({ ...options, now: month(3), keepMonths: 1 });
  expect(readdirSync(exportDir)).toEqual(["usage_record_first.jsonl.gz"]);
  const left = await idsLeft();
  const lines = gunzipSync(readFileSync(join(exportDir, "usage_record_first.jsonl.gz")))
    .toString()
    .trim()
    .split("\n");
  const written: { id: string }[] = lines.map((line) => JSON.parse(line));
  expect([...written.map(({ id }) => ({ id })), ...left]).toEqual(before);
  expect(written.length).toBeGreaterThan(0);
  expect(left[0]?.id.slice(0, 9)).toBe(unpaid.slice(0, 9));

  await opened.pool.query("update usage_record set status = 'settled' where id = $1", [unpaid]);
  // Sums reach only to the month before this one.
  await opened.pool.query("update usage_summed set until = $1", [month(1).toString()]);
  await retireUsagePartitions({ ...options, now: month(3), keepMonths: 1 });
  expect(await idsLeft()).toEqual(left);
  await sum(month(3));
  await retireUsagePartitions({ ...options, now: month(3), keepMonths: 1 });
  expect(await readPartition(unpaid)).toBeUndefined();
  expect((await idsLeft()).length).toBeLessThan(left.length);
  expect(
    await createUsageSums(opened.db).list("tenant_1", "sandbox", {
      by: "day",
      tool: undefined,
      before: month(2),
      limit: 5,
    }),
  ).not.toEqual([]);
});
