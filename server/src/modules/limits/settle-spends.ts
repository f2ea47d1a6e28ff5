import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Stores } from "./context.ts";

const BATCH = 200;
/** Longer than the longest period that is counted, so that a month can be looked at when it is over. */
const KEPT_DAYS = 93;

/** Gives back what calls have reserved that ended without a process that could do it, after the sweep has settled them. */
export async function settleSpends({ callSpends }: Pick<Stores, "callSpends">, log: Log): Promise<void> {
  const unsettled = await callSpends.listUnsettled(BATCH);
  for (const callId of unsettled) await callSpends.settle(callId);
  if (unsettled.length > 0) log.info({ calls: unsettled.length }, "gave back what calls had reserved that ended");
}

/** Forgets what single calls have spent. What counts of it stays in the counters. */
export async function pruneSpends({ callSpends }: Pick<Stores, "callSpends">, clock: Clock): Promise<void> {
  await callSpends.prune(clock.now().subtract({ hours: KEPT_DAYS * 24 }));
}
