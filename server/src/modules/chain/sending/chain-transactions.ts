import type { Hex } from "../../../domain/tokens.ts";
import type { Write } from "../../../platform/database/write-together.ts";
import type { ChainReceipt } from "../../../ports/chain/chain.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type {
  ChainTransaction,
  ChainTransactionEnd,
  ChainTransactionStep,
  SignedTransaction,
} from "../../../ports/chain/chain-transactions.ts";
import type { CallBefore } from "../../effects/index.ts";

export type TransactionIntent = Pick<
  ChainTransaction,
  "environment" | "chain" | "idempotencyKey" | "tenantId" | "callId" | "purpose" | "operation" | "result"
> & {
  /** Set if an answer names it before it is stored; otherwise generated. */
  id?: string;
  /** A change that its statement takes along. */
  alongside?: Write;
  /** Opens the effect of its call by the same statement: `Effects.opened` follows with `callBefore`. */
  opensCall?: true;
};

/** An open transaction. */
export type OpenTransaction = ChainTransaction & {
  /** Whether money stood still on the chain when it was read or stored. */
  isStopped: boolean;
};

export type EnqueuedTransaction = OpenTransaction & {
  /** As `findOfRequest` would find it. */
  earlierId: string | undefined;
  /** The call that it has opened. Undefined also for one that was stored before. */
  callBefore: CallBefore | undefined;
};

export interface ChainSigning {
  id: string;
  /** The step it was prepared for: a row requeued for another step is left out. */
  step: ChainTransactionStep;
  sign(nonce: number): Promise<SignedTransaction>;
}

export interface ChainTransactions {
  /** Returns the stored one if the idempotency key is known; another operation under the same key is an error. */
  enqueue(transaction: TransactionIntent): Promise<EnqueuedTransaction>;
  get(id: string): Promise<ChainTransaction | undefined>;
  findByKey(chain: ChainKey, idempotencyKey: string): Promise<ChainTransaction | undefined>;
  /** Finds the transaction that ended with this hash. */
  findByHash(chain: ChainKey, hash: Hex): Promise<ChainTransaction | undefined>;
  /**
   * The transaction that an earlier call with the same idempotency key (and tenant, subject and tool) stored within a
   * day, unless it was reverted. Undefined also if this call has no key.
   */
  findOfRequest(chain: ChainKey, callId: string): Promise<ChainTransaction | undefined>;
  /** Queued and signed ones, oldest first. */
  listOpen(chain: ChainKey, limit: number): Promise<readonly OpenTransaction[]>;
  /** The other chains of the environment that have such transactions. */
  listOpenBeside(home: ChainKey): Promise<readonly string[]>;
  /** Those of the hashes that belong to a transaction of ours, whatever its state. */
  knownHashes(chain: ChainKey, hashes: readonly Hex[]): Promise<ReadonlySet<Hex>>;
  /**
   * Queued → signed, in one transaction: takes the signer's next nonces under its row's lock, in the given order, and
   * stores the result of each `sign`. Rows that are no longer queued are left out. `sign` may be called again, with
   * another nonce: only a stored result counts.
   */
  sign(signerWalletId: string, signings: readonly ChainSigning[]): Promise<readonly ChainTransaction[]>;
  /** Replaces the transaction under the same nonce. False if the row has changed since `from` was stored. */
  replace(id: string, from: Hex, to: SignedTransaction): Promise<boolean>;
  /**
   * Signed → queued, for another nonce, if the transaction `from` can never be in a block, or is in one without effect;
   * `failure` gives the reason.
   */
  requeue(id: string, from: Hex, step: ChainTransactionStep, failure?: string): Promise<boolean>;
  /** Signed → confirmed or reverted: returns true once. The transaction in the receipt becomes the row's. */
  finish(id: string, end: ChainTransactionEnd): Promise<boolean>;
  /** `finish` for several confirmed ones; returns the ids of those for which it is true. */
  confirm(ends: readonly { id: string; receipt: ChainReceipt }[]): Promise<ReadonlySet<string>>;
  /** Raises the signer's next nonce to at least this: others may have used its key. */
  raiseNonce(signerWalletId: string, atLeast: number): Promise<void>;
}
