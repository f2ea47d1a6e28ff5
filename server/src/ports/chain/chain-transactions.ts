import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../identity.ts";
import type { ChainReceipt } from "./chain.ts";
import type { StoredOperation } from "./chain-operation.ts";

/**
 * queued: stored, nothing signed · signed: nonce, raw transaction and hash are stored; it was or may have been broadcast ·
 * confirmed: in a block that counts · reverted: in a block that counts, without effect.
 */
type ChainTransactionState = "queued" | "signed" | "confirmed" | "reverted";

/**
 * carry_out: the operation itself is under way · withdraw: it was sent and had no effect; under way is what makes its authorization
 * unusable, so that nobody who has seen it can carry it out after its money was given back.
 */
export type ChainTransactionStep = "carry_out" | "withdraw";

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

export type ChainTransactionEnd =
  | { state: "confirmed"; receipt: ChainReceipt }
  | { state: "reverted"; receipt: ChainReceipt; failure: string };

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
