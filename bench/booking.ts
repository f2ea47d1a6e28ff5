import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { splitLooks } from "../server/test/support/looks.ts";
import { type Counted, startStatementCounter } from "../server/test/support/statement-counter.ts";
import { startTestPostgres } from "../server/test/support/test-postgres.ts";
import {
  bookByScript,
  pollRun,
  prepareTrip,
  startFlightRun,
  startStayRun,
} from "../server/test/support/whole-bookings.ts";
import { AT_ONCE, bookAlone, bookAtOnce } from "./support/booking-rate.ts";
import { median, say } from "./support/compare.ts";

import { findChild, findParent, readOwnCpuSeconds, readTreeCpuSeconds } from "./support/cpu-seconds.ts";
import { startProduct, stopProgram } from "./support/processes.ts";

/**
 * Prints what whole runs, each call of the main path, one poll and an idle minute ask of the database, and the CPU of each
 * process; then how many whole runs end in a second, several at once, without the counting proxy. Looks (`looks.ts`) and
 * what an idle product sends too are counted apart.
 */
const { values } = parseArgs({ options: { tool: { type: "string" }, list: { type: "boolean", default: false } } });

/** Work that follows an answer, such as a transaction of the chain, belongs to its operation. */
const SETTLE_MILLISECONDS = 1_500;
const IDLE_SECONDS = values.tool === undefined && !values.list ? 60 : 12;
const LOOK_MILLISECONDS = 50;
const LONGEST_TEXT = 400;
const RATE = "rate";
const OTHERS: ReadonlySet<string> = new Set(["flight run", "stay run", "poll", RATE]);
const MOST_CPU_SECONDS = 0.4;
const LEAST_RATE = 4;
const ALONE = 9;
const MOST_PAUSE_MILLISECONDS = 50;
const CORES = 2;
const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();

const postgres = await startTestPostgres();
const admin = new pg.Client({ connectionString: postgres.adminUrl });
await admin.connect();
await admin.query("create database product");
const { rows } = await admin.query<{ pid: number }>("select pg_backend_pid() as pid");
const databaseUrl = new URL(postgres.adminUrl);
databaseUrl.pathname = "/product";
const counter = await startStatementCounter(databaseUrl.href);
const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
process.env.DATABASE_URL = counter.url;
const product = await startProduct(folder);
const postgresPid = findParent(rows[0]?.pid ?? 0);
const readCpu = openCpu(product);

/** The CPU seconds of the service, the database, the supplier and the chain so far. */
function openCpu({ child: { pid: servicePid = 0 } }: Pick<typeof product, "child">): () => readonly number[] {
  const parts = [postgresPid, ...["sandbox", "devnet"].map((part) => findChild(servicePid, `${part}/src/main.ts`))];
  return () => [readOwnCpuSeconds(servicePid), ...parts.map(readTreeCpuSeconds)];
}

interface Measured {
  counted: Counted;
  cpu: readonly number[];
}

async function measure(work: () => Promise<unknown>): Promise<Measured> {
  counter.take();
  const before = readCpu();
  await work();
  const after = readCpu();
  return { counted: counter.take(), cpu: after.map((seconds, index) => seconds - (before[index] ?? 0)) };
}

function print(name: string, { counted: { statements, transactions, bytes }, cpu }: Measured, looks = 0): void {
  const seconds = cpu.map((one) => one.toFixed(2).padStart(8)).join(" ");
  const counts = [statements, looks, transactions, (bytes / 1024).toFixed(0)];
  const cells = counts.map((one) => String(one).padStart(10)).join(" ");
  say(`${name.padEnd(28)} ${cells} ${seconds}`);
}

const watcher = new pg.Client({ connectionString: databaseUrl.href });
await watcher.connect();

try {
  say(`${"".padEnd(28)} statements      looks  transact.         kB  service postgres supplier    chain (CPU seconds)`);
  // Later bookings find its connections, plans and traveler.
  const first = await runToEnd(await startFlightRun(product, await prepareTrip(product), departureDate));
  await delay(SETTLE_MILLISECONDS);
  const idle = await measure(() => delay(IDLE_SECONDS * 1_000));
  print(`idle, ${IDLE_SECONDS} seconds`, idle);
  const idleTexts = new Set(idle.counted.byText.keys());
  const isWanted = (name: string) => values.tool === undefined || values.tool === name;

  const operate = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const done = Promise.withResolvers<Result>();
    const measured = await measure(async () => {
      done.resolve(await work());
      await delay(SETTLE_MILLISECONDS);
    });
    const { own, looks } = splitLooks(measured.counted, idleTexts);
    if (isWanted(name)) print(name, { ...measured, counted: own }, looks);
    if (isWanted(name) && values.list) list(own);
    return await done.promise;
  };
  const prepareQuietTrip = async () => {
    const tripId = await prepareTrip(product);
    await delay(SETTLE_MILLISECONDS);
    return tripId;
  };

  if (isWanted("flight run")) {
    const tripId = await prepareQuietTrip();
    await operate("flight run", async () => await runToEnd(await startFlightRun(product, tripId, departureDate)));
  }
  if (isWanted("stay run")) {
    const tripId = await prepareQuietTrip();
    await operate("stay run", async () => await runToEnd(await startStayRun(product, tripId)));
  }
  if (isWanted("poll")) await operate("poll", () => pollRun(product, first));
  if (values.tool === undefined || !OTHERS.has(values.tool)) {
    const vendorAddress = await readCollectionAddress();
    await bookByScript(product, await prepareTrip(product, operate), { departureDate, vendorAddress }, operate);
  }
  await stopProgram(product.child);
  if (isWanted(RATE)) await measureRate();
} finally {
  if (product.child.exitCode === null) await stopProgram(product.child);
  await watcher.end();
  await counter.close();
  await admin.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

function sum(some: readonly number[]): number {
  return some.reduce((total, one) => total + one, 0);
}

/** A product of its own on the same database server, without the proxy between them. */
async function measureRate(): Promise<void> {
  await admin.query("create database rate");
  databaseUrl.pathname = "/rate";
  process.env.DATABASE_URL = databaseUrl.href;
  const rateFolder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
  const direct = await startProduct(rateFolder);
  try {
    const slices = await bookAtOnce(direct, departureDate, openCpu(direct));
    const rates = slices.map(({ bookings, seconds }) => bookings / seconds);
    for (const [index, { bookings, cpu }] of slices.entries()) {
      const each = cpu.map((seconds) => (seconds / bookings).toFixed(3));
      say(
        `${AT_ONCE} runs at once: ${rates[index]?.toFixed(2)} bookings/s; CPU seconds of each booking: ${each.join(", ")}`,
      );
    }
    const each = median(slices.map(({ cpu, bookings }) => sum(cpu) / bookings));
    const ours = median(
      slices.map(({ cpu: [service = 0, database = 0], bookings }) => (service + database) / bookings),
    );
    const bound = CORES / each;
    judge(
      `a booking takes ${ours.toFixed(2)} s of CPU in service and database (target ${MOST_CPU_SECONDS} at most)`,
      ours <= MOST_CPU_SECONDS,
    );
    judge(
      `whole runs: median ${median(rates).toFixed(2)} bookings/s of ${bound.toFixed(1)} that ${CORES} cores bear at ${each.toFixed(2)} s each (target ${LEAST_RATE})`,
      median(rates) >= LEAST_RATE,
    );
    await judgePauses(direct);
  } finally {
    await stopProgram(direct.child);
    rmSync(rateFolder, { recursive: true, force: true });
  }
}

/** The time from the resolution of a pause to the beginning of its run's next step. */
async function judgePauses(direct: typeof product): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl.href });
  await client.connect();
  try {
    const begun = Temporal.Now.instant().toString();
    await bookAlone(direct, departureDate, ALONE);
    const { rows: found } = await client.query<{ milliseconds: number }>(
      `select extract(epoch from next.started_at - resolved_at)::float8 * 1000 as milliseconds
       from workflow_pause cross join lateral (
         select min(started_at) as started_at from workflow_step
         where workflow_step.run_id = workflow_pause.run_id and started_at >= resolved_at
       ) next where resolved_at > $1`,
      [begun],
    );
    const p50 = median(found.map(({ milliseconds }) => milliseconds));
    judge(
      `from the end of a pause to the next step: p50 ${p50.toFixed(0)} ms of ${found.length} (target ${MOST_PAUSE_MILLISECONDS})`,
      found.length > 0 && p50 <= MOST_PAUSE_MILLISECONDS,
    );
  } finally {
    await client.end();
  }
}

function judge(what: string, isMet: boolean): void {
  say(`${what}: ${isMet ? "met" : "MISSED"}`);
  if (!isMet) process.exitCode = 1;
}

/** Looks past the counter, so that no poll is counted. */
async function runToEnd({ runId }: { runId: string }): Promise<string> {
  for (;;) {
    const { rows: found } = await watcher.query<{ state: string }>("select state from workflow_run where id = $1", [
      runId,
    ]);
    const state = found[0]?.state;
    if (state === "completed") return runId;
    if (state === "failed") throw new Error(`${runId} failed.`);
    await delay(LOOK_MILLISECONDS);
  }
}

async function readCollectionAddress(): Promise<string> {
  const wallets = await watcher.query<{ address: string }>(
    "select address from wallet where kind = 'collection' and network = 'sandbox'",
  );
  return wallets.rows[0]?.address ?? "";
}

/** The most frequent first. */
function list({ byText }: Counted): void {
  for (const [text, count] of [...byText].toSorted(([, one], [, other]) => other - one)) {
    say(`${String(count).padStart(6)}  ${text.replaceAll(/\s+/g, " ").slice(0, LONGEST_TEXT)}`);
  }
}
