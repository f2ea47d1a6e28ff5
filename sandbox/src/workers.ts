// Work without a caller: tickets, lapsing holds, webhook deliveries. All of it is stored in the database with a due time.
import type { Clock } from "./clock.ts";
import { runLapse, runTicketing } from "./orders/ticketing.ts";
import { runStayBooking } from "./stays/booking-jobs.ts";
import type { Database, Queryable } from "./storage/database.ts";
import { deliverDue } from "./webhooks/deliver.ts";

type Job = { seq: string; kind: string; reference: string };

/** The longest the workers sleep: how late they notice a database that came back. */
const LONGEST_SLEEP_MS = 1_000;
const KEEP_SEARCHES_MS = 24 * 3_600_000;
const PRUNE_EVERY_MS = 3_600_000;

/** Searches are of no use once their offers have expired; orders keep what they need of them. */
async function pruneSearches(tx: Queryable, nowMs: number): Promise<void> {
  const before = nowMs - KEEP_SEARCHES_MS;
  // An offer's identifier carries the core of its request behind "off_0000".
  await tx.query(
    "DELETE FROM offer_changes USING offer_requests WHERE created_ms < $1 AND substr(offer_id, 9, length(core)) = core",
    [before],
  );
  await tx.query("DELETE FROM offer_requests WHERE created_ms < $1", [before]);
  await tx.query("DELETE FROM stay_searches WHERE created_ms < $1", [before]);
  await tx.query("DELETE FROM stay_quotes WHERE created_ms < $1", [before]);
  await schedulePruning(tx, nowMs + PRUNE_EVERY_MS);
}

export async function schedulePruning(tx: Queryable, dueMs: number): Promise<void> {
  await tx.query(
    "INSERT INTO jobs (kind, reference, due_ms) SELECT 'prune', '', $1 WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE kind = 'prune')",
    [dueMs],
  );
}

async function runOneJob(db: Database, clock: Clock): Promise<boolean> {
  return db.transaction(async (tx) => {
    const nowMs = clock.nowMs();
    const { rows } = await tx.query<Job>(
      "DELETE FROM jobs WHERE seq = (SELECT seq FROM jobs WHERE due_ms <= $1 ORDER BY due_ms, seq LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *",
      [nowMs],
    );
    const [job] = rows;
    if (job === undefined) return false;
    if (job.kind === "ticket") await runTicketing(tx, job.reference, nowMs);
    if (job.kind === "lapse") await runLapse(tx, job.reference, nowMs);
    if (job.kind === "stay_booking") await runStayBooking(tx, job.reference, nowMs);
    if (job.kind === "prune") await pruneSearches(tx, nowMs);
    return true;
  });
}

export type Workers = {
  wake(): void;
  /** Does everything that is due now, deliveries excepted. */
  runDueJobs(): Promise<void>;
  stop(): Promise<void>;
};

/** Runs `work` until it finds nothing, then sleeps until woken, until `nextDueMs`, or for a second. */
function startLoop(
  work: () => Promise<boolean>,
  nextDueInMs: () => Promise<number>,
): { wake(): void; stop(): Promise<void> } {
  let stopped = false;
  let woken = false;
  let endSleep: (() => void) | undefined;
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      if (woken || stopped) return resolve();
      const timer = setTimeout(resolve, ms);
      endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const finished = (async () => {
    while (!stopped) {
      woken = false;
      let sleepMs = LONGEST_SLEEP_MS;
      try {
        while (!stopped && (await work())) woken = false;
        if (!stopped) sleepMs = Math.max(1, Math.min(LONGEST_SLEEP_MS, await nextDueInMs()));
      } catch {
        // The database is away: what is due stays due.
      }
      if (!stopped) await sleep(sleepMs);
    }
  })();
  return {
    wake() {
      woken = true;
      endSleep?.();
    },
    async stop() {
      stopped = true;
      endSleep?.();
      await finished;
    },
  };
}

export function startWorkers(db: Database, clock: Clock): Workers {
  const nextDueIn = (table: string) => async () => {
    const { rows } = await db.query<{ due: string | null }>(`SELECT min(due_ms) AS due FROM ${table}`);
    const due = rows[0]?.due ?? null;
    return due === null ? Number.POSITIVE_INFINITY : Number(due) - clock.nowMs();
  };
  // One job at a time: a request for everything due also waits for the job in progress.
  let previous: Promise<unknown> = Promise.resolve();
  const runNextJob = (): Promise<boolean> => {
    const next = previous.then(() => runOneJob(db, clock));
    previous = next.catch(() => undefined);
    return next;
  };
  const jobs = startLoop(runNextJob, nextDueIn("jobs"));
  const deliveries = startLoop(() => deliverDue(db, clock), nextDueIn("webhook_deliveries"));
  const wake = () => {
    jobs.wake();
    deliveries.wake();
  };
  clock.onMove(wake);
  return {
    wake,
    async runDueJobs() {
      while (await runNextJob());
      deliveries.wake();
    },
    async stop() {
      await Promise.all([jobs.stop(), deliveries.stop()]);
    },
  };
}
