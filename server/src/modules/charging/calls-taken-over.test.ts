import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../../test/support/identity.ts";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { newId } from "../../domain/ids.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { systemClock } from "../../ports/clock.ts";
import type { Calls } from "./calls.ts";
import { ChargeByKey } from "./charge-by-key.ts";
import { createCalls } from "./store-calls.ts";
import { sweepAbandonedCalls } from "./sweep-calls.ts";

let testDatabase: TestDatabase;
let database: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = openDatabase(testDatabase.url, { poolSize: 8, onError: () => undefined });
  await database.pool.query(
    `insert into tenant (id, name, plan, monthly_cap_micro, signing_secret, created_at)
     values ('tenant_1', 'One', 'free', 1000000, 'secret', now())`,
  );
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  await database.pool.query(
    "delete from service_process; delete from idempotency; delete from call; delete from usage_record; delete from tenant_spend",
  );
});

class Away extends Error {}
const { tools } = createProbes();

/** The charging side of a service process. */
function openProcess(processId: string, change: Partial<Calls> = {}) {
  return new ChargeByKey({
    calls: { ...createCalls(database.pool), ...change },
    // The gates of these tests reserve nothing.
    stores: { transaction: () => Promise.reject(new Error("nobody asks for a transaction")) },
    processId,
    clock: systemClock,
    isTransient: (error) => error instanceof Away,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    retryMilliseconds: 1,
    onLooseEnd: (error) => {
      throw error;
    },
  });
}

function newCall(toolName: string, idempotencyKey: string | undefined): PendingCall {
  const tool = tools.find(({ name }) => name === toolName);
  if (tool === undefined) throw new Error(`no tool ${toolName}`);
  const startedAt = systemClock.now();
  return {
    id: newId("call_", startedAt.epochMilliseconds),
    traceId: "trace",
    surface: "test",
    tool,
    tenantId: "tenant_1",
    keyId: "key_1",
    subject: "user_1",
    travelerId: "user_1",
    environment: "sandbox",
    paidBy: "tenant",
    listPrice: tool.price,
    discountPercent: 0,
    price: tool.price,
    startedAt,
    idempotencyKey,
    args: {},
  };
}

/** `processId` was silent for a while, and another process that was alive throughout takes over its calls. */
async function sweepAfterSilence(processId: string): Promise<void> {
  const calls = createCalls(database.pool);
  for (const id of [processId, "proc_living"]) await calls.heartbeat(id);
  const age = `update service_process set started_at = now() - interval '60 s', seen_at = now() - make_interval(secs => $2)
    where id = $1`;
  await database.pool.query(age, [processId, 20]);
  await database.pool.query(age, ["proc_living", 1]);
  await sweepAbandonedCalls({ calls, processId: "proc_living", clock: systemClock, log: silentLog });
}

async function books() {
  const { rows } = await database.pool.query<{ spent: bigint | null; records: bigint; ids: string[]; keys: string[] }>(
    `select (select spent_micro from tenant_spend) as spent,
       (select coalesce(sum(price_micro), 0)::bigint from usage_record) as records,
       (select coalesce(array_agg(id), '{}') from usage_record) as ids,
       (select coalesce(array_agg(state || ' ' || coalesce(usage_id, '-')), '{}') from idempotency) as keys`,
  );
  return rows[0];
}

test.each(["probe_read", "probe_write"])(
  "%s of a process that was taken for dead is not charged beside the call that has its key now",
  async (toolName) => {
    const [frozen, living] = [openProcess("proc_frozen"), openProcess("proc_living")];
    const [first, second] = [newCall(toolName, "key"), newCall(toolName, "key")];
    expect(await frozen.reserve(first)).toEqual({ kind: "run" });
    await sweepAfterSilence("proc_frozen");
    expect(await living.reserve(second)).toEqual({ kind: "run" });
    const paid = await living.capture(second, { text: "second" }, 1);
    // A write has had its effect and answers; a read has none, and its caller sends it again.
    const late = await frozen.capture(first, { text: "first" }, 1).catch((error: { code?: unknown }) => error.code);
    expect(late).toEqual(toolName === "probe_read" ? "in_progress" : { usageId: undefined, price: 0n, replayed: true });
    const { price } = first;
    expect(await books()).toEqual({
      spent: price,
      records: price,
      ids: [paid.usageId],
      keys: [`done ${paid.usageId}`],
    });
  },
);

test("a write that was swept while it ran is charged if no other call has its key", async () => {
  for (const key of ["key", undefined]) {
    const process = openProcess("proc_frozen");
    const call = newCall("probe_write", key);
    await process.reserve(call);
    await sweepAfterSilence("proc_frozen");
    expect((await books())?.spent).toBe(key === undefined ? 5_000n : 0n);
    const paid = await process.capture(call, { text: "late" }, 1);
    expect((await books())?.ids).toContain(paid.usageId);
  }
  expect(await books()).toMatchObject({ spent: 10_000n, records: 10_000n });
});

test.each(["probe_read", "probe_write"])(
  "of two calls of %s that take the same new key at once, one is charged",
  async (toolName) => {
    const processes = [openProcess("proc_1"), openProcess("proc_2")];
    const outcomes = await Promise.all(
      processes.map(async (process) => {
        const call = { ...newCall(toolName, "key"), isKeyNew: true };
        try {
          const reserved = await process.reserve(call);
          return reserved.kind === "replay" ? reserved.receipt : await process.capture(call, { text: "done" }, 1);
        } catch {
          return undefined;
        }
      }),
    );
    const paidUnder = new Set(outcomes.flatMap((outcome) => outcome?.usageId ?? []));
    expect(paidUnder.size).toBe(1);
    const price = newCall(toolName, "key").price;
    const [usageId] = paidUnder;
    expect(await books()).toEqual({ spent: price, records: price, ids: [usageId], keys: [`done ${usageId}`] });
  },
);

test("a read with a new key is charged once beside a call that has the key, and refused without it at the cap", async () => {
  const process = openProcess("proc_1");
  const [holder, early, late] = [1, 2, 3].map(() => newCall("probe_read", "key"));
  if (holder === undefined || early === undefined || late === undefined) throw new Error("three calls");
  await process.reserve(holder);
  early.isKeyNew = true;
  await process.reserve(early);
  await expect(process.capture(early, {}, 1)).rejects.toMatchObject({ code: "in_progress" });
  const { usageId } = await process.capture(holder, {}, 1);
  late.isKeyNew = true;
  await process.reserve(late);
  expect(await process.capture(late, {}, 1)).toMatchObject({ usageId, replayed: true });
  expect(await books()).toMatchObject({ records: holder.price, keys: [`done ${usageId}`] });

  const dear = { ...newCall("probe_read", "other key"), isKeyNew: true, price: 2_000_000n };
  const other = openProcess("proc_2", { room: async () => dear.price });
  await other.reserve(dear);
  await expect(other.capture(dear, {}, 1)).rejects.toMatchObject({ code: "spend_cap_exceeded" });
  expect(await books()).toMatchObject({ records: holder.price, keys: [`done ${usageId}`] });
});

test("a call captured by a sweep answers with the sweep's record, and keeps its stored outcome", async () => {
  for (const end of ["captures", "releases"] as const) {
    const process = openProcess("proc_frozen");
    const call = newCall("probe_write", `key ${end}`);
    await process.reserve(call);
    await database.pool.query(`update call set effect = 'done', result = '{"text":"swept"}' where id = $1`, [call.id]);
    await sweepAfterSilence("proc_frozen");
    const before = await books();
    if (end === "captures") {
      const settled = await process.capture(call, { text: "late" }, 1);
      expect(before?.ids).toContain(settled.usageId);
    } else await process.release(call, { ok: false, code: "outcome_unknown" }, false);
    expect(await books()).toEqual(before);
    expect(await process.reserve(newCall("probe_write", `key ${end}`))).toMatchObject({
      kind: "replay",
      outcome: { ok: true, result: { text: "swept" } },
    });
  }
});

/** The periodic work of every living process. */
async function sweep(): Promise<void> {
  const calls = createCalls(database.pool);
  await calls.heartbeat("proc_living");
  await sweepAbandonedCalls({ calls, processId: "proc_living", clock: systemClock, log: silentLog });
}

test.each([
  ["done", { spent: 5_000n, records: 5_000n }, { kind: "replay", outcome: { ok: true, result: { text: "at last" } } }],
  ["failed", { spent: 0n, records: 0n }, { kind: "run" }],
])("a call that failed while its effect was open keeps its key until that is %s", async (end, money, repeated) => {
  for (const final of [false, true]) {
    const process = openProcess("proc_living");
    const key = `key ${final}`;
    const call = newCall("probe_write", key);
    await process.reserve(call);
    await database.pool.query("update call set effect = 'open' where id = $1", [call.id]);
    await process.release(call, { ok: false, code: "unavailable" }, final);
    await sweep();
    await expect(process.reserve(newCall("probe_write", key))).rejects.toMatchObject({ code: "in_progress" });
    await database.pool.query(`update call set effect = $2, result = '{"text":"at last"}' where id = $1`, [
      call.id,
      end,
    ]);
    await sweep();
    expect((await books())?.spent).toBe(final ? money.spent * 2n : money.spent);
    expect((await books())?.records).toBe(final ? money.records * 2n : money.records);
    const again = newCall("probe_write", key);
    expect(await process.reserve(again)).toMatchObject(repeated);
    if (repeated.kind === "run") await process.release(again, { ok: false, code: "no_offers" }, false);
  }
});

test("a call that failed after its effect was done is captured", async () => {
  const process = openProcess("proc_living");
  const call = newCall("probe_write", undefined);
  await process.reserve(call);
  await database.pool.query(`update call set effect = 'done', result = '{"text":"done"}' where id = $1`, [call.id]);
  await process.release(call, { ok: false, code: "tool_failed" }, false);
  await sweep();
  expect(await books()).toMatchObject({ spent: 5_000n, records: 5_000n });
});

test("a batch repeated while its first attempt still runs is granted and counted once", async () => {
  const calls = createCalls(database.pool);
  const line = { ...newCall("probe_write", undefined), callId: null, tool: "probe_write", period: "2026-11" };
  const lines = [
    {
      ...line,
      environment: "sandbox",
      usageStatus: "sandbox",
      idempotencyKey: null,
      requestHash: null,
      latencyMs: 1,
      at: line.startedAt,
      rulesVersion: null,
    } as const,
  ];
  for (const [index, send] of [
    (some: typeof lines) => calls.charge(some, "proc_1"),
    (some: typeof lines) => calls.reserve(some, "proc_1"),
  ].entries()) {
    const blocker = await database.pool.connect();
    await calls.charge([], "proc_1");
    await database.pool.query(
      "insert into tenant_spend (tenant_id, network, period) values ('tenant_1', 'sandbox', '2026-11') on conflict do nothing",
    );
    await blocker.query("begin");
    await blocker.query("select 1 from tenant_spend for update");
    const sendings = [send(lines), send(lines)];
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(2);
    await blocker.query("commit");
    blocker.release();
    expect(await Promise.all(sendings)).toEqual([[true], [true]]);
    expect((await books())?.spent).toBe(5_000n * BigInt(index + 1));
  }
});

test.each(["reserve", "charge", "closeClaim", "takeOver"] as const)(
  "a key is free again after an outage that outlasts every patience and begins with %s",
  async (statement) => {
    let sendingsLost = 0;
    const lose = async (): Promise<never> => {
      sendingsLost += 1;
      throw new Away();
    };
    const calls = createCalls(database.pool);
    const whileAway =
      <Arguments extends unknown[], Result>(work: (...given: Arguments) => Promise<Result>) =>
      (...given: Arguments): Promise<Result> =>
        away ? lose() : work(...given);
    let away = false;
    const process = openProcess("proc_1", {
      reserve: whileAway(calls.reserve),
      charge: whileAway(calls.charge),
      settle: whileAway(calls.settle),
      closeClaim: whileAway(calls.closeClaim),
      takeOver: whileAway(calls.takeOver),
    });
    const writes = statement === "reserve" || statement === "takeOver";
    const call = newCall(writes ? "probe_write" : "probe_read", "key");
    const unavailable = { code: "unavailable" };
    if (statement === "reserve") away = true;
    const reserved = process.reserve(call);
    if (statement === "reserve") await expect(reserved).rejects.toMatchObject(unavailable);
    else await reserved;
    away = true;
    if (statement === "charge") await expect(process.capture(call, {}, 1)).rejects.toMatchObject(unavailable);
    if (statement === "takeOver")
      await expect(process.capture(call, {}, 1, "call_0")).rejects.toMatchObject(unavailable);
    if (statement === "closeClaim") {
      await expect(process.release(call, { ok: false, code: "x" }, true)).rejects.toMatchObject(unavailable);
    }
    const lost = sendingsLost;
    await expect.poll(() => sendingsLost > lost + 20).toBe(true);
    away = false;
    await expect.poll(books).toMatchObject({ records: 0n, keys: [] });
    await expect.poll(async () => (await books())?.spent ?? 0n).toBe(0n);
  },
);
