import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { type OpenDatabase, openDatabase } from "./database.ts";
import { makeIndexes } from "./indexes.ts";

let database: TestDatabase;
let opened: OpenDatabase;
let writer: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  opened = openDatabase(database.url, { poolSize: 3, onError: () => undefined });
  writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
  await writer.query("create table grown (id integer, name text)");
  await writer.query("insert into grown values (1, 'one'), (1, 'again')");
});
afterAll(async () => {
  await writer?.end();
  await opened?.close();
  await database?.drop();
});

const isValid = async (name: string): Promise<unknown> => {
  const { rows } = await writer.query<{ indisvalid: boolean }>(
    "select indisvalid from pg_index where indexrelid = to_regclass($1)",
    [name],
  );
  return rows[0]?.indisvalid;
};

/** Until the index build waits for the writer's transaction. */
async function untilItWaits(name: string): Promise<void> {
  for (;;) {
    const { rowCount } = await opened.pool.query(
      "select 1 from pg_locks join pg_stat_activity using (pid) where not granted and query like $1",
      [`create index%${name}%`],
    );
    if ((rowCount ?? 0) > 0) return;
  }
}

test("an index is built while others write", async () => {
  await writer.query("begin");
  await writer.query("insert into grown values (2, 'two')");
  const making = makeIndexes(opened, { grown_name: "on grown (name)" });
  await untilItWaits("grown_name");
  // With an index build that locks writers, this insert would wait for the one before it, and that one forever.
  await opened.pool.query("insert into grown values (3, 'three')");
  await writer.query("commit");
  await making;
  expect(await isValid("grown_name")).toBe(true);
});

test("an interrupted index is built again, and an existing one is left alone", async () => {
  await expect(opened.pool.query("create unique index concurrently grown_id on grown (id)")).rejects.toThrow("unique");
  expect(await isValid("grown_id")).toBe(false);
  await makeIndexes(opened, { grown_id: "on grown (id)", grown_name: "on grown (id, name)" });
  expect(await isValid("grown_id")).toBe(true);
  const { rows } = await opened.pool.query<{ definition: string }>(
    "select pg_get_indexdef(to_regclass('grown_name')) as definition",
  );
  expect(rows[0]?.definition).toContain("(name)");
});

test("an index of a partitioned table is built while others write, also covers later partitions, and replaces an earlier one", async () => {
  await writer.query(`
    create table parted (id integer, name text) partition by range (id);
    create table parted_a partition of parted for values from (0) to (10);
    create table parted_b partition of parted default;
    create index parted_before on parted (name desc);
    insert into parted values (1, 'one'), (20, 'twenty')`);
  // A process that is still running keeps the earlier index for now.
  const reader = await opened.pool.connect();
  await reader.query("begin");
  await reader.query("select from parted limit 1");
  await writer.query("begin");
  await writer.query("insert into parted values (2, 'two')");
  const making = makeIndexes(opened, { parted_by_name: "on parted (name, id)" }, ["parted_before"]);
  await untilItWaits("parted_a_by_name");
  await opened.pool.query("insert into parted values (3, 'three'), (21, 'more')");
  await writer.query("commit");
  await making;
  expect([await isValid("parted_by_name"), await isValid("parted_before")]).toEqual([true, true]);
  await reader.query("commit");
  reader.release();
  await makeIndexes(opened, { parted_by_name: "on parted (name, id)" }, ["parted_before"]);
  expect(await isValid("parted_before")).toBeUndefined();
  await writer.query("create table parted_c partition of parted for values from (10) to (15)");
  const { rows } = await writer.query("select indexname from pg_indexes where tablename like 'parted\\__' order by 1");
  expect(rows.map(({ indexname }) => indexname)).toEqual([
    "parted_a_by_name",
    "parted_b_by_name",
    "parted_c_name_id_idx",
  ]);
});
