import pg from "pg";
import { expect, test } from "vitest";
import { startTestService } from "../../../test/support/service.ts";

/** Longer than it takes to end a wait, and shorter than the wait that is asked for. */
const DRAIN_MILLISECONDS = 20_000;

test("waits for events are answered when the service begins to stop, and leave no failure behind", async () => {
  const lines: string[] = [];
  const logTo = { write: (line: string) => lines.push(line) };
  const service = await startTestService({ LOG_LEVEL: "error" }, { logTo, drainMilliseconds: DRAIN_MILLISECONDS });
  await service.isFunded(service.tenantId);
  // Its first read waits for the table, so the request is known to have come.
  const locking = new pg.Client(service.config.databaseUrl);
  await locking.connect();
  await locking.query("begin");
  await locking.query("lock table tenant_event in access exclusive mode");
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const waiting = service.send("/api/events?wait=25&after=81230-17&types=none.such", { headers });
  const reads = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%as cursor from tenant_event%'`;
  await expect.poll(async () => (await service.sql(reads))[0]?.count, { timeout: 20_000 }).toBe(1);
  await locking.query("rollback");
  await locking.end();
  const [{ status, body }] = await Promise.all([waiting, service[Symbol.asyncDispose]()]);
  expect([status, body]).toEqual([200, { events: [], cursor: "81230-17" }]);
  expect(lines).toEqual([]);
}, 60_000);
