import { afterAll, beforeAll, expect, test } from "vitest";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { newId } from "../../domain/ids.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { isDatabaseAway } from "../../platform/database/transient.ts";
import { systemClock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { ChargeLine, Settlement } from "./calls.ts";
import { createCalls } from "./store-calls.ts";

const CALLERS = 16;
const TURNS = 5;
const TENANTS = ["tenant_1", "tenant_2", "tenant_3"];
/** A tenant whose rules never changed has version 0. */
const STALE = 7;
/** Reached long before the last round. */
const CAP = 100_000n;

let testDatabase: TestDatabase;
let processes: ReturnType<typeof openDatabase>[];
let watcher: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  // A caller that waits behind all others for one of few connections waits as long as it takes.
  const options = { onError: () => undefined, connectionPatienceMilliseconds: 120_000 };
  const open = (poolSize: number) => openDatabase(testDatabase.url, { ...options, poolSize });
  watcher = open(1);
  processes = [open(8), open(8)];
  await watcher.pool.query(
    `insert into tenant (id, name, plan, monthly_cap_micro, signing_secret, created_at)
     select id, id, 'free', $2, 'secret', now() from unnest($1::text[]) as id`,
    [TENANTS, CAP],
  );
});
afterAll(async () => {
  for (const database of [...processes, watcher]) await database.close();
  await testDatabase.drop();
});

/** Every run makes the same choices; their interleaving is left to the two processes. */
function createChooser(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return {
    below,
    pickOne: <Choice>(first: Choice, ...rest: Choice[]): Choice => rest[below(rest.length + 1)] ?? first,
  };
}
type Chooser = ReturnType<typeof createChooser>;

function newLine({ pickOne }: Chooser): ChargeLine {
  const at = systemClock.now();
  const face = { callId: null, keyId: "key_1", subject: "user_1", tool: "probe", surface: "test", traceId: "trace" };
  const price = pickOne(0n, 500n, 1_400n, 5_000n, 20_000n);
  const bill = { listPrice: price, discountPercent: 0, price, usageStatus: "sandbox" } as const;
  const id = newId("x_", at.epochMilliseconds);
  const environment = pickOne<Environment>("sandbox", "production");
  const where = {
    tenantId: pickOne("tenant_1", "tenant_2", "tenant_3"),
    environment,
    period: pickOne("2026-11", "2026-12"),
  };
  const rulesVersion = pickOne(null, null, 0, STALE);
  return { ...face, ...bill, ...where, id, idempotencyKey: null, requestHash: null, latencyMs: 1, at, rulesVersion };
}

/** Recorded and reserved spend at this moment never exceeds the cap. */
async function expectBooksToAgree(): Promise<void> {
  const { rows } = await watcher.pool.query<{ spent: string; should: string; most: bigint }>(
    `select tenant_id, sum(spent_micro)::text as spent, max(spent_micro) as most,
       ((select coalesce(sum(price_micro), 0) from usage_record record
           where (record.tenant_id, record.network) = (spend.tenant_id, spend.network))
       + (select coalesce(sum(price_micro), 0) from call
           where (call.tenant_id, call.network) = (spend.tenant_id, spend.network) and state = 'reserved'))::text
       as should
     from tenant_spend spend group by tenant_id, network`,
  );
  expect(rows.map(({ spent }) => spent)).toEqual(rows.map(({ should }) => should));
  for (const { most } of rows) expect(most).toBeLessThanOrEqual(CAP);
}

test("two processes that charge, reserve and settle the same tenants at once keep consistent records at every moment", async () => {
  const reserved: string[] = [];
  const refusals = { charge: 0, reserve: 0 };

  async function act(calls: ReturnType<typeof createCalls>, rival: typeof calls, chooser: Chooser): Promise<void> {
    const lines = Array.from({ length: 1 + chooser.below(12) }, () => newLine(chooser));
    const what = chooser.below(3);
    if (what < 2) {
      const kind = what === 0 ? "charge" : "reserve";
      const send = () => (kind === "charge" ? calls.charge(lines, "proc_1") : calls.reserve(lines, "proc_1"));
      // The answer was lost, or the connection was and the first attempt still runs.
      const sendings = Array.from({ length: 1 + chooser.below(2) }, send);
      const granted = await Promise.all(sendings);
      const again = await send();
      for (const [index, { id, rulesVersion }] of lines.entries()) {
        const isGranted = granted.some((answer) => answer[index] === true);
        if (rulesVersion === STALE) expect(isGranted, "judged by other rules").toBe(false);
        if (isGranted) expect(again[index], "a grant stays one").toBe(true);
        else refusals[kind] += 1;
        if (kind === "reserve" && again[index] === true) reserved.push(id);
      }
      return;
    }
    const settlements = reserved.splice(0, 1 + chooser.below(15)).map((callId): Settlement => {
      const usageId = chooser.pickOne("use_", "use_", null);
      const at = systemClock.now();
      const id = usageId === null ? null : newId("use_", at.epochMilliseconds);
      return { callId, usageId: id, latencyMs: 1, at, idempotency: "none", outcomeText: null };
    });
    const twice = [...settlements, ...settlements.toReversed()];
    // A sweep settles the same calls in parallel with their own process.
    const [ours, theirs] = await Promise.all([calls.settle(twice), rival.settle(settlements)]);
    expect(ours.slice(0, settlements.length)).toEqual(theirs);
    expect(theirs.map((id) => id !== null)).toEqual(settlements.map(({ usageId }) => usageId !== null));
  }

  const [one, two] = processes.map(({ pool }) => createCalls(pool));
  if (one === undefined || two === undefined) throw new Error("two processes");
  let running = true;
  const storm = Promise.all(
    Array.from({ length: 2 * CALLERS }, async (_, index) => {
      const chooser = createChooser(index);
      const [own, rival] = index % 2 === 0 ? [one, two] : [two, one];
      for (let turn = 0; turn < TURNS; turn += 1) await act(own, rival, chooser);
    }),
  ).finally(() => {
    running = false;
  });
  while (running) await expectBooksToAgree();
  await storm;
  await expectBooksToAgree();
  expect(refusals.charge).toBeGreaterThan(0);
  expect(refusals.reserve).toBeGreaterThan(0);
});

test("a call judged by outdated rules is refused alone, and takes no room from the others", async () => {
  const { pool } = watcher;
  await pool.query(
    `insert into tenant (id, name, plan, monthly_cap_micro, signing_secret, created_at)
     values ('tenant_rules', 'Rules', 'free', 10000, 'secret', now())`,
  );
  const calls = createCalls(pool);
  const newRulesLine = (rulesVersion: number | null): ChargeLine => {
    const line = newLine(createChooser(1));
    return {
      ...line,
      tenantId: "tenant_rules",
      environment: "sandbox",
      period: "2026-11",
      price: 2_500n,
      rulesVersion,
    };
  };
  const send = {
    charge: (lines: readonly ChargeLine[]) => calls.charge(lines, "proc_1"),
    reserve: (lines: readonly ChargeLine[]) => calls.reserve(lines, "proc_1"),
  };
  for (const kind of ["charge", "reserve"] as const) {
    const lines = [STALE, 0, null].map(newRulesLine);
    expect(await send[kind](lines), kind).toEqual([false, true, true]);
  }
  expect(await send.reserve([newRulesLine(0)])).toEqual([false]);
  await pool.query("update tenant set rules_version = $1, monthly_cap_micro = 20000 where id = 'tenant_rules'", [
    STALE,
  ]);
  expect(await send.reserve([newRulesLine(0)])).toEqual([false]);
  expect(await send.reserve([newRulesLine(STALE)])).toEqual([true]);
});

test("captures lock their calls in one order, even where the planner would use another", async () => {
  const session = new URLSearchParams({ options: "-c timezone=UTC -c enable_nestloop=off" });
  const options = { onError: () => undefined, poolSize: 1 };
  const database = openDatabase(`${testDatabase.url}?${session}`, options);
  const calls = createCalls(database.pool);
  const at = systemClock.now();
  const chooser = createChooser(3);
  // The table holds them in this order, which is not that of their ids.
  const [later, earlier] = ["x_order_2", "x_order_1"];
  const own = { price: 0n, rulesVersion: null, environment: "sandbox" } as const;
  const lines = [later, earlier].map((id) => ({ ...newLine(chooser), ...own, id }));
  expect(await calls.reserve(lines, "proc_1")).toEqual([true, true]);
  const holder = openDatabase(testDatabase.url, options);
  const client = await holder.pool.connect();
  await client.query("begin");
  await client.query("select id from call where id = $1 for update", [earlier]);
  const settled = { latencyMs: 1, at, idempotency: "none", outcomeText: null } as const;
  const usageIds = [later, earlier].map(() => newId("use_", at.epochMilliseconds));
  const settling = calls.settle(
    [later, earlier].map((callId, index) => ({ ...settled, callId, usageId: usageIds[index] ?? null })),
  );
  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into usage_record%'`;
  const count = async () => (await watcher.pool.query<{ count: number }>(waiting)).rows[0]?.count;
  await expect.poll(count).toBe(1);
  const free = await watcher.pool.query("select id from call where id = $1 for update skip locked", [later]);
  expect(free.rowCount, "who waits for the first has not locked the second").toBe(1);
  await client.query("commit");
  client.release();
  expect(await settling).toEqual(usageIds);
  for (const opened of [database, holder]) await opened.close();
});

test("the statements of the hot path keep one plan, however many lines they get", async () => {
  const database = openDatabase(testDatabase.url, { onError: () => undefined, poolSize: 1 });
  const calls = createCalls(database.pool);
  const chooser = createChooser(2);
  const at = systemClock.now();
  for (let count = 1; count <= 12; count += 1) {
    const newLines = () =>
      Array.from({ length: count }, () => ({
        ...newLine(chooser),
        price: 0n,
        rulesVersion: null,
        environment: "sandbox" as const,
      }));
    expect(await calls.charge(newLines(), "proc_1")).not.toContain(false);
    const reserved = newLines();
    expect(await calls.reserve(reserved, "proc_1")).not.toContain(false);
    const settled = { latencyMs: 1, at, idempotency: "none", outcomeText: null } as const;
    await calls.settle(
      reserved.map(({ id }) => ({ ...settled, callId: id, usageId: newId("use_", at.epochMilliseconds) })),
    );
  }
  const { rows } = await database.pool.query<{ name: string; customPlans: string; genericPlans: string }>(
    `select name, custom_plans as "customPlans", generic_plans as "genericPlans" from pg_prepared_statements order by name`,
  );
  // The server tries five custom plans before it compares.
  const kept = { customPlans: 5n, genericPlans: 7n };
  expect(rows).toEqual(["capture-plain", "charge-plain", "reserve-plain"].map((name) => ({ name, ...kept })));
  await database.close();
});

test("a statement that timed out can be repeated, an invalid one cannot", async () => {
  const { pool } = watcher;
  const late = pool.query("set statement_timeout = 1; select pg_sleep(5)").catch((error: unknown) => error);
  expect(isDatabaseAway(await late)).toBe(true);
  await pool.query("reset statement_timeout");
  expect(isDatabaseAway(await pool.query("select wrong").catch((error: unknown) => error))).toBe(false);
});
