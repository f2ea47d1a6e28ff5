import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { type Counted, startStatementCounter, withoutTexts } from "../server/test/support/statement-counter.ts";
import { startTestPostgres } from "../server/test/support/test-postgres.ts";
import {
  bookByScript,
  pollRun,
  prepareTrip,
  startFlightRun,
  startStayRun,
} from "../server/test/support/whole-bookings.ts";
import { say } from "./support/compare.ts";
import { findChild, findParent, readOwnCpuSeconds, readTreeCpuSeconds } from "./support/cpu-seconds.ts";
import { startProduct, stopProgram } from "./support/processes.ts";

/**
 * Prints what whole runs, each call of the main path, one poll and an idle minute ask of the database, and the CPU of each
 * process. The operations are counted without the statements that an idle product sends too.
 */
const { values } = parseArgs({ options: { tool: { type: "string" }, list: { type: "boolean", default: false } } });

/** Work that follows an answer, such as a transaction of the chain, belongs to its operation. */
const SETTLE_MILLISECONDS = 1_500;
const IDLE_SECONDS = values.tool === undefined && !values.list ? 60 : 12;
const LOOK_MILLISECONDS = 50;
const LONGEST_TEXT = 400;
const OTHERS: ReadonlySet<string> = new Set(["flight run", "stay run", "poll"]);
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
const servicePid = product.child.pid ?? 0;
const postgresPid = findParent(rows[0]?.pid ?? 0);
const supplierPid = findChild(servicePid, "sandbox/src/main.ts");
const chainPid = findChild(servicePid, "devnet/src/main.ts");

interface Measured {
  counted: Counted;
  cpu: readonly number[];
}

function readCpu(): readonly number[] {
  return [readOwnCpuSeconds(servicePid), ...[postgresPid, supplierPid, chainPid].map(readTreeCpuSeconds)];
}

async function measure(work: () => Promise<unknown>): Promise<Measured> {
  counter.take();
  const before = readCpu();
  await work();
  const after = readCpu();
  return { counted: counter.take(), cpu: after.map((seconds, index) => seconds - (before[index] ?? 0)) };
}

function print(name: string, { counted: { statements, transactions, bytes }, cpu }: Measured): void {
  const seconds = cpu.map((one) => one.toFixed(2).padStart(8)).join(" ");
  const cells = [statements, transactions, (bytes / 1024).toFixed(0)].map((one) => String(one).padStart(10)).join(" ");
  say(`${name.padEnd(28)} ${cells} ${seconds}`);
}

const watcher = new pg.Client({ connectionString: databaseUrl.href });
await watcher.connect();

try {
  say(`${"".padEnd(28)} statements  transact.         kB  service postgres supplier    chain (CPU seconds)`);
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
    const counted = withoutTexts(measured.counted, idleTexts);
    if (isWanted(name)) print(name, { ...measured, counted });
    if (isWanted(name) && values.list) list(counted);
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
} finally {
  await stopProgram(product.child);
  await watcher.end();
  await counter.close();
  await admin.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
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
