import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../../ports/log.ts";

/** Work that repeats for as long as the service runs, in every process. */
export interface Job {
  /** For the log and the metrics; includes the environment if there is one job for each. */
  readonly name: string;
  /** From the end of one run to the beginning of the next. */
  readonly everyMilliseconds: number;
  /** How long a stop waits for the current run; without it, until the run has ended. */
  readonly stopWaitMilliseconds?: number;
  run(): Promise<unknown>;
}

export function defineJob(job: Job): Job {
  return job;
}

interface JobOptions {
  log: Log;
  /** After each run, for metrics. */
  onRun?(name: string, outcome: "ok" | "failed"): void;
}

/** Runs `job` now and repeatedly, and returns a function that stops it. A failure is logged once until the job works again. */
export function startJob(job: Job, { log, onRun }: JobOptions): () => Promise<void> {
  const { name, everyMilliseconds, stopWaitMilliseconds } = job;
  const stopping = new AbortController();
  let isFailing = false;

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

  async function runUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runOnce();
      await delay(everyMilliseconds, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = runUntilStopped();
  return async () => {
    stopping.abort();
    if (stopWaitMilliseconds === undefined) return await running;
    await Promise.race([running, delay(stopWaitMilliseconds, undefined, { ref: false })]);
  };
}
