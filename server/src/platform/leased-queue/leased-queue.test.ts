import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createManualClock } from "../../../test/support/identity.ts";
import { createTestDatabase } from "../../../test/support/test-database.ts";
import { openDatabase } from "../database/database.ts";
import { backOff } from "./back-off.ts";
import { takeDueRows, takeRows } from "./take-rows.ts";
import { createWorkerLeases } from "./worker-leases.ts";

interface Job {
  id: string;
  state: string;
}

const STALE_SECONDS = 10;
const ROWS = 30;
const at = (second: number): string => `2030-01-01T00:00:${String(second).padStart(2, "0")}Z`;

let opened: ReturnType<typeof openDatabase>;
let drop: () => Promise<void>;
let clock: ReturnType<typeof createManualClock>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  opened = openDatabase(database.url, { poolSize: 8, onError: () => undefined });
  await sql`
    create table job (
      id text primary key, state text not null default 'open', kind text not null default 'job', worker_id text, worker_seen_at timestamptz,
      quiet_until timestamptz, next_at timestamptz, created_at timestamptz not null, updated_at timestamptz
    )`.execute(opened.db);
});

afterAll(async () => {
  await opened.close();
  await drop();
});

beforeEach(async () => {
  clock = createManualClock();
  await sql`truncate job`.execute(opened.db);
  for (let second = 0; second < ROWS; second += 1) {
    const id = `job_${String(second).padStart(2, "0")}`;
    await sql`insert into job (id, created_at, next_at) values (${id}, ${at(second)}, ${at(second)})`.execute(
      opened.db,
    );
  }
});

const leases = () =>
  createWorkerLeases<Job, string>(opened.db, clock, {
    name: "job",
    open: { in: ["open"] },
    sending: ["sending"],
    toRecord: ({ id }: Job) => id,
  });

test("concurrent workers lease different rows, oldest first, and never more than the limit", async () => {
  const taken = await Promise.all(["a", "b", "c", "d"].map((worker) => leases().claimStale(worker, STALE_SECONDS, 5)));
  expect(taken.map((ids) => ids.length)).toEqual([5, 5, 5, 5]);
  expect(new Set(taken.flat()).size).toBe(20);
  expect([...taken.flat()].sort().at(-1)).toBe("job_19");
});

test("a leased row belongs to its worker until that has been silent for long enough", async () => {
  const [id = ""] = await leases().claimStale("a", STALE_SECONDS, 1);
  expect(await leases().claimStale("b", STALE_SECONDS, ROWS)).not.toContain(id);
  clock.advance({ seconds: STALE_SECONDS - 1 });
  expect(await leases().touch(id, "a")).toBe(true);
  clock.advance({ seconds: STALE_SECONDS - 1 });
  expect(await leases().claimStale("c", STALE_SECONDS, ROWS)).not.toContain(id);
  clock.advance({ seconds: 2 });
  expect(await leases().claimStale("c", STALE_SECONDS, ROWS)).toContain(id);
  expect(await leases().touch(id, "a")).toBe(false);
  expect(await leases().leave(id, "a", clock.now())).toBe(false);
});

test("a row that was put back is leased after its quiet time, or as soon as it is woken", async () => {
  const [first = "", second = ""] = await leases().claimStale("a", STALE_SECONDS, 2);
  const later = clock.now().add({ seconds: 60 });
  for (const id of [first, second]) expect(await leases().leave(id, "a", later)).toBe(true);
  expect(await leases().wake(second)).toBe(true);
  expect(await leases().claimStale("b", STALE_SECONDS, 1)).toEqual([second]);
  clock.advance({ seconds: 60 });
  expect(await leases().claimStale("b", STALE_SECONDS, 1)).toEqual([first]);
});

test("while a request may have been sent, a heartbeat moves the quiet time", async () => {
  const [id = ""] = await leases().claimStale("a", STALE_SECONDS, 1);
  const quietUntil = clock.now().add({ seconds: 30 });
  const readQuiet = async () =>
    (
      await sql<{ quietUntil: Temporal.Instant | null }>`select quiet_until from job where id = ${id}`.execute(
        opened.db,
      )
    ).rows[0]?.quietUntil;
  await leases().touch(id, "a", quietUntil);
  expect(await readQuiet()).toBeNull();
  await sql`update job set state = 'sending' where id = ${id}`.execute(opened.db);
  await leases().touch(id, "a", quietUntil);
  expect(`${await readQuiet()}`).toBe(`${quietUntil}`);
});

test("rows leased for a time are due again afterwards", async () => {
  const take = (now: Temporal.Instant) =>
    takeDueRows<Job>(opened.db, {
      table: "job",
      key: ["id"],
      due: "next_at",
      at: now,
      until: now.add({ seconds: 60 }),
      limit: 20,
      where: sql`state = 'open'`,
      returning: ["id"],
    });
  const now = Temporal.Instant.from(at(ROWS));
  const [one, other] = await Promise.all([take(now), take(now)]);
  expect(new Set([...one, ...other].map(({ id }) => id)).size).toBe(ROWS);
  expect(await take(now.add({ seconds: 59 }))).toEqual([]);
  expect(await take(now.add({ seconds: 60 }))).toHaveLength(20);
});

test("a key of several columns names a row", async () => {
  const taken = await takeRows<Job>(opened.db, {
    table: "job",
    key: ["kind", "id"],
    orderBy: "id",
    limit: 3,
    returning: ["id", "state"],
    where: sql`state = 'open'`,
    set: sql`state = 'done'`,
  });
  expect(taken.map(({ id }) => id).sort()).toEqual(["job_00", "job_01", "job_02"]);
  expect(taken.every(({ state }) => state === "done")).toBe(true);
});

test("each further attempt waits twice as long, up to a limit", () => {
  const waits = [0, 1, 2, 3, 4, 5].map((attempts) =>
    backOff(attempts, { firstMilliseconds: 1_000, longestMilliseconds: 6_000 }),
  );
  expect(waits).toEqual([1_000, 1_000, 2_000, 4_000, 6_000, 6_000]);
});
