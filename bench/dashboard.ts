import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import type { Page } from "playwright-core";
import { createUsageSums } from "../server/src/modules/reporting/store-usage-sums.ts";
import { openDatabase } from "../server/src/platform/database/database.ts";
import { startBrowser } from "../server/test/support/browser.ts";
import { startTestPostgres } from "../server/test/support/test-postgres.ts";
import { median, say } from "./support/compare.ts";
import { measureInteraction } from "./support/dashboard-interaction.ts";
import { measurePeople, signInPeople } from "./support/dashboard-people.ts";
import { findViewRequests, type ViewRequest } from "./support/dashboard-requests.ts";
import { FULL_SIZE, fillDashboard } from "./support/dashboard-rows.ts";
import { compareStarts } from "./support/dashboard-start.ts";
import { makeOneOfEach } from "./support/dashboard-world.ts";
import { startProduct, stopProgram } from "./support/processes.ts";

/** Every request that the dashboard's views make, over the rows of a large tenant, and what 200 people with live pages cost. */
const { values } = parseArgs({
  options: {
    rows: { type: "string", default: String(FULL_SIZE.usage) },
    orders: { type: "string" },
    movements: { type: "string" },
    only: { type: "string" },
  },
});
const PARTS = ["start", "requests", "interaction", "people"] as const;
const only = values.only?.split(",");
if (only?.some((asked) => !PARTS.some((part) => part === asked))) {
  throw new Error(`--only names some of these, separated by commas: ${PARTS.join(", ")}.`);
}
const isWanted = (part: (typeof PARTS)[number]): boolean => only?.includes(part) ?? true;
const share = Number(values.rows) / FULL_SIZE.usage;
const size = {
  usage: Math.round(FULL_SIZE.usage * share),
  orders: Number(values.orders ?? Math.round(FULL_SIZE.orders * share)),
  movements: Number(values.movements ?? Math.round(FULL_SIZE.movements * share)),
};

const MOST_P95_MILLISECONDS = 150;
const READS = 40;
const MOST_READY_MILLISECONDS = 1_000;
const CPU_SLOWDOWN = 4;
const START_ROUNDS = 3;
const MOST_START_SECONDS = 3;
const PEOPLE = 200;
const MOST_MEGABYTES = 100;
const MOST_PERCENT = 5;

function judge(what: string, isMet: boolean): void {
  say(`${what}: ${isMet ? "met" : "MISSED"}`);
  if (!isMet) process.exitCode = 1;
}

if (isWanted("start")) {
  const { withBundle, without } = await compareStarts(START_ROUNDS);
  const [found, built] = [median(withBundle), median(without)];
  judge(
    `a first start is ready after ${built.toFixed(1)} s, and after ${found.toFixed(1)} s where the dashboard is built already: medians of ${START_ROUNDS} (target ${MOST_START_SECONDS} s more at most)`,
    built - found <= MOST_START_SECONDS,
  );
  if (only?.length === 1) process.exit();
}
const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
process.env.TEST_BROWSER_FOLDER = folder;
const postgres = await startTestPostgres({ fsync: false });
process.env.DATABASE_URL = postgres.adminUrl;
const dataDir = join(folder, "data");
let product = await startProduct(dataDir);
try {
  await makeOneOfEach(product);
  say("One of each is made.");
  await stopProgram(product.child);
  await fill(product.tenantId);
  product = await startProduct(dataDir);
  await measure();
} finally {
  await stopProgram(product.child);
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function fill(tenantId: string): Promise<void> {
  const open = async () => {
    const client = new pg.Client({ connectionString: postgres.adminUrl });
    await client.connect();
    return client;
  };
  const begun = performance.now();
  await fillDashboard(open, tenantId, size);
  const filled = performance.now();
  const database = openDatabase(postgres.adminUrl, { poolSize: 1, onError: () => undefined });
  const now = Temporal.Now.instant();
  // The product has already summed what was there before.
  await database.pool.query("update usage_summed set until = null");
  while (await database.db.transaction().execute((transaction) => createUsageSums(transaction).sum(now)));
  await database.close();
  const client = await open();
  const { rows } = await client.query<{ size: string }>(
    "select pg_size_pretty(pg_database_size(current_database())) as size",
  );
  await client.end();
  const seconds = (from: number, to: number) => Math.round((to - from) / 1_000);
  say(
    `Filled in ${seconds(begun, filled)} s: ${JSON.stringify(size)}, ${rows[0]?.size}; summed in ${seconds(filled, performance.now())} s.`,
  );
}

async function measure(): Promise<void> {
  const { appUrl, signInLink, child } = product;
  await using chromium = await startBrowser();
  const { page } = await chromium.watch(appUrl);
  await page.goto(signInLink ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  const session = await readSession(page);
  if (isWanted("requests")) await measureRequests(await findViewRequests(page, appUrl), session);
  if (isWanted("interaction")) {
    const ready = await measureInteraction(chromium.browser, session, CPU_SLOWDOWN);
    for (const { name, milliseconds, bytes } of ready) {
      const first = milliseconds[0] ?? 0;
      judge(
        `${name}: ready ${first.toFixed(0)} ms after the first request, median ${median(milliseconds).toFixed(0)} ms of ${milliseconds.length}, CPU slowed ${CPU_SLOWDOWN} times, ${(bytes / 1_000).toFixed(1)} kB (target under ${MOST_READY_MILLISECONDS} ms)`,
        median(milliseconds) < MOST_READY_MILLISECONDS,
      );
    }
  }
  if (!isWanted("people")) return;
  const others = await signInPeople({ dataDir, tenantId: product.tenantId, session, people: PEOPLE - 1 });
  const cost = await measurePeople({ page, sessions: [session, ...others], pid: child.pid ?? 0 });
  say(`a live page asks, by its own timers: ${cost.asks.join("; ")}`);
  judge(
    `${PEOPLE} people take ${cost.megabytes.toFixed(0)} MB (target under ${MOST_MEGABYTES} MB)`,
    cost.megabytes < MOST_MEGABYTES,
  );
  judge(
    `and ${cost.percent.toFixed(1)} % of a core, ${cost.answers} answers in ${cost.seconds} s (target under ${MOST_PERCENT} %)`,
    cost.percent < MOST_PERCENT,
  );
}

interface Session {
  appUrl: string;
  headers: Readonly<Record<string, string>>;
}

async function readSession(page: Page): Promise<Session> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const [request] = await Promise.all([page.waitForRequest(/\/api\//), page.reload()]);
  const tenant = request.headers()["x-tenant"] ?? "";
  return { appUrl: product.appUrl, headers: { cookie, "x-tenant": tenant } };
}

async function measureRequests(requests: readonly ViewRequest[], { appUrl, headers }: Session): Promise<void> {
  say(
    `${requests.length} kinds of requests in ${new Set(requests.map(({ view }) => view)).size} views, each ${READS} times, one at a time`,
  );
  const slow: string[] = [];
  for (const { view, path } of requests.toSorted((one, other) => one.path.localeCompare(other.path))) {
    const taken: number[] = [];
    let rows = 0;
    let status = 0;
    for (let count = 0; count < READS; count += 1) {
      const begun = performance.now();
      const response = await fetch(appUrl + path, { headers });
      const text = await response.text();
      taken.push(performance.now() - begun);
      status = response.status;
      rows = countRows(text);
      // One that is far beyond its target says enough.
      if (taken.length >= 5 && median(taken) > MOST_P95_MILLISECONDS * 4) break;
    }
    const sorted = taken.toSorted((one, other) => one - other);
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
    const isSlow = p95 >= MOST_P95_MILLISECONDS;
    if (isSlow) slow.push(path);
    const [p50, most] = [median(taken), sorted.at(-1) ?? 0].map((one) => one.toFixed(1).padStart(8));
    say(
      `${p50} ms p50 ${p95.toFixed(1).padStart(8)} p95 ${most} max ${String(rows).padStart(5)} rows ${status}${isSlow ? " SLOW" : ""}  ${path.slice(0, 120)}  (${view})`,
    );
  }
  judge(
    `every request p95 under ${MOST_P95_MILLISECONDS} ms${slow.length === 0 ? "" : `, but not ${slow.length}`}`,
    slow.length === 0,
  );
}

/** The length of the answer's longest list. */
function countRows(text: string): number {
  const lengths: number[] = [0];
  try {
    JSON.parse(text, (_key, value: unknown) => {
      if (Array.isArray(value)) lengths.push(value.length);
      return value;
    });
  } catch {
    return text.split("\n").length;
  }
  return Math.max(...lengths);
}
