import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import { describeRun, type RunAnswer } from "./describe-run.ts";
import type { RunParts } from "./run-parts.ts";
import type { Run, RunOwner, Runs } from "./runs.ts";

/** How long starting or resuming waits for the run to pause or end. */
const PATIENCE_MILLISECONDS = 25_000;
/** For runs that another process executes. */
const LOOK_EVERY_MILLISECONDS = 100;

/** Returns the run when it pauses or ends, or after PATIENCE_MILLISECONDS. */
export async function waitForRun(
  { stores, workflowRunner }: Pick<RunParts, "stores" | "workflowRunner">,
  { id, tenantId, environment }: Run,
): Promise<z.output<typeof RunAnswer> | undefined> {
  const patience = new AbortController();
  const timeOut = delay(PATIENCE_MILLISECONDS, undefined, { signal: patience.signal }).catch(() => undefined);
  const until = performance.now() + PATIENCE_MILLISECONDS;
  try {
    for (;;) {
      await Promise.race([timeOut, workflowRunner.whenLeft(id)]);
      const run = await readRun(stores.runs, [{ tenantId, environment }], id);
      if (run?.status !== "running" || performance.now() >= until) return run;
      await delay(LOOK_EVERY_MILLISECONDS);
    }
  } finally {
    patience.abort();
  }
}

/** Undefined: none of these owners has it. */
export async function readRun(
  runs: Runs,
  owners: readonly RunOwner[],
  runId: string,
): Promise<z.output<typeof RunAnswer> | undefined> {
  const found = await runs.read(owners, runId);
  return found === undefined ? undefined : describeRun(found.run, found.pause, found.steps);
}
