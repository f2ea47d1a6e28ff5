import { newId } from "../../domain/ids.ts";
import type { Aggregates, Stores } from "../../kernel/stores.ts";
import type { ChainSubmission } from "../../ports/chain-transactions.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { intentOfBatch, intentOfPayment, MOST_IN_BATCH } from "./payment-intents.ts";
import type { Payment } from "./payments.ts";

export interface GatherPaymentsOptions {
  stores: Stores;
  network: Environment;
  submission: Pick<ChainSubmission, "wake">;
  clock: Clock;
  /** Whether several payments are settled by one transaction. */
  isBatched: boolean;
  /** Wakes calls of this process that wait for these payments. */
  tell(paymentIds: readonly string[]): void;
}

/**
 * Puts earned payments that nothing settles yet into chain transactions: all that came in since the last time, and what a process
 * that died has left. Not where a facilitator settles by itself. How many it were. Safe in several processes at once: each takes payments that nobody else is taking.
 */
export async function gatherPayments(options: GatherPaymentsOptions): Promise<number> {
  const { stores, network, submission, tell } = options;
  for (let gathered = 0; ; ) {
    const taken = await stores.transaction(async (aggregates) => {
      const payments = await aggregates.payments.takeUngathered(network, MOST_IN_BATCH);
      for (const some of options.isBatched ? groupByPayee(payments) : payments.map(alone)) {
        await enqueue(aggregates, options.clock, some);
      }
      return payments;
    });
    gathered += taken.length;
    if (taken.length > 0) {
      submission.wake(options.isBatched);
      tell(taken.map(({ id }) => id));
    }
    if (taken.length < MOST_IN_BATCH) return gathered;
  }
}

type Some = readonly [Payment, ...Payment[]];

async function enqueue({ payments, chainTransactions }: Aggregates, clock: Clock, some: Some): Promise<void> {
  const [first, ...others] = some;
  const batchId = newId("bat_", clock.now().epochMilliseconds);
  // Alone it costs less gas.
  const transactionIntent = others.length === 0 ? intentOfPayment(first, batchId) : intentOfBatch(some, batchId);
  const { id } = await chainTransactions.enqueue(transactionIntent);
  const assigned = await payments.assign(
    some.map((payment) => payment.id),
    id,
  );
  if (assigned !== some.length) throw new Error("payments that were taken went away");
}

const alone = (payment: Payment): Some => [payment];

/** One transaction pays one recipient. */
function groupByPayee(payments: readonly Payment[]): readonly Some[] {
  const groups = Map.groupBy(payments, ({ signed }) => `${signed.asset} ${signed.payTo}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  );
}
