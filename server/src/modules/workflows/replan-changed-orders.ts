import type { RunParts } from "./run-parts.ts";
import { startRun } from "./start-run.ts";
import { runKey, type UnansweredChange } from "./store-airline-changes.ts";

const WORKFLOW = "service.replan_trip";
const MOST_AT_ONCE = 100;
const TRACE_BYTES = 16;

/**
 * Starts a run for each change by an airline that has none. It asks the stored orders, so that a change that was heard of before a
 * crash, twice or by a look instead of an event is taken up all the same, once.
 */
export async function replanChangedOrders(parts: RunParts): Promise<void> {
  for (;;) {
    const changes = await parts.stores.airlineChanges.listNew(MOST_AT_ONCE);
    for (const change of changes) await replan(parts, change);
    if (changes.length < MOST_AT_ONCE) return;
  }
}

async function replan(parts: RunParts, change: UnansweredChange): Promise<void> {
  const { tenantId, environment, keyId, userId, orderId, changeId, tripId } = change;
  await startRun(
    parts,
    { tenantId, environment, keyId },
    {
      workflowId: WORKFLOW,
      input: { orderId, changeId, ...(tripId === null ? {} : { tripId }) },
      userId: userId ?? undefined,
      idempotencyKey: runKey(changeId),
      traceId: parts.random(TRACE_BYTES).toHex(),
    },
  );
}
