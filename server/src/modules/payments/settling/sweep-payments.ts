import type { JobQueue } from "../../../kernel/contracts/job.ts";
import type { Log } from "../../../ports/log.ts";
import type { Payments } from "../payments.ts";
import { abandonedPayments } from "./store-queues.ts";

/** As for calls: a process not seen for this long counts as dead. */
const STALE_SECONDS = 6;
const BATCH = 200;

export const abandonedQueue = (processId: string): JobQueue => abandonedPayments(processId, STALE_SECONDS);

/**
 * Settles the claims of processes that died between claim and end, and of calls that failed before their effect was decided: if
 * the effect is recorded, the payment is earned and its answer stored; if there is none, the authorization is released.
 * Undecided claims stay. Safe to run concurrently: each step is taken once.
 */
export async function sweepPayments(options: {
  payments: Payments;
  processId: string;
  log: Log;
}): Promise<{ earned: number; released: number }> {
  const { payments, processId, log } = options;
  const swept = { earned: 0, released: 0 };
  const abandoned = await payments.listAbandoned({ processId, staleSeconds: STALE_SECONDS, limit: BATCH });
  for (const { payment, effect, result } of abandoned) {
    if (effect === "done") {
      // gather-payments.ts or watch-payments.ts settles it later.
      if (await payments.earn(payment.id, { result, latencyMs: 0, transactionIntent: undefined })) swept.earned += 1;
    } else if (await payments.release(payment.id)) swept.released += 1;
  }
  if (swept.earned + swept.released > 0) log.info(swept, "settled payments of a process that died");
  return swept;
}
