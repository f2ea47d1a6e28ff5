import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fill, findGrowing, measureStatements } from "../../bench/support/growth.ts";
import { type OpenDatabase, openDatabase } from "../src/platform/database/database.ts";
import { createMigratedDatabase, type TestDatabase } from "./support/test-database.ts";

const SIZE = { usage: 20_000, calls: 4_000, transactions: 4_000 };

let database: TestDatabase;
let opened: OpenDatabase;
let watcher: pg.Client;
beforeAll(async () => {
  database = await createMigratedDatabase();
  opened = openDatabase(database.url, { poolSize: 1, onError: () => undefined });
  watcher = new pg.Client({ connectionString: database.url });
  await watcher.connect();
  await fill(watcher, SIZE);
});
afterAll(async () => {
  await watcher?.end();
  await opened?.close();
  await database?.drop();
});

test("what callers and jobs ask for reads no more when tables have grown", async () => {
  expect(findGrowing(await measureStatements(opened, watcher))).toEqual([]);
});

test("without their indexes they do", async () => {
  await watcher.query("drop index usage_record_of_tool, chain_transaction_earlier, call_reserved");
  const growing = findGrowing(await measureStatements(opened, watcher)).map(({ name }) => name);
  expect(growing).toEqual(expect.arrayContaining(["list usage of one tool", "known hashes", "sweep of calls"]));
});
