import type { TraceSubject } from "../domain/trace.ts";
import type { ThirdParty } from "./channel-records.ts";

/**
 * - `answered`: it did what it was asked
 * - `refused`: it answered that it would not
 * - `failed`: it did nothing, or nothing was sent
 * - `unanswered`: it was sent, and what it did is unknown
 */
export type OutsideCallState = "answered" | "refused" | "failed" | "unanswered";

/** One request to a third party. Each attempt is one. It holds no address, no argument and no answer. */
export interface OutsideCall extends TraceSubject {
  readonly party: ThirdParty;
  /** Such as `POST /air/orders/*`: without ids and without a query. */
  readonly operation: string;
  readonly state: OutsideCallState;
  readonly status: number | undefined;
  /** Why there is no answer. */
  readonly problem: string | undefined;
  /** The third party's own id of the request. */
  readonly requestId: string | undefined;
  readonly latencyMs: number;
  readonly traceId: string | undefined;
  readonly at: Temporal.Instant;
}

/** Takes calls that belong to a tenant, after they have ended. Neither waits nor throws. */
export interface OutsideCallLog {
  record(call: OutsideCall): void;
}

/** Calls that wait to be stored. Bounded: calls beyond it are dropped and counted. */
export interface WaitingCalls extends OutsideCallLog {
  /** Removes and returns the oldest ones. */
  take(most: number): readonly OutsideCall[];
  /** Takes calls again that could not be stored. */
  putBack(calls: readonly OutsideCall[]): void;
  readonly dropped: number;
}
