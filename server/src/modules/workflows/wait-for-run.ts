import type { z } from "zod";
import { Instant } from "../../domain/schemas.ts";
import { within } from "../../platform/batching/within.ts";
import type { Parts } from "./context.ts";
import { describeRun, type RunAnswer } from "./describe-run.ts";
import type { Run, RunOwner, RunTimeline } from "./runs.ts";

/** How long starting or resuming waits for the run to pause or end. */
const PATIENCE_MILLISECONDS = 25_000;
export const LONGEST_WAIT_SECONDS = 25;

/** Returns the run when it pauses or ends, or after PATIENCE_MILLISECONDS. */
export async function waitForRun(
  { stores: { runs }, runWaits, workflowRunner }: Pick<Parts, "stores" | "runWaits" | "workflowRunner">,
  { id, tenantId, environment }: Run,
): Promise<z.output<typeof RunAnswer> | undefined> {
  const until = performance.now() + PATIENCE_MILLISECONDS;
  await within(PATIENCE_MILLISECONDS, workflowRunner.whenLeft(id));
  // Another process may be executing it.
  const found = await runWaits.wait({
    id,
    read: () => runs.read([{ tenantId, environment }], id),
    isEnough: (timeline) => timeline?.run.state !== "running",
    milliseconds: until - performance.now(),
  });
  return describe(found);
}

interface AskedWait {
  /** In seconds. */
  wait: number;
  /** The `updatedAt` of the run as the caller knows it. */
  since: string | undefined;
  /** Whose waits are counted together. */
  owner: string;
  signal: AbortSignal;
}

/** Returns the run at its next change or after the wait. Undefined: none of these owners has it. */
export async function readChangedRun(
  { stores: { runs }, runWaits }: Pick<Parts, "stores" | "runWaits">,
  owners: readonly RunOwner[],
  runId: string,
  { wait, since, owner, signal }: AskedWait,
): Promise<z.output<typeof RunAnswer> | undefined> {
  const read = () => runs.read(owners, runId);
  if (wait === 0) return describe(await read());
  let known = since === undefined ? undefined : Temporal.Instant.from(since).toString();
  function isEnough(found: RunTimeline | undefined): boolean {
    if (found === undefined || found.run.endedAt !== undefined) return true;
    if (since === undefined && found.run.state !== "running") return true;
    const updatedAt = found.run.updatedAt.toString();
    known ??= updatedAt;
    return updatedAt !== known;
  }
  return describe(await runWaits.wait({ id: runId, read, isEnough, milliseconds: wait * 1_000, owner, signal }));
}

function describe(found: RunTimeline | undefined): z.output<typeof RunAnswer> | undefined {
  return found === undefined ? undefined : describeRun(found.run, found.pause, found.steps);
}

export const waitDescription = "Seconds to wait for the next change; returns at once if the run is paused or has ended";
export const Since = Instant.max(40)
  .describe("Your last updatedAt: returns at once if the run has changed since; waits also while it is paused")
  .exactOptional();
