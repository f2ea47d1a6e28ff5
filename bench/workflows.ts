import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { schema } from "../server/src/contributions.ts";
import { openDatabase } from "../server/src/platform/database/database.ts";
import { migrateToLatest } from "../server/src/platform/database/migrate.ts";
import { startTestPostgres } from "../server/test/support/test-postgres.ts";
import { bookByRun, bookByScript, type Product, prepareTrip } from "../server/test/support/whole-bookings.ts";
import { median, say } from "./support/compare.ts";
import { openDbos } from "./support/dbos-steps.ts";
import { startProduct, stopProgram } from "./support/processes.ts";
import { fillSteps, pauseRuns } from "./support/run-rows.ts";
import { openRunner } from "./support/step-runner.ts";
import { shareSteps } from "./support/step-shares.ts";

/** Runs of workflows against a plain script, bare DBOS steps, and the numbers of rows that years leave behind. */
const PARTS = ["bookings", "steps", "processes", "rows"] as const;
const { values } = parseArgs({ options: { only: { type: "string" } } });
if (values.only !== undefined && !PARTS.some((part) => part === values.only)) {
  throw new Error(`--only is one of: ${PARTS.join(", ")}.`);
}
const isWanted = (part: (typeof PARTS)[number]): boolean => values.only === undefined || values.only === part;

const ROUNDS = 5;
const BOOKINGS = 6;
const AT_ONCE = 3;
const LEAST_SHARE = 0.7;

const STEPS = 200;
const STEP_ROUNDS = 5;
const RUNS_AT_ONCE = 16;

const LEAST_STEPS_OF_A_PROCESS = 0.3;
const PAUSED = 10_000;
const ROWS = 1_000_000;
const IDLE_MILLISECONDS = 20_000;
const MOST_IDLE_PERCENT = 3;
const MOST_MEGABYTES = 50;
const MOST_READY_SECONDS = 10;
const READS = 400;
const MOST_P95_MILLISECONDS = 50;

function judge(what: string, isMet: boolean): void {
  say(`${what}: ${isMet ? "met" : "MISSED"}`);
  if (!isMet) process.exitCode = 1;
}

const postgres = await startTestPostgres();
try {
  if (isWanted("steps")) await compareSteps();
  if (isWanted("processes")) {
    const shares = await shareSteps(await newDatabase("processes"));
    judge(
      `two processes executed ${shares.map((share) => `${(share * 100).toFixed(0)} %`).join(" and ")} of the steps (target ${LEAST_STEPS_OF_A_PROCESS * 100} % each)`,
      Math.min(...shares) >= LEAST_STEPS_OF_A_PROCESS,
    );
  }
  if (isWanted("bookings") || isWanted("rows")) await measureProduct();
} finally {
  await postgres.stop();
}

/** An empty one, and with the product's tables. */
async function newDatabase(name: string, isMigrated = true): Promise<string> {
  const client = new pg.Client({ connectionString: postgres.adminUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(postgres.adminUrl);
  url.pathname = `/${name}`;
  if (!isMigrated) return url.href;
  const database = openDatabase(url.href, { poolSize: 1, onError: () => undefined });
  await migrateToLatest(url.href, database, schema);
  await database.close();
  return url.href;
}

async function compareSteps(): Promise<void> {
  const [ours, theirs] = [
    openRunner(await newDatabase("steps"), "one"),
    await openDbos(await newDatabase("dbos", false)),
  ];
  const engines = { ours: ours.run, dbos: theirs.run };
  say("baseline source: bench/support/dbos-steps.ts (DBOS.runStep with a function that does nothing)");
  say(
    `load: runs of ${STEPS} steps that do nothing, over one PostgreSQL, alone and ${RUNS_AT_ONCE} at once, interleaved`,
  );
  const slices: Record<string, number[]> = {};
  for (let round = 0; round <= STEP_ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(engines)) {
      for (const atOnce of [1, RUNS_AT_ONCE]) {
        const begun = performance.now();
        await Promise.all(Array.from({ length: atOnce }, () => run(STEPS)));
        const milliseconds = (performance.now() - begun) / STEPS / atOnce;
        // The first round warms up.
        if (round === 0) continue;
        const slice = `${name} ${atOnce === 1 ? "alone" : "at once"}`;
        slices[slice] = [...(slices[slice] ?? []), milliseconds];
        say(`round ${round} ${slice.padEnd(13)} ${milliseconds.toFixed(3)} ms a step`);
      }
    }
  }
  await ours.close();
  await theirs.close();
  for (const kind of ["alone", "at once"]) {
    const [mine, other] = [median(slices[`ours ${kind}`] ?? []), median(slices[`dbos ${kind}`] ?? [])];
    judge(
      `a step of the runner, ${kind}: median ${mine.toFixed(3)} ms = ${(mine / other).toFixed(2)} of the time of DBOS, ${other.toFixed(3)} ms (target 1 at most)`,
      mine <= other,
    );
  }
}

async function measureProduct(): Promise<void> {
  const databaseUrl = await newDatabase("product", false);
  process.env.DATABASE_URL = databaseUrl;
  const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
  const client = new pg.Client({ connectionString: databaseUrl });
  let product = await startProduct(folder);
  try {
    await client.connect();
    if (isWanted("bookings")) await compareBookings(product, client);
    if (!isWanted("rows")) return;
    const before = await idle(product.child.pid);
    await stopProgram(product.child);
    await pauseRuns(client, product.tenantId, PAUSED);
    const begun = performance.now();
    product = await startProduct(folder);
    const seconds = (performance.now() - begun) / 1000;
    const after = await idle(product.child.pid);
    say(`idle without paused runs: ${before.percent.toFixed(1)} % of a core, ${before.megabytes.toFixed(0)} MB`);
    say(`idle with ${PAUSED}: ${after.percent.toFixed(1)} % of a core, ${after.megabytes.toFixed(0)} MB`);
    const [more, bigger] = [after.percent - before.percent, after.megabytes - before.megabytes];
    judge(
      `${PAUSED} paused runs take ${more.toFixed(1)} % of a core (target under ${MOST_IDLE_PERCENT} %)`,
      more < MOST_IDLE_PERCENT,
    );
    judge(
      `${PAUSED} paused runs take ${bigger.toFixed(0)} MB (target under ${MOST_MEGABYTES} MB)`,
      bigger < MOST_MEGABYTES,
    );
    judge(
      `the restart with them was ready in ${seconds.toFixed(1)} s (target under ${MOST_READY_SECONDS} s)`,
      seconds < MOST_READY_SECONDS,
    );
    await readTimelines(product, await fillSteps(client, product.tenantId, ROWS));
  } finally {
    await client.end();
    await stopProgram(product.child);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compareBookings(product: Product, client: pg.Client): Promise<void> {
  const wallet = await client.query<{ address: string }>(
    "select address from wallet where kind = 'collection' and network = 'sandbox'",
  );
  const vendorAddress = wallet.rows[0]?.address ?? "";
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  const ways = {
    run: (tripId: string) => bookByRun(product, tripId, departureDate),
    script: (tripId: string) => bookByScript(product, tripId, { departureDate, vendorAddress }),
  };
  say("baseline source: server/test/support/whole-bookings.ts (bookByScript: the same calls, one after the other)");
  say(`load: ${BOOKINGS} bookings a slice, ${AT_ONCE} at once, ${ROUNDS} rounds interleaved after one that warms up`);
  const rates: Record<keyof typeof ways, number[]> = { run: [], script: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of ["script", "run"] as const) {
      const trips = await inTurns(BOOKINGS, () => prepareTrip(product));
      const begun = performance.now();
      await inTurns(BOOKINGS, (index) => ways[name](trips[index] ?? ""));
      const rate = BOOKINGS / ((performance.now() - begun) / 1000);
      if (round === 0) continue;
      rates[name].push(rate);
      say(`round ${round} ${name.padEnd(6)} ${rate.toFixed(2)} bookings/s`);
    }
  }
  // Compared per round, as the machine's other load changes between rounds.
  const shares = rates.run.map((rate, round) => rate / (rates.script[round] ?? rate));
  const share = median(shares);
  judge(
    `whole runs of service.book_flight: ${shares.map((one) => one.toFixed(2)).join(", ")} of the script's rate, median ${share.toFixed(2)} (target ${LEAST_SHARE})`,
    share >= LEAST_SHARE,
  );
}

/** So many, AT_ONCE at the same time; the results in the order of their numbers. */
async function inTurns<Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** The load of a process after it has settled. Linux only. */
async function idle(pid: number | undefined): Promise<{ percent: number; megabytes: number }> {
  const read = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // In hundredths of a second, and in pages.
    return { busy: (Number(fields[11]) + Number(fields[12])) * 10, megabytes: (Number(fields[21]) * 4) / 1024 };
  };
  await delay(IDLE_MILLISECONDS);
  const before = read();
  await delay(IDLE_MILLISECONDS);
  const after = read();
  return { percent: ((after.busy - before.busy) / IDLE_MILLISECONDS) * 100, megabytes: after.megabytes };
}

async function readTimelines({ port, apiKey }: Product, runIds: readonly string[]): Promise<void> {
  const taken: number[] = [];
  for (let count = 0; count < READS; count += 1) {
    const runId = runIds[Math.floor((runIds.length / READS) * count)] ?? "";
    const begun = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/api/workflows/runs/${runId}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    await response.text();
    taken.push(performance.now() - begun);
    if (response.status !== 200) throw new Error(`A timeline was answered with ${response.status}.`);
  }
  taken.sort((left, right) => left - right);
  const p95 = taken[Math.floor(taken.length * 0.95)] ?? 0;
  judge(
    `the timeline of a run with ${ROWS} steps stored: p50 ${median(taken).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (target under ${MOST_P95_MILLISECONDS} ms)`,
    p95 < MOST_P95_MILLISECONDS,
  );
}
