import { newId } from "../../../domain/ids.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { TransactionIntent } from "../../chain/index.ts";
import type { Aggregates, Stores } from "../context.ts";
import type { GatheredPayments, Payment } from "../payments.ts";
import { intentOfBatch, intentOfPayment, MOST_IN_BATCH, type Settleable } from "./payment-intents.ts";

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
      const enqueued: GatheredPayments[] = [];
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

/**
 * The same for payments that this process has just earned, which it still knows: by one statement. Others of a group may have been
 * taken by another process meanwhile; what is then left of the group is found by `gatherPayments`.
 */
export async function gatherEarned(
  { stores, submission, clock, tell }: GatherPaymentsOptions,
  earned: readonly Settleable[],
): Promise<void> {
  const gathered = await stores.payments.gather(
    groupByPayee(earned.toSorted(byId)).map((some) => ({
      ids: some.map(({ id }) => id),
      intent: makeIntent(clock, some),
    })),
  );
  if (gathered.length > 0) submission.wake(true);
  for (const { ids, chainTransactionId } of gathered) tell(ids, chainTransactionId);
}

const byId = (one: Settleable, other: Settleable): number => (one.id < other.id ? -1 : 1);

/** A single payment costs less gas without a batch. */
function makeIntent(clock: Clock, some: readonly [Settleable, ...Settleable[]]): TransactionIntent {
  const [first, ...others] = some;
  const batchId = newId("bat_", clock.now().epochMilliseconds);
  return others.length === 0 ? intentOfPayment(first, batchId) : intentOfBatch(some, batchId);
}

type Some = readonly [Payment, ...Payment[]];

async function enqueue(
  { payments, chainTransactions }: Aggregates,
  clock: Clock,
  some: Some,
): Promise<GatheredPayments> {
  const { id: chainTransactionId } = await chainTransactions.enqueue(makeIntent(clock, some));
  const ids = some.map(({ id }) => id);
  const assigned = await payments.assign(ids, chainTransactionId);
  if (assigned !== some.length) throw new Error("payments that were taken went away");
  return { ids, chainTransactionId };
}

const alone = (payment: Payment): Some => [payment];

/** A transaction pays one recipient, and no more payments than fit into it. */
function groupByPayee<One extends Settleable>(payments: readonly One[]): readonly (readonly [One, ...One[]])[] {
  const groups = Map.groupBy(payments, ({ signed }) => `${signed.asset} ${signed.payTo}`);
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / MOST_IN_BATCH) }, (_, index) =>
      group.slice(index * MOST_IN_BATCH, (index + 1) * MOST_IN_BATCH),
    ).flatMap(([first, ...others]) => (first === undefined ? [] : [[first, ...others] as const])),
  );
}
