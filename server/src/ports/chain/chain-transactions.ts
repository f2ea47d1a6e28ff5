import type { Hex } from "../../domain/tokens.ts";
import type { ChainReceipt } from "./chain.ts";
import type { ChainKey } from "./chain-key.ts";
import type { StoredOperation } from "./chain-operation.ts";

/**
 * queued: stored, nothing signed · signed: nonce, raw transaction and hash are stored; it was or may have been broadcast ·
 * confirmed: in a confirmed block · reverted: in a confirmed block, without effect.
 */
type ChainTransactionState = "queued" | "signed" | "confirmed" | "reverted";

/**
 * carry_out: the operation itself is pending · withdraw: it was sent and had no effect; the pending transaction invalidates its
 * authorization, so that nobody who has seen it can execute it after its money was given back.
 */
export type ChainTransactionStep = "carry_out" | "withdraw";

export interface SignedTransaction {
  raw: Hex;
  hash: Hex;
}

export interface ChainTransaction extends ChainKey {
  /** `ctx_…` */
  id: string;
  idempotencyKey: string;
  tenantId: string | null;
  /** The tool call that waits for it, if any. */
  callId: string | null;
  /** The trace of its call. */
  traceId: string | undefined;
  /** Its purpose, such as a tool's name; it selects who is told of the end. */
  purpose: string;
  operation: StoredOperation;
  /** The call's answer without `txHash`, `chainId` and `status`, which its end adds. */
  result: Readonly<Record<string, unknown>> | undefined;
  state: ChainTransactionState;
  step: ChainTransactionStep;
  hash: Hex | undefined;
  /** Transactions sent for it before the one in `hash`. */
  earlierHashes: readonly Hex[];
  raw: Hex | undefined;
  nonce: number | undefined;
  /** Why it was reverted, as reported by the chain. */
  failure: string | undefined;
  blockNumber: bigint | undefined;
  createdAt: Temporal.Instant;
}

/** A transaction whose end was awaited. */
export type EndedTransaction = ChainTransaction & {
  /** Facts that its end adds to the call's answer. Undefined where this process has not stored the end for a call. */
  additions?: Readonly<Record<string, unknown>> | undefined;
};

export type ChainTransactionEnd =
  | { state: "confirmed"; receipt: ChainReceipt }
  | { state: "reverted"; receipt: ChainReceipt; failure: string };

/** This process's submitter, for code that waits for transactions. */
export interface ChainSubmission {
  /**
   * Submits what was just stored. `atOnce`: in parallel with current work, for transactions that stand for many; single ones
   * are cheaper batched with others.
   */
  wake(atOnce?: boolean): void;
  /**
   * Waits for its end, whichever process brings it about; undefined: timed out. `isNew`: it was just stored, so no look-up is
   * needed first.
   */
  waitForEnd(id: string, timeoutMilliseconds: number, isNew?: boolean): Promise<EndedTransaction | undefined>;
}
