import type { Transaction } from "./stores.ts";

/**
 * What else changes in the database transaction that opens or ends what a call does outside. Followers are asked in the order of
 * the modules.
 */
export interface EffectFollower<Aggregates = Transaction> {
  /** Throws a Failure when the call may no longer do it. */
  opened?(aggregates: Aggregates, callId: string): Promise<void>;
  done?(aggregates: Aggregates, callId: string): Promise<void>;
  failed?(aggregates: Aggregates, callId: string): Promise<void>;
}
