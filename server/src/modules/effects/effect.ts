import type { Failure } from "../../domain/errors.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Effects } from "./effects.ts";

/**
 * The one machine for effects outside: what a call asks of a supplier, or of anybody else who cannot take part in a transaction of
 * our database. Bookings, cancellations, changes and mails are its users: each gives an `EffectDefinition` and a store over
 * its own table; none has a machine of its own. (What goes to the chain has one, as it deals with nonces.)
 *
 * | state     | what the other side may have done | how it is left                                                      |
 * |-----------|-----------------------------------|---------------------------------------------------------------------|
 * | intended  | nothing: no request was sent      | → a sending state by its worker; → failed by who takes it over       |
 * | waiting   | what was done before, and no more | → a sending state when what it waits for is there; → failed          |
 * | sending   | all of it                         | answer: → done, → failed, or the next step; no answer: looked up     |
 * |           |                                   | after the quiet time, and then as if that were the answer            |
 * | done      | all of it                         | final: its money is taken, its records are written                   |
 * | failed    | nothing, or nothing that costs    | final: its money is given back                                       |
 *
 * A definition names its own waiting and sending states (a flight is `ordering`, `held`, `paying`) and its own word for done.
 *
 * - **Intent.** The record is stored with its idempotency key (an index allows one that is not failed), what pays for it, and the mark
 *   that the call's outcome is open, in one transaction, before anything is sent. Whoever asks for the same again finds the record
 *   and gets its answer (`execute-once.ts`).
 * - **Lease.** One worker has a record at a time: the call that made it, or the reconciler when that worker has been silent for
 *   STALE_SECONDS (`reconcile-effects.ts`). It says every HEARTBEAT_MILLISECONDS that it lives. Every move is guarded by the
 *   state that it leaves and by the worker; who loses that guard stops at once.
 * - **Send once.** The sending state is stored before the request is sent, so that a crash between the two leaves an open question
 *   and never an unknown effect. A request is only sent within SEND_WITHIN_MILLISECONDS of that.
 * - **Look-up.** A look that finds nothing proves something only after the quiet time, which counts from the last moment at which
 *   the request can have been sent or its worker was alive. Not every other side can be asked: a use without look-up sends again, with
 *   the same key, so that its effect happens at least once.
 * - **End.** What ends a record settles its money and writes its records in the same transaction. In between, money is not touched.
 */
export const SEND_WITHIN_MILLISECONDS = 5_000;
export const STALE_SECONDS = 15;

/** What the machine has to know of a record; a use adds its own. */
export interface EffectRecord {
  id: string;
  environment: Environment;
  kind: string;
  /** `intended`, `failed`, and the words of the use. */
  state: string;
  /** The call that asked for it. Undefined: no call's outcome depends on it. */
  callId: string | undefined;
  /** Of that call. */
  traceId?: string | null | undefined;
  /** What the caller got. */
  result: unknown;
  failureCode: string | undefined;
  /** Before this a look-up that finds nothing proves nothing. */
  quietUntil: Temporal.Instant | undefined;
  createdAt: Temporal.Instant;
}

/** The records of a use. `createWorkerLeases` (`platform/leased-queue`) gives all but the first two over any table with the columns of a lease. */
export interface EffectStore<R extends EffectRecord> {
  get(id: string): Promise<R | undefined>;
  /** Guarded by state and worker: false when the record was elsewhere or another worker has it, and nothing changed. */
  advance(
    id: string,
    guard: { from: R["state"]; workerId: string },
    to: R["state"],
    change?: Partial<R>,
  ): Promise<boolean>;
  /**
   * The worker's heartbeat: false when another one has taken over. While a request may be on its way, the quiet time moves on
   * to `quietUntil` with every beat, so that after a crash it counts from the crash.
   */
  touch(id: string, workerId: string, quietUntil: Temporal.Instant): Promise<boolean>;
  /** The worker lets go, and nobody touches the record before `quietUntil`. `cause`: for stores that keep why. */
  leave(id: string, workerId: string, quietUntil: Temporal.Instant, cause?: unknown): Promise<boolean>;
  /**
   * Takes over records that are not final, whose quiet time is over and that no living worker has; at most `limit`, and only of
   * `kinds` when they are named.
   */
  claimStale(
    workerId: string,
    staleSeconds: number,
    limit: number,
    kinds?: readonly R["kind"][],
  ): Promise<readonly R[]>;
}

export interface EffectAggregates {
  effects: Effects;
}

export type EffectStores<A extends EffectAggregates> = A & {
  transaction<T>(work: (aggregates: A) => Promise<T>): Promise<T>;
};

/** How a record goes on. Steps decide it; the machine stores it, and does it only then. */
export type Move<R extends EffectRecord, A extends EffectAggregates> =
  | Sending<R, A>
  /** Something is known now and is stored before what follows from it. */
  | { kind: "step"; to: R["state"]; change: Partial<R>; next: (record: R) => Next<R, A> }
  /** What it brings is worked out before the transaction that stores it. */
  | { kind: "done"; end: () => Promise<EffectResult<R, A>> }
  | { kind: "failed"; failure: Failure }
  /** A request was sent and its outcome is open: it is looked up after the quiet time. */
  | { kind: "unknown"; cause: unknown }
  /** It waits for something that has nothing to do with the other side; nothing has to be proved by waiting. */
  | { kind: "soon"; cause: unknown };

export type Next<R extends EffectRecord, A extends EffectAggregates> = Move<R, A> | Promise<Move<R, A>>;

export interface Sending<R extends EffectRecord, A extends EffectAggregates> {
  kind: "send";
  to: R["state"];
  change: Partial<R>;
  /** Sends, once; what it returns reads the answer. Throws as `SendRequest.request` does. */
  attempt(record: R): Promise<() => Next<R, A>>;
  refused(record: R, failure: Failure): Next<R, A>;
}

export interface SendRequest<R extends EffectRecord, A extends EffectAggregates, Answer> {
  to: R["state"];
  change?: Partial<R>;
  /** Throws a Failure when nothing happened; `outcome_unknown`, or anything else, when that is not known. */
  request(record: R): Promise<Answer>;
  /** A step that throws leaves the record open. */
  answered(record: R, answer: Answer): Next<R, A>;
  refused(record: R, failure: Failure): Next<R, A>;
}

export interface EffectResult<R extends EffectRecord, A extends EffectAggregates> {
  /** The caller's answer, now and whenever it asks again. */
  result: unknown;
  /** Another final state than `done`. */
  to?: R["state"];
  change?: Partial<R>;
  /** In the transaction that stores the end. */
  apply(aggregates: A): Promise<void>;
}

type Recovery<R extends EffectRecord, A extends EffectAggregates> =
  /** The other side can be asked. Not asked for a record that is `intended`; one that throws leaves the record open. */
  | { kind: "look_up"; lookUp(record: R): Next<R, A> }
  /** It cannot, but takes what comes again under the same key for the same. */
  | { kind: "send_again"; sendAgain(record: R): Next<R, A> };

/** What a use is, but for its steps. */
export interface EffectDefinition<R extends EffectRecord, A extends EffectAggregates> {
  /** The use's word for done. */
  done: R["state"];
  store(aggregates: A): EffectStore<R>;
  /** After an unknown outcome, how long to wait before a look-up proves that nothing happened. */
  quietMilliseconds(record: R): number;
  recovery: Recovery<R, A>;
  /** What a call is told whose request was never sent. */
  neverSent(): Failure;
  /** In the transaction that stores the failure. */
  giveBack(aggregates: A, record: R): Promise<void>;
  /**
   * What an end is that the database does not take, such as a refund that the collection wallet lacks. `soon`: a look-up finds
   * what was answered at once, so that it is tried in a moment. `unknown`: it may take the quiet time until a look-up finds it.
   */
  unstoredEnd: "soon" | "unknown";
  /** After an end was stored. */
  ended?(): void;
}

/** Why a record stays open that is in no trouble: it waits for something that is expected to come. */
export class Waiting extends Error {}

export type EffectEnd =
  | { kind: "done"; result: unknown }
  | { kind: "failed"; failure: Failure }
  /** The reconciler decides. */
  | { kind: "unknown"; cause?: unknown }
  /** The reconciler goes on in a moment. */
  | { kind: "soon"; cause?: unknown }
  /** Another worker has the record. */
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
