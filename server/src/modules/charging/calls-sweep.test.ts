import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../../test/support/identity.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { newId } from "../../domain/ids.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { systemClock } from "../../ports/clock.ts";
import { createCalls } from "./store-calls.ts";
import { sweepAbandonedCalls } from "./sweep-calls.ts";

let testDatabase: TestDatabase;
let database: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = openDatabase(testDatabase.url, { poolSize: 1, onError: () => undefined });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
// In one transaction on the only connection, where now() stands still however long a test takes.
beforeEach(async () => {
  await database.pool.query("begin");
});
afterEach(async () => {
  await database.pool.query("rollback");
});

const now = () => systemClock.now();

/** A process that runs a call with an idempotency key. */
async function startCall(processId: string): Promise<void> {
  const calls = createCalls(database.pool);
  await calls.heartbeat(processId);
  const identity = {
    tenantId: "tenant_1",
    environment: "sandbox",
    subject: "user_1",
    tool: "find_airports_nearby",
    key: "key",
  } as const;
  await calls.claim(identity, "hash", newId("call_", now().epochMilliseconds), processId, now());
}

/** Ages a process: it was first and last seen this much earlier. */
async function age(processId: string, seconds: { seen: number; started: number }): Promise<void> {
  await database.pool.query(
    `update service_process set seen_at = seen_at - make_interval(secs => $2),
       started_at = started_at - make_interval(secs => $3) where id = $1`,
    [processId, seconds.seen, seconds.started],
  );
}

async function sweepAs(processId: string): Promise<pg.QueryResult["rowCount"]> {
  const calls = createCalls(database.pool);
  await calls.heartbeat(processId);
  await sweepAbandonedCalls({ calls, processId, clock: systemClock, log: silentLog });
  return (await database.pool.query("select 1 from idempotency where state = 'running'")).rowCount;
}

test("the key of a dead process is released by one that was alive throughout", async () => {
  await startCall("proc_dead");
  await createCalls(database.pool).heartbeat("proc_living");
  await age("proc_dead", { seen: 20, started: 60 });
  await age("proc_living", { seen: 1, started: 60 });
  expect(await sweepAs("proc_living")).toBe(0);
});

test("a live process keeps its key", async () => {
  await startCall("proc_busy");
  await createCalls(database.pool).heartbeat("proc_living");
  await age("proc_busy", { seen: 1, started: 60 });
  await age("proc_living", { seen: 1, started: 60 });
  expect(await sweepAs("proc_living")).toBe(1);
});

// Otherwise the key is deleted while its call still runs, and the same key is charged twice.
test("after a database outage, the first process to return does not declare the others dead", async () => {
  await startCall("proc_slow_to_return");
  await createCalls(database.pool).heartbeat("proc_first_back");
  for (const process of ["proc_slow_to_return", "proc_first_back"]) await age(process, { seen: 20, started: 60 });
  expect(await sweepAs("proc_first_back")).toBe(1);
  await age("proc_first_back", { seen: 1, started: 7 });
  expect(await sweepAs("proc_first_back")).toBe(0);
});

test("a new process waits before it declares others dead", async () => {
  await startCall("proc_dead");
  await age("proc_dead", { seen: 20, started: 60 });
  expect(await sweepAs("proc_new")).toBe(1);
  await age("proc_new", { seen: 1, started: 7 });
  expect(await sweepAs("proc_new")).toBe(0);
});
