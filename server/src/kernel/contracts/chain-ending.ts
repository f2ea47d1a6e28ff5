import type { ChainReceipt } from "../../ports/chain/chain.ts";
import type { ChainTransaction, ChainTransactionEnd } from "../../ports/chain/chain-transactions.ts";
import type { Transaction } from "./stores.ts";

/** What else changes in the database transaction that stores the end of a chain transaction. */
export interface ChainEnding<Aggregates = Transaction> {
  /**
   * After the movements are posted, once for all that are finished in the same database transaction, of whichever purpose. It
   * posts nothing itself.
   */
  confirmed?(aggregates: Aggregates, confirmedTransactions: readonly ConfirmedTransaction[]): Promise<void>;
  /** After `confirmed`: what only the end tells, in addition to the stored answer of the call. */
  additions?(aggregates: Aggregates, transaction: ChainTransaction): Promise<Readonly<Record<string, unknown>>>;
  /** Instead of giving the money back to the tenant's available balance. */
  reverted?(
    aggregates: Aggregates,
    transaction: ChainTransaction,
    end: ChainTransactionEnd & { state: "reverted" },
  ): Promise<void>;
}

/** By a transaction's purpose. A module names its own aggregates: the transaction that an ending gets is one over all of them. */
export type ChainEndings<Aggregates = Transaction> = Readonly<Record<string, ChainEnding<Aggregates>>>;

export interface ConfirmedTransaction {
  transaction: ChainTransaction;
  receipt: ChainReceipt;
}
