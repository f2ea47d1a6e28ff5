import { newId } from "../../domain/ids.ts";
import type { JobQueue } from "../../kernel/contracts/job.ts";
import { lacksShownOnce } from "../../kernel/contracts/shown-once.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Calls } from "./calls.ts";
import { abandonedCalls } from "./store-calls-sweep.ts";
import { successText } from "./stored-outcome.ts";

/** A process not seen for this long counts as dead. Its heartbeat comes every two seconds. */
const STALE_SECONDS = 6;
const BATCH = 200;

export const abandonedQueue = (processId: string): JobQueue => abandonedCalls(processId, STALE_SECONDS);

/**
 * Settles what dead processes left between reserve and capture: a call with a recorded effect is captured, one without is
 * released, and their idempotency keys are finished or released.
 */
export async function sweepAbandonedCalls(options: {
  calls: Calls;
  processId: string;
  clock: Clock;
  log: Log;
}): Promise<void> {
  const { calls, processId, clock, log } = options;
  const at = clock.now();
  const swept = await calls.sweep({
    processId,
    staleSeconds: STALE_SECONDS,
    limit: BATCH,
    at,
    newUsageId: () => newId("use_", at.epochMilliseconds),
    // An answer with a value shown once is not stored in full: the tool computes it again for a repeated key.
    outcomeText: (result) => (lacksShownOnce(result) ? undefined : successText(result)),
  });
  if (swept.captured + swept.released + swept.keys > 0) log.info(swept, "settled calls of a process that died");
}
