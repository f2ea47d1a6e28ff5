import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { describeRun, type RunAnswer } from "./describe-run.ts";
import type { Run, Runs } from "./runs.ts";

/** How long starting or resuming waits for the run to pause or end. */
const PATIENCE_MILLISECONDS = 25_000;
const LOOK_EVERY_MILLISECONDS = 100;

/** Returns the run when it pauses or ends, or after PATIENCE_MILLISECONDS. Another process may be executing it. */
export async function waitForRun(
  runs: Runs,
  { id, tenantId, environment }: Run,
): Promise<z.output<typeof RunAnswer> | undefined> {
  const until = performance.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const run = await runs.find([{ tenantId, environment }], id);
    if (run === undefined || run.state !== "running" || performance.now() >= until) {
      return run === undefined ? undefined : await readRun(runs, run);
    }
    await delay(LOOK_EVERY_MILLISECONDS);
  }
}

export async function readRun(runs: Runs, run: Run): Promise<z.output<typeof RunAnswer>> {
  const [pause, steps] = await Promise.all([runs.openPause(run.id), runs.steps(run.id)]);
  return describeRun(run, pause, steps);
}
