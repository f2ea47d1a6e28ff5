import type { Log } from "../../../ports/log.ts";
import type { Payments } from "../payments.ts";

/** As for calls: a process that has not been seen for so long is taken for dead. */
const STALE_SECONDS = 6;
const BATCH = 200;

/**
 * Settles claims of processes that died between claim and end, and of calls that failed while it was undecided what they had done:
 * where the call's effect is recorded, its payment is earned and its answer stored; where there is none, the authorization is free
 * again. What is undecided stays. Safe beside other sweepers: each step is taken once.
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
      // What settles it comes by itself: gather-payments.ts or watch-payments.ts.
      if (await payments.earn(payment.id, { result, latencyMs: 0, transactionIntent: undefined })) swept.earned += 1;
    } else if (await payments.release(payment.id)) swept.released += 1;
  }
  if (swept.earned + swept.released > 0) log.info(swept, "settled payments of a process that died");
  return swept;
}
