import type { Hex } from "../../../domain/tokens.ts";
import type { ChainReceipt } from "../../../ports/chain/chain.ts";
import type {
  ChainTransaction,
  ChainTransactionEnd,
  ChainTransactionStep,
  SignedTransaction,
} from "../../../ports/chain/chain-transactions.ts";
import type { Environment } from "../../../ports/identity.ts";

export type TransactionIntent = Pick<
  ChainTransaction,
  "environment" | "idempotencyKey" | "tenantId" | "callId" | "purpose" | "operation" | "result"
> & {
  /** Where an answer names it before it is stored; left out: a new one. */
  id?: string;
};

export interface ChainSigning {
  id: string;
  /** What it was prepared for: a row that has been put back for another step is left out. */
  step: ChainTransactionStep;
  sign(nonce: number): Promise<SignedTransaction>;
}

export interface ChainTransactions {
  /** The stored one when the idempotency key is known; another operation under the same key is an error. */
  enqueue(transaction: TransactionIntent): Promise<ChainTransaction>;
  get(id: string): Promise<ChainTransaction | undefined>;
  findByKey(environment: Environment, idempotencyKey: string): Promise<ChainTransaction | undefined>;
  /** Whose end is the transaction with this hash. */
  findByHash(environment: Environment, hash: Hex): Promise<ChainTransaction | undefined>;
  /**
   * What an earlier call with the same idempotency key (and tenant, subject and tool) has stored within a day, unless it was
   * reverted. Undefined also when this call has no key.
   */
  findOfRequest(environment: Environment, callId: string): Promise<ChainTransaction | undefined>;
  /** Queued and signed ones, oldest first. */
  listOpen(environment: Environment, limit: number): Promise<readonly ChainTransaction[]>;
  /** Of these hashes the ones that belong to a transaction of ours, whatever became of it. */
  knownHashes(environment: Environment, hashes: readonly Hex[]): Promise<ReadonlySet<Hex>>;
  /**
   * Queued → signed: takes the signer's next nonces under its row's lock, in the order given, and stores what each `sign` makes of
   * its own, all in one transaction. Those that were not queued any more are left out.
   */
  sign(signerWalletId: string, signings: readonly ChainSigning[]): Promise<readonly ChainTransaction[]>;
  /** Another transaction under the same nonce. False: the row has moved on since `from` was stored. */
  replace(id: string, from: Hex, to: SignedTransaction): Promise<boolean>;
  /**
   * Signed → queued, for another nonce, when the one in `from` can never be in a block, or is there without effect; `failure`
   * says why that is.
   */
  requeue(id: string, from: Hex, step: ChainTransactionStep, failure?: string): Promise<boolean>;
  /** Signed → confirmed or reverted: true once. The transaction in the receipt becomes the row's. */
  finish(id: string, end: ChainTransactionEnd): Promise<boolean>;
  /** As finish, of several that were carried out; the ids of those for which it is true. */
  confirm(ends: readonly { id: string; receipt: ChainReceipt }[]): Promise<ReadonlySet<string>>;
  /** The signer's next nonce is at least this: others may have used its key. */
  raiseNonce(signerWalletId: string, atLeast: number): Promise<void>;
}
