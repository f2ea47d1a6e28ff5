import type { Transaction } from "./stores.ts";

/** Further changes in the database transaction that opens or ends a call's effect outside. Followers run in the order of the modules. */
export interface EffectFollower<Aggregates = Transaction> {
  /**
   * For a call that may have lost what it had reserved, as it counted as dead or an earlier effect of it failed: takes that
   * again. Throws a Failure if the effect is no longer allowed.
   */
  opened?(aggregates: Aggregates, callId: string): Promise<void>;
  /** SQL of a change that one statement makes together with the end: `ended` is a table with the call's `id`. */
  doneWith?: string;
  failed?(aggregates: Aggregates, callId: string): Promise<void>;
}
