import type { Failure } from "../../domain/errors.ts";
import type { JobQueue } from "../../kernel/contracts/job.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Effects } from "./effects.ts";

/**
 * The one machine for effects outside: requests to a supplier, or to any other system that cannot take part in a
 * transaction of our database. Bookings, cancellations, changes and mails use it: each gives an `EffectDefinition` and
 * a store over its own table. (Chain operations have their own machine, which handles nonces.)
 *
 * | state     | possible effect at the other side | how it ends                                                         |
 * |-----------|-----------------------------------|---------------------------------------------------------------------|
 * | intended  | none: no request was sent         | → a sending state by its worker; → failed by whoever takes it over  |
 * | waiting   | that of earlier steps only        | → a sending state when the awaited event has come; → failed         |
 * | sending   | the whole request                 | an answer: → done, → failed, or the next step; no answer: looked up |
 * |           |                                   | after the quiet time, and then treated as that answer               |
 * | done      | the whole request                 | final: its money is taken, its records are written                  |
 * | failed    | none, or none that costs          | final: its money is given back                                      |
 *
 * A definition names its own waiting and sending states (a flight is `ordering`, `held`, `paying`) and its own word for
 * done.
 *
 * - **Intent.** One transaction stores the record with its idempotency key (an index allows one that is not failed),
 *   its payment, and the mark that the call's outcome is open, before anything is sent. A repeated request finds the
 *   record and gets its answer (`execute-once.ts`).
 * - **Lease.** One worker holds a record at a time: the call that made it, or the reconciler after that worker has been
 *   silent for STALE_SECONDS (`reconcile-effects.ts`). It sends a heartbeat every HEARTBEAT_MILLISECONDS. Every move is
 *   guarded by the state that it leaves and by the worker; a worker that loses the guard stops at once.
 * - **Send once.** The sending state is stored before the request is sent, so that a crash between the two leaves an
 *   open question and never an unknown effect. A request is only sent within SEND_WITHIN_MILLISECONDS of that.
 * - **Look-up.** A look-up that finds nothing proves something only after the quiet time, which counts from the last
 *   moment when the request can have been sent or its worker was alive. A use whose other side cannot be asked sends
 *   again, with the same key, so that its effect happens at least once.
 * - **End.** The end of a record settles its money and writes its records in one transaction. Until then its money is
 *   not touched.
 */
export const SEND_WITHIN_MILLISECONDS = 5_000;
export const STALE_SECONDS = 15;

/** The part of a record that the machine needs; a use adds its own. */
export interface EffectRecord {
  id: string;
  environment: Environment;
  kind: string;
  /** `intended`, `failed`, and the use's own states. */
  state: string;
  /** The call that asked for it. Undefined if no call's outcome depends on it. */
  callId: string | undefined;
  /** The trace id of that call. */
  traceId?: string | null | undefined;
  /** For whom and for what it is done. */
  tenantId?: string | undefined;
  tripId?: string | null | undefined;
  /** The caller's answer. */
  result: unknown;
  failureCode: string | undefined;
  /** Before this a look-up that finds nothing proves nothing. */
  quietUntil: Temporal.Instant | undefined;
  createdAt: Temporal.Instant;
}

/**
 * The records of a use. `createWorkerLeases` (`platform/leased-queue`) provides all but the first two over any table
 * with the columns of a lease.
 */
export interface EffectStore<R extends EffectRecord> {
  get(id: string): Promise<R | undefined>;
  /** Guarded by state and worker: false, without a change, if the record is in another state or another worker holds it. */
  advance(
    id: string,
    guard: { from: R["state"]; workerId: string },
    to: R["state"],
    change?: Partial<R>,
  ): Promise<boolean>;
  /**
   * The worker's heartbeat: false if another one has taken over. While a request may be on its way, every heartbeat
   * moves the quiet time to `quietUntil`, so that after a crash it counts from the crash.
   */
  touch(id: string, workerId: string, quietUntil: Temporal.Instant): Promise<boolean>;
  /** Releases the record, which nobody touches before `quietUntil`. `cause` is for stores that keep it. */
  leave(id: string, workerId: string, quietUntil: Temporal.Instant, cause?: unknown): Promise<boolean>;
  /**
   * Takes over at most `limit` records that are not final, are past their quiet time and have no live worker; only of
   * `kinds`, if given.
   */
  claimStale(
    workerId: string,
    staleSeconds: number,
    limit: number,
    kinds?: readonly R["kind"][],
  ): Promise<readonly R[]>;
  /** The records that `claimStale` would take over. */
  queue(staleSeconds: number, kinds?: readonly R["kind"][]): JobQueue;
}

export interface EffectAggregates {
  effects: Effects;
}

export type EffectStores<A extends EffectAggregates> = A & {
  transaction<T>(work: (aggregates: A) => Promise<T>): Promise<T>;
};

/** A record's next move. Steps decide it; the machine stores it before it acts. */
export type Move<R extends EffectRecord, A extends EffectAggregates> =
  | Sending<R, A>
  /** A new fact, stored before the steps that depend on it. */
  | { kind: "step"; to: R["state"]; change: Partial<R>; next: (record: R) => Next<R, A> }
  /** The result is computed before the transaction that stores it. */
  | { kind: "done"; end: () => Promise<EffectResult<R, A>> }
  | { kind: "failed"; failure: Failure }
  /** A request was sent and its outcome is open: it is looked up after the quiet time. */
  | { kind: "unknown"; cause: unknown }
  /** Waits for something unrelated to the other side; no quiet time is needed. */
  | { kind: "soon"; cause: unknown };

export type Next<R extends EffectRecord, A extends EffectAggregates> = Move<R, A> | Promise<Move<R, A>>;

export interface Sending<R extends EffectRecord, A extends EffectAggregates> {
  kind: "send";
  to: R["state"];
  change: Partial<R>;
  /** Sends once; the returned function reads the answer. Throws like `SendRequest.request`. */
  attempt(record: R): Promise<() => Next<R, A>>;
  refused(record: R, failure: Failure): Next<R, A>;
}

export interface SendRequest<R extends EffectRecord, A extends EffectAggregates, Answer> {
  to: R["state"];
  change?: Partial<R>;
  /** Throws a Failure if nothing happened; `outcome_unknown`, or any other error, if that is unknown. */
  request(record: R): Promise<Answer>;
  /** If it throws, the record stays open. */
  answered(record: R, answer: Answer): Next<R, A>;
  refused(record: R, failure: Failure): Next<R, A>;
}

export interface EffectResult<R extends EffectRecord, A extends EffectAggregates> {
  /** The caller's answer, now and for every repetition. */
  result: unknown;
  /** A final state other than `done`. */
  to?: R["state"];
  change?: Partial<R>;
  /** Runs in the transaction that stores the end. */
  apply(aggregates: A): Promise<void>;
}

type Recovery<R extends EffectRecord, A extends EffectAggregates> =
  /** The other side can be asked. Never used for an `intended` record; if it throws, the record stays open. */
  | { kind: "look_up"; lookUp(record: R): Next<R, A> }
  /** It cannot be asked, but deduplicates by the key. */
  | { kind: "send_again"; sendAgain(record: R): Next<R, A> };

/** The definition of a use, apart from its steps. */
export interface EffectDefinition<R extends EffectRecord, A extends EffectAggregates> {
  /** The use's own word for done. */
  done: R["state"];
  store(aggregates: A): EffectStore<R>;
  /** After an unknown outcome, how long to wait before a look-up proves that nothing happened. */
  quietMilliseconds(record: R): number;
  recovery: Recovery<R, A>;
  /** The failure of a call whose request was never sent. */
  neverSent(): Failure;
  /** In the transaction that stores the failure. */
  giveBack(aggregates: A, record: R): Promise<void>;
  /**
   * The state if the database refuses an end, such as a refund that exceeds the collection wallet. `soon`: a look-up
   * finds the answer at once, so that it is retried in a moment. `unknown`: a look-up may find it only after the quiet
   * time.
   */
  unstoredEnd: "soon" | "unknown";
  /** After an end was stored. */
  ended?(): void;
}

/** A record stays open without an error: it waits for an expected event. */
export class Waiting extends Error {}

export type EffectEnd =
  | { kind: "done"; result: unknown }
  | { kind: "failed"; failure: Failure }
  /** The reconciler decides. */
  | { kind: "unknown"; cause?: unknown }
  /** The reconciler continues in a moment. */
  | { kind: "soon"; cause?: unknown }
  /** Another worker holds the record. */
  | { kind: "lost" };

export function send<R extends EffectRecord, A extends EffectAggregates, Answer>(
  sending: SendRequest<R, A, Answer>,
): Sending<R, A> {
  const nothing: Partial<R> = {};
  return {
    kind: "send",
    to: sending.to,
    change: sending.change ?? nothing,
    async attempt(record) {
      const answer = await sending.request(record);
      return () => sending.answered(record, answer);
    },
    refused: sending.refused,
  };
}

export function failed(failure: Failure): { kind: "failed"; failure: Failure } {
  return { kind: "failed", failure };
}

export function unknown(cause: unknown): { kind: "unknown"; cause: unknown } {
  return { kind: "unknown", cause };
}
