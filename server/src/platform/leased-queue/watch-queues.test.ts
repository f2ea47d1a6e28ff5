import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../../test/support/identity.ts";
import { createTestDatabase } from "../../../test/support/test-database.ts";
import { systemClock } from "../../ports/clock.ts";
import { openDatabase } from "../database/database.ts";
import { createNews, type News } from "../database/news.ts";
import { dueIfAny, QueueWatch } from "./watch-queues.ts";

let opened: ReturnType<typeof openDatabase>;
let databaseUrl: string;
let drop: () => Promise<void>;
const cleanUps: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const database = await createTestDatabase();
  ({ drop, url: databaseUrl } = database);
  opened = openDatabase(database.url, { poolSize: 2, onError: () => undefined });
  await opened.pool.query("create table job (due_at timestamptz not null)");
});
beforeEach(async () => {
  await opened.pool.query("truncate job");
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
afterAll(async () => {
  await opened.close();
  await drop();
});

/** Notifications that get lost although the connection is open. */
const lost: News = {
  on: () => () => undefined,
  onBegin: () => () => undefined,
  isTold: () => true,
  ending: new AbortController().signal,
  end: () => undefined,
  close: async () => undefined,
};

/** Works on what is due, and counts how often it was woken and how often all queues were looked at. */
function watchJobs(news: News, earliest = "select min(due_at) from job") {
  const counts = { woken: 0, looks: 0 };
  const pool = new Proxy(opened.pool, {
    get: (target, name) => {
      if (name === "query") counts.looks += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const watch = new QueueWatch({ pool, news, clock: systemClock, log: silentLog });
  watch.add({ name: "job", earliest }, () => {
    counts.woken += 1;
    void opened.pool.query("delete from job where due_at <= now()");
  });
  watch.start();
  cleanUps.push(() => watch.stop());
  return counts;
}

async function listen(): Promise<News> {
  const news = createNews({ databaseUrl, log: silentLog });
  cleanUps.push(() => news.close());
  const { promise, resolve } = Promise.withResolvers<void>();
  news.onBegin(resolve);
  await promise;
  return news;
}

const store = (due: string) => opened.pool.query(`insert into job select now() + $1::interval`, [due]);
const tell = (text: string) => opened.pool.query("select pg_notify('work_changed', $1)", [text]);

test("work is begun by its notification, without a look", async () => {
  const counts = watchJobs(await listen(), "select null::timestamptz");
  await expect.poll(() => counts.looks, { interval: 10 }).toBeGreaterThan(0);
  const { looks } = counts;
  await tell("other 0");
  await tell("job 0");
  await expect.poll(() => counts.woken, { interval: 5 }).toBe(1);
  expect(counts.looks - looks).toBeLessThanOrEqual(1);
});

test("work whose notification is lost is begun later, by a look, and nothing is lost", async () => {
  const counts = watchJobs(lost);
  await expect.poll(() => counts.looks, { interval: 10 }).toBeGreaterThan(1);
  await store("0 seconds");
  // Only a look can have found it.
  await expect.poll(() => counts.woken, { interval: 10 }).toBeGreaterThan(0);
  await expect.poll(async () => (await opened.pool.query("select from job")).rowCount).toBe(0);
});

test("work that is due later is begun at its time, told or found", async () => {
  for (const news of [await listen(), lost]) {
    await store("1.5 seconds");
    const begun = performance.now();
    const counts = watchJobs(news);
    await expect.poll(() => counts.looks, { interval: 5 }).toBeGreaterThan(0);
    await expect.poll(() => counts.woken, { interval: 5 }).toBeGreaterThan(0);
    expect(performance.now() - begun).toBeGreaterThan(1_300);
    await expect.poll(async () => (await opened.pool.query("select from job")).rowCount).toBe(0);
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  }
});

test("looks become rare while nothing is found", async () => {
  const counts = watchJobs(await listen(), dueIfAny("select from job"));
  await delay(4_000);
  // At once, when notifications begin, after 2 seconds, after 4 more.
  expect(counts.looks).toBeLessThanOrEqual(4);
  expect(counts.woken).toBe(0);
});
