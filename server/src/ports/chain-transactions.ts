import type { Hex } from "../domain/tokens.ts";
import type { ChainReceipt } from "./chain.ts";
import type { StoredOperation } from "./chain-operation.ts";
import type { Environment } from "./identity.ts";

/**
 * queued: stored, nothing signed · signed: nonce, raw transaction and hash are stored; it was or may have been broadcast ·
 * confirmed: in a block that counts · reverted: in a block that counts, without effect.
 */
type ChainTransactionState = "queued" | "signed" | "confirmed" | "reverted";

/**
 * carry_out: the operation itself is under way · withdraw: it was sent and had no effect; under way is what makes its authorization
 * unusable, so that nobody who has seen it can carry it out after its money was given back.
 */
type ChainTransactionStep = "carry_out" | "withdraw";

export interface SignedTransaction {
  raw: Hex;
  hash: Hex;
}

export interface ChainTransaction {
  /** `ctx_…` */
  id: string;
  environment: Environment;
  idempotencyKey: string;
  tenantId: string | null;
  /** The tool call that waits for it, if one does. */
  callId: string | null;
  /** Of the call that it comes from. */
  traceId: string | undefined;
  /** What it is for, such as a tool's name; who wants to know of its end is found by it. */
  purpose: string;
  operation: StoredOperation;
  /** The answer of the call, but for `txHash`, `chainId` and `status`, which its end adds. */
  result: Readonly<Record<string, unknown>> | undefined;
  state: ChainTransactionState;
  step: ChainTransactionStep;
  hash: Hex | undefined;
  /** Transactions that were sent for it before the one in `hash`. */
  earlierHashes: readonly Hex[];
  raw: Hex | undefined;
  nonce: number | undefined;
  /** Why it was reverted, in the chain's words. */
  failure: string | undefined;
  blockNumber: bigint | undefined;
  createdAt: Temporal.Instant;
}

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

export type ChainTransactionEnd =
  | { state: "confirmed"; receipt: ChainReceipt }
  | { state: "reverted"; receipt: ChainReceipt; failure: string };

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

/** The submitter of this process, for those who wait. */
export interface ChainSubmission {
  /**
   * Takes up what was just stored. `atOnce`: also beside what is under way, which is right for one that stands for many; single
   * ones are cheaper together with what else comes meanwhile.
   */
  wake(atOnce?: boolean): void;
  /**
   * Its end, whichever process brings it about; undefined: not in that time. `isNew`: it was stored a moment ago, so that nobody
   * needs to look first whether it is over.
   */
  waitForEnd(id: string, timeoutMilliseconds: number, isNew?: boolean): Promise<ChainTransaction | undefined>;
}
