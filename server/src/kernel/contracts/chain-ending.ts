import type { ChainReceipt } from "../../ports/chain/chain.ts";
import type { ChainTransaction, ChainTransactionEnd } from "../../ports/chain/chain-transactions.ts";
import type { Transaction } from "./stores.ts";

/** Further changes in the database transaction that stores the end of a chain transaction. */
export interface ChainEnding<Aggregates = Transaction> {
  /**
   * After the movements are posted, once for all that finish in the same database transaction, whatever their purpose.
   * Posts nothing itself. It may end calls itself, with their `answer`, and then adds them to `endedCalls`.
   */
  confirmed?(
    aggregates: Aggregates,
    confirmedTransactions: readonly AnsweredTransaction[],
    endedCalls: Set<string>,
  ): Promise<void>;
  /** After `confirmed`: facts that are known only at the end, added to the stored answer of the call. */
  additions?(aggregates: Aggregates, transaction: ChainTransaction): Promise<Readonly<Record<string, unknown>>>;
  /** Replaces returning the money to the tenant's available balance. */
  reverted?(
    aggregates: Aggregates,
    transaction: ChainTransaction,
    end: ChainTransactionEnd & { state: "reverted" },
  ): Promise<void>;
}

/** By a transaction's purpose. A module names its own aggregates; the transaction passed to an ending covers all of them. */
export type ChainEndings<Aggregates = Transaction> = Readonly<Record<string, ChainEnding<Aggregates>>>;

export interface ConfirmedTransaction {
  transaction: ChainTransaction;
  receipt: ChainReceipt;
}

export interface AnsweredTransaction extends ConfirmedTransaction {
  /** The answer of its call without `additions`. */
  answer: Readonly<Record<string, unknown>>;
}
