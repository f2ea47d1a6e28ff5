import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Stores } from "./context.ts";

const BATCH = 200;
/** Longer than the longest counted period, so that a month can be inspected after its end. */
const KEPT_DAYS = 93;

/** Returns reservations of calls that ended without a live process, after the sweep has settled them. */
export async function settleSpends({ callSpends }: Pick<Stores, "callSpends">, log: Log): Promise<void> {
  const unsettled = await callSpends.listUnsettled(BATCH);
  for (const callId of unsettled) await callSpends.settle(callId);
  if (unsettled.length > 0) log.info({ calls: unsettled.length }, "gave back what calls had reserved that ended");
}

/** Deletes the spending of single calls. The counters keep the totals. */
export async function pruneSpends({ callSpends }: Pick<Stores, "callSpends">, clock: Clock): Promise<void> {
  await callSpends.prune(clock.now().subtract({ hours: KEPT_DAYS * 24 }));
}
