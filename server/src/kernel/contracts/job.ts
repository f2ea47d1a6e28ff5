import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../../ports/log.ts";

/** Work that repeats for as long as the service runs, in every process. */
export interface Job {
  /** For the log and the metrics; includes the environment if there is one job for each. */
  readonly name: string;
  /** From the end of one run to the beginning of the next, unless it is woken before. Left out: it only runs when woken. */
  readonly everyMilliseconds?: number;
  /** Wakes it. */
  readonly queue?: JobQueue;
  /** How long a stop waits for the current run; without it, until the run has ended. */
  readonly stopWaitMilliseconds?: number;
  run(): Promise<unknown>;
}

/** The stored work of a job. */
export interface JobQueue {
  /** The topic of the database's notifications: they wake the job in every process. */
  readonly name: string;
  /**
   * SQL of the earliest time at which a row is due, or null; `$1` is the time now. One statement asks for those of all queues, and
   * the job is woken at that time.
   */
  readonly earliest?: string;
  /** After a run, before it is woken again. */
  readonly restMilliseconds?: number;
}

export function defineJob(job: Job): Job {
  return job;
}

interface JobOptions {
  log: Log;
  /** After each run, for metrics. */
  onRun?(name: string, outcome: "ok" | "failed"): void;
  /** Calls `wake` when the queue has work. */
  watch?(queue: JobQueue, wake: () => void): void;
}

const FOREVER_MILLISECONDS = 2 ** 31 - 1;
/** For a job that is otherwise woken. */
const AFTER_FAILURE_MILLISECONDS = 1_000;

/** Runs `job` now and repeatedly, and returns a function that stops it. A failure is logged once until the job works again. */
export function startJob(job: Job, { log, onRun, watch }: JobOptions): () => Promise<void> {
  const { name, everyMilliseconds = FOREVER_MILLISECONDS, queue, stopWaitMilliseconds } = job;
  let isStopping = false;
  let isFailing = false;
  let isWoken = false;
  let isResting = false;
  let endPause: () => void = () => undefined;

  async function runOnce(): Promise<void> {
    try {
      await job.run();
      isFailing = false;
      onRun?.(name, "ok");
    } catch (error) {
      if (!isFailing) log.warn({ err: error, job: name }, "a job failed and will be tried again");
      isFailing = true;
      onRun?.(name, "failed");
    }
  }

  async function pause(milliseconds: number): Promise<void> {
    if (isStopping) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    endPause = resolve;
    const timer = setTimeout(resolve, milliseconds);
    timer.unref();
    await promise;
    clearTimeout(timer);
  }

  async function runUntilStopped(): Promise<void> {
    while (!isStopping) {
      isWoken = false;
      await runOnce();
      isResting = true;
      if (queue?.restMilliseconds !== undefined) await pause(queue.restMilliseconds);
      isResting = false;
      if (!isWoken)
        await pause(isFailing ? Math.min(everyMilliseconds, AFTER_FAILURE_MILLISECONDS) : everyMilliseconds);
    }
  }

  if (queue !== undefined) {
    watch?.(queue, () => {
      isWoken = true;
      if (!isResting) endPause();
    });
  }
  const running = runUntilStopped();
  return async () => {
    isStopping = true;
    endPause();
    if (stopWaitMilliseconds === undefined) return await running;
    await Promise.race([running, delay(stopWaitMilliseconds, undefined, { ref: false })]);
  };
}
