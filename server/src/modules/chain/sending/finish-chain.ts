import { inTrace, sharedTraceId } from "../../../domain/trace.ts";
import type { ChainEndings, ConfirmedTransaction } from "../../../kernel/contracts/chain-ending.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { ChainOperations } from "../../../ports/chain/chain-operation.ts";
import type {
  ChainTransaction,
  ChainTransactionEnd,
  EndedTransaction,
} from "../../../ports/chain/chain-transactions.ts";
import type { Stores } from "../context.ts";
import { ownMovements } from "../following/wallet-owners.ts";
import { findWalletOwner, type Wallets } from "../wallets.ts";
import { buildConfirmedResult } from "./result-of.ts";

export interface FinishingPorts {
  chain: Chain;
  operations: ChainOperations;
  stores: Stores;
  wallets: Pick<Wallets, "findByAddress" | "findOwners">;
}

export type FinishedTransaction = ConfirmedTransaction & Pick<EndedTransaction, "additions">;

/**
 * Stores confirmed ends in one transaction: the postings, the changes of their purposes, and the outcomes of the calls
 * behind them. Leaves those out of the answer that had ended before.
 */
export async function finishConfirmed(
  { chain, stores, wallets }: FinishingPorts,
  confirmedTransactions: readonly ConfirmedTransaction[],
  endings: ChainEndings,
): Promise<readonly FinishedTransaction[]> {
  // A fixed order for concurrent writers.
  const ordered = confirmedTransactions.toSorted(({ transaction: one }, { transaction: other }) =>
    one.id < other.id ? -1 : 1,
  );
  const traceIds = new Map(ordered.map(({ transaction, receipt }) => [receipt.hash, transaction.traceId]));
  const receipts = new Map(ordered.map(({ receipt }) => [receipt.hash, receipt]));
  const movements = [...receipts.values()].flatMap((receipt) => receipt.movements);
  const owned = await ownMovements(wallets, chain, movements);
  return await stores.transaction(async (aggregates) => {
    const { chainTransactions, ledger, effects } = aggregates;
    const mine = await chainTransactions.confirm(ordered.map(({ transaction: { id }, receipt }) => ({ id, receipt })));
    const finished = ordered
      .filter(({ transaction }) => mine.has(transaction.id))
      .map((one) => ({ ...one, answer: buildConfirmedResult(one.transaction, chain.chainId, one.receipt.hash) }));
    const hashes = new Set(finished.map(({ receipt }) => receipt.hash));
    const posted = owned
      .filter(({ movement }) => hashes.has(movement.transactionHash))
      .map((one) => ({ ...one, traceId: traceIds.get(one.movement.transactionHash) }));
    if (posted.length > 0) await ledger.postMovements(chain.key, posted);
    const endedCalls = new Set<string>();
    for (const [ending, some] of Map.groupBy(finished, ({ transaction }) => endings[transaction.purpose])) {
      const traceId = sharedTraceId(some.map(({ transaction }) => transaction));
      await inTrace(traceId, async () => await ending?.confirmed?.(aggregates, some, endedCalls));
    }
    const ended: FinishedTransaction[] = [];
    for (const { transaction, receipt, answer } of finished) {
      const { callId, purpose } = transaction;
      const additions = callId === null ? undefined : await endings[purpose]?.additions?.(aggregates, transaction);
      ended.push({ transaction, receipt, additions });
      if (callId !== null && !endedCalls.has(callId)) await effects.done(callId, { ...answer, ...additions });
    }
    return ended;
  });
}

/** Stores the end of a transaction without effect, and gives its outgoing money back. False if it had ended before. */
export async function finishReverted(
  { chain, operations, stores, wallets }: FinishingPorts,
  transaction: ChainTransaction,
  end: ChainTransactionEnd & { state: "reverted" },
  endings: ChainEndings,
): Promise<boolean> {
  const outgoing = operations.of(transaction.operation).outgoing(transaction.operation);
  const sender =
    outgoing === undefined
      ? undefined
      : findWalletOwner((await wallets.findByAddress(chain.key, [outgoing.from])).get(outgoing.from));
  const ending = endings[transaction.purpose];
  return await stores.transaction(async (aggregates) => {
    const { chainTransactions, ledger, effects } = aggregates;
    if (!(await chainTransactions.finish(transaction.id, end))) return false;
    if (ending?.reverted !== undefined) await ending.reverted(aggregates, transaction, end);
    else if (outgoing !== undefined && sender?.kind === "treasury") {
      const purse = { ...chain.key, tenantId: sender.tenantId, token: outgoing.token };
      await ledger.takeBack(purse, outgoing.amount, transaction.id);
    }
    if (transaction.callId !== null) await effects.failed(transaction.callId);
    return true;
  });
}
