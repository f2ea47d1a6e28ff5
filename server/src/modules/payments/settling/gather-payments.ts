import { newId } from "../../../domain/ids.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Aggregates, Stores } from "../context.ts";
import type { Payment } from "../payments.ts";
import { intentOfBatch, intentOfPayment, MOST_IN_BATCH } from "./payment-intents.ts";

export interface GatherPaymentsOptions {
  stores: Stores;
  chain: ChainKey;
  submission: Pick<ChainSubmission, "wake">;
  clock: Clock;
  /** Whether several payments share a transaction. */
  isBatched: boolean;
  /** Wakes this process's calls that wait for these payments, which that chain transaction now contains. */
  tell(paymentIds: readonly string[], chainTransactionId: string): void;
}

/**
 * Puts earned payments into chain transactions: those since the last run, and leftovers of dead processes. Skips payments that
 * a facilitator settles by itself. Returns how many it took. Safe to run concurrently: each process locks payments that no
 * other has.
 */
export async function gatherPayments(options: GatherPaymentsOptions): Promise<number> {
  const { stores, chain, submission, tell } = options;
  for (let gathered = 0; ; ) {
    const groups = await stores.transaction(async (aggregates) => {
      const payments = await aggregates.payments.takeUngathered(chain, MOST_IN_BATCH);
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
  // A single payment costs less gas without a batch.
  const transactionIntent = others.length === 0 ? intentOfPayment(first, batchId) : intentOfBatch(some, batchId);
  const { id: chainTransactionId } = await chainTransactions.enqueue(transactionIntent);
  const ids = some.map(({ id }) => id);
  const assigned = await payments.assign(ids, chainTransactionId);
  if (assigned !== some.length) throw new Error("payments that were taken went away");
  return { ids, chainTransactionId };
}

const alone = (payment: Payment): Some => [payment];

/** A transaction pays one recipient. */
function groupByPayee(payments: readonly Payment[]): readonly Some[] {
  const groups = Map.groupBy(payments, ({ signed }) => `${signed.asset} ${signed.payTo}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  );
}
