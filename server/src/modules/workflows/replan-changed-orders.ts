import type { RunParts } from "./run-parts.ts";
import { startRun } from "./start-run.ts";
import { runKey, type UnansweredChange } from "./store-airline-changes.ts";

const WORKFLOW = "service.replan_trip";
const MOST_AT_ONCE = 100;
const TRACE_BYTES = 16;

/**
 * Starts a run for each change by an airline that has none. It asks the stored orders, so that a change that was heard of before a
 * crash, twice or by a look instead of an event is taken up all the same, once. A change whose run cannot be started, such as of a
 * user who is gone, holds nobody else up.
 */
export async function replanChangedOrders(parts: RunParts): Promise<void> {
  const failures: unknown[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const changes: readonly UnansweredChange[] = await parts.stores.airlineChanges.listNew(MOST_AT_ONCE, after);
    for (const change of changes) await replan(parts, change).catch((error: unknown) => failures.push(error));
    after = changes.length < MOST_AT_ONCE ? undefined : changes.at(-1)?.changeId;
  }
  if (failures.length > 0) throw new AggregateError(failures, "not every change by an airline could be taken up");
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
