import { outgoingOf, resultOf } from "../areas/treasury/order-outcome.ts";
import { ownerOf, ownMovements } from "../areas/treasury/wallet-owners.ts";
import type { Chain } from "../ports/chain.ts";
import type { ChainTransaction, ChainTransactionEnd } from "../ports/chain-transactions.ts";
import type { Aggregates, Stores } from "../ports/stores.ts";
import type { Wallets } from "../ports/wallets.ts";

export interface FinishingPorts {
  chain: Chain;
  stores: Stores;
  wallets: Pick<Wallets, "findByAddress">;
}

export interface ChainEnding {
  /** After the movements are posted. */
  confirmed?(
    aggregates: Aggregates,
    transaction: ChainTransaction,
    end: ChainTransactionEnd & { state: "confirmed" },
  ): Promise<void>;
  /** Instead of giving the money back to the tenant's available balance. */
  reverted?(
    aggregates: Aggregates,
    transaction: ChainTransaction,
    end: ChainTransactionEnd & { state: "reverted" },
  ): Promise<void>;
}

/** By a transaction's purpose. */
export type ChainEndings = Readonly<Record<string, ChainEnding>>;

/**
 * The end of a transaction, its place in the books, what its purpose adds, and the outcome of the call behind it: all or none.
 * False: it was at its end before.
 */
export async function finishTransaction(
  { chain, stores, wallets }: FinishingPorts,
  transaction: ChainTransaction,
  end: ChainTransactionEnd,
  endings: ChainEndings,
): Promise<boolean> {
  const owned = end.state === "confirmed" ? await ownMovements(wallets, chain.network, end.receipt.movements) : [];
  const outgoing = outgoingOf(transaction.order);
  const sender =
    outgoing === undefined
      ? undefined
      : ownerOf((await wallets.findByAddress(chain.network, [outgoing.from])).get(outgoing.from));
  const ending = endings[transaction.purpose];
  return await stores.transaction(async (aggregates) => {
    const { chainTransactions, ledger, effects } = aggregates;
    if (!(await chainTransactions.finish(transaction.id, end))) return false;
    const { callId } = transaction;
    if (end.state === "confirmed") {
      await ledger.postMovements(chain.network, owned);
      await ending?.confirmed?.(aggregates, transaction, end);
      if (callId !== null) await effects.done(callId, resultOf(transaction, chain.chainId, end.receipt.hash));
      return true;
    }
    if (ending?.reverted !== undefined) await ending.reverted(aggregates, transaction, end);
    else if (outgoing !== undefined && sender?.kind === "treasury") {
      const purse = { tenantId: sender.tenantId, network: chain.network, token: transaction.order.token };
      await ledger.takeBack(purse, outgoing.amount, transaction.id);
    }
    if (callId !== null) await effects.failed(callId);
    return true;
  });
}
