import { newId } from "../../../domain/ids.ts";
import { lacksShownOnce } from "../../../kernel/contracts/shown-once.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { Calls } from "./calls.ts";
import { successText } from "./stored-outcome.ts";

/** A process that has not been seen for so long is taken for dead. Its heartbeat comes every second. */
const STALE_SECONDS = 6;
const BATCH = 200;

/**
 * Settles what processes that died left between reserve and capture: a call whose effect is recorded is captured, one
 * without an effect is released, and their idempotency keys are finished or freed.
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
    // What nobody has been shown is not in what was kept: the tool works it out again for who sends the same key.
    outcomeText: (result) => (lacksShownOnce(result) ? undefined : successText(result)),
  });
  if (swept.captured + swept.released + swept.keys > 0) log.info(swept, "settled calls of a process that died");
}
