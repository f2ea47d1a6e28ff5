import { newId } from "../../../domain/ids.ts";
import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Aggregates, Stores } from "../context.ts";
import type { Payment } from "../payments.ts";
import { intentOfBatch, intentOfPayment, MOST_IN_BATCH } from "./payment-intents.ts";

export interface GatherPaymentsOptions {
  stores: Stores;
  environment: Environment;
  submission: Pick<ChainSubmission, "wake">;
  clock: Clock;
  /** Whether several payments are settled by one transaction. */
  isBatched: boolean;
  /** Wakes calls of this process that wait for these payments, which are in that chain transaction now. */
  tell(paymentIds: readonly string[], chainTransactionId: string): void;
}

/**
 * Puts earned payments that nothing settles yet into chain transactions: all that came in since the last time, and what a process
 * that died has left. Not where a facilitator settles by itself. How many it were. Safe in several processes at once: each takes payments that nobody else is taking.
 */
export async function gatherPayments(options: GatherPaymentsOptions): Promise<number> {
  const { stores, environment, submission, tell } = options;
  for (let gathered = 0; ; ) {
    const groups = await stores.transaction(async (aggregates) => {
      const payments = await aggregates.payments.takeUngathered(environment, MOST_IN_BATCH);
      const enqueued: Enqueued[] = [];
      for (const some of options.isBatched ? groupByPayee(payments) : payments.map(alone)) {
        enqueued.push(await enqueue(aggregates, options.clock, some));
      }
      return enqueued;
    });
    if (groups.length > 0) submission.wake(options.isBatched);
    for (const { ids, chainTransactionId } of groups) tell(ids, chainTransactionId);
    const taken = groups.reduce((sum, { ids }) => sum + ids.length, 0);
    gathered += taken;
    if (taken < MOST_IN_BATCH) return gathered;
  }
}

type Some = readonly [Payment, ...Payment[]];

interface Enqueued {
  ids: readonly string[];
  chainTransactionId: string;
}

async function enqueue({ payments, chainTransactions }: Aggregates, clock: Clock, some: Some): Promise<Enqueued> {
  const [first, ...others] = some;
  const batchId = newId("bat_", clock.now().epochMilliseconds);
  // Alone it costs less gas.
  const transactionIntent = others.length === 0 ? intentOfPayment(first, batchId) : intentOfBatch(some, batchId);
  const { id: chainTransactionId } = await chainTransactions.enqueue(transactionIntent);
  const ids = some.map(({ id }) => id);
  const assigned = await payments.assign(ids, chainTransactionId);
  if (assigned !== some.length) throw new Error("payments that were taken went away");
  return { ids, chainTransactionId };
}

const alone = (payment: Payment): Some => [payment];

/** One transaction pays one recipient. */
function groupByPayee(payments: readonly Payment[]): readonly Some[] {
  const groups = Map.groupBy(payments, ({ signed }) => `${signed.asset} ${signed.payTo}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  );
}
