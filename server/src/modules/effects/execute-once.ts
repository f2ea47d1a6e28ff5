import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import type { EffectAggregates, EffectEnd, EffectRecord, Next } from "./effect.ts";
import { type EffectMachine, EffectWorker } from "./effect-worker.ts";

/** A record that a call asked for. */
export interface CalledEffect extends EffectRecord {
  callId: string;
}

export interface OnceRequest<R extends CalledEffect, A extends EffectAggregates> {
  /** The call is the worker: no two calls share one, and a dead call is recognised by its silence. */
  callId: string;
  /** A record with the same key that is not failed. */
  findLive(): Promise<R | undefined>;
  /** Runs all checks before anything is stored or sent. Throws a Failure. */
  prepare(): Promise<PreparedEffect<R, A>>;
  /** Throws a Failure if the call asks for something else under the same key. */
  requireSame?(record: R): Promise<void>;
  /** The failure of a call that finds an earlier one still running. */
  inProgress(): Failure;
  outcomeUnknown(cause: unknown): Failure;
}

interface PreparedEffect<R extends CalledEffect, A extends EffectAggregates> {
  /** Stores the intent and its payment. Undefined if another call was first. */
  insert(aggregates: A): Promise<R | undefined>;
  /** The first move of the stored intent. */
  begin(record: R): Next<R, A>;
}

export interface OnceOptions {
  /** How long a call waits for another call that does the same. */
  waitMilliseconds?: number;
  /** True: the call may only return an earlier one's answer, as no gate has judged an effect of its own. */
  isRepeat?: boolean;
  /** How long a call waits for its own effect; the effect continues without it. */
  answerMilliseconds?: number;
}

export type OnceAnswer =
  | { kind: "done"; result: unknown }
  /** An earlier call did it; nothing was done now. */
  | { kind: "replayed"; result: unknown; firstCallId: string };

const WAIT_MILLISECONDS = 10_000;
/** Clients commonly give up on a call after a minute. */
export const ANSWER_MILLISECONDS = 50_000;
const POLL_MILLISECONDS = 100;

/** Executes an effect once, however many calls ask for it. Throws a Failure; see `effect.ts` for the states of its record. */
export async function executeOnce<R extends CalledEffect, A extends EffectAggregates>(
  machine: EffectMachine<R, A>,
  request: OnceRequest<R, A>,
  options: OnceOptions = {},
): Promise<OnceAnswer> {
  const deadline = performance.now() + (options.waitMilliseconds ?? WAIT_MILLISECONDS);
  for (;;) {
    const live = await request.findLive();
    if (live !== undefined) {
      const replayed = await waitForEarlier(machine, request, live, deadline);
      if (replayed !== undefined) return replayed;
      continue;
    }
    // The earlier call has failed meanwhile. Sent again, the call is judged by its own effect.
    if (options.isRepeat === true) throw request.inProgress();
    const prepared = await request.prepare();
    const record = await storeIntent(machine, request.callId, prepared);
    if (record === undefined) continue;
    return await awaitAnswer(machine, request, record, {
      begin: prepared.begin,
      milliseconds: options.answerMilliseconds ?? ANSWER_MILLISECONDS,
    });
  }
}

/** Stores the intent, its payment and the open effect of the call, or none of them. */
async function storeIntent<R extends CalledEffect, A extends EffectAggregates>(
  { stores }: EffectMachine<R, A>,
  callId: string,
  { insert }: PreparedEffect<R, A>,
): Promise<R | undefined> {
  return await stores.transaction(async (aggregates) => {
    const record = await insert(aggregates);
    if (record !== undefined) await aggregates.effects.open(callId);
    return record;
  });
}

async function awaitAnswer<R extends CalledEffect, A extends EffectAggregates>(
  machine: EffectMachine<R, A>,
  request: OnceRequest<R, A>,
  record: R,
  { begin, milliseconds }: { begin: PreparedEffect<R, A>["begin"]; milliseconds: number },
): Promise<OnceAnswer> {
  const deadline = performance.now() + milliseconds;
  const end = await waitAtMost(new EffectWorker(machine, request.callId).run(record, begin), milliseconds);
  switch (end.kind) {
    case "done":
      return end;
    case "failed":
      throw end.failure;
    case "unknown":
      throw request.outcomeUnknown(end.cause);
    default:
      return await finishedByAnother(machine, request, record, deadline);
  }
}

/** The effect continues to its end, whether or not anybody still waits. */
async function waitAtMost(work: Promise<EffectEnd>, milliseconds: number): Promise<EffectEnd> {
  // The database may have failed in between: the record is stored, and the reconciler takes over.
  const end = work.catch((cause: unknown): EffectEnd => ({ kind: "unknown", cause }));
  const waiting = new AbortController();
  const late = delay(milliseconds, undefined, { signal: waiting.signal }).then(
    (): EffectEnd => ({ kind: "unknown" }),
    (): EffectEnd => ({ kind: "unknown" }),
  );
  try {
    return await Promise.race([end, late]);
  } finally {
    waiting.abort();
  }
}

/** Another worker finishes this call's effect: this one was silent for too long, or had to wait. */
async function finishedByAnother<R extends CalledEffect, A extends EffectAggregates>(
  { stores, definition }: EffectMachine<R, A>,
  { outcomeUnknown }: OnceRequest<R, A>,
  { id, kind }: R,
  deadline: number,
): Promise<OnceAnswer> {
  for (;;) {
    const record = await definition.store(stores).get(id);
    const cause = new Error(`${kind} ${id} was taken over and is ${record?.state}`);
    if (record?.state === definition.done) return { kind: "done", result: record.result };
    if (record?.failureCode !== undefined) throw new Failure(record.failureCode, { cause });
    if (performance.now() >= deadline) throw outcomeUnknown(cause);
    await delay(POLL_MILLISECONDS);
  }
}

/** The earlier call's answer; undefined if it failed, so that this call may try itself. */
async function waitForEarlier<R extends CalledEffect, A extends EffectAggregates>(
  { stores, definition }: EffectMachine<R, A>,
  { inProgress, requireSame }: OnceRequest<R, A>,
  live: R,
  deadline: number,
): Promise<OnceAnswer | undefined> {
  let record: R | undefined = live;
  for (;;) {
    if (record === undefined || record.state === "failed") return undefined;
    if (record.state === definition.done) {
      await requireSame?.(record);
      return { kind: "replayed", result: record.result, firstCallId: record.callId };
    }
    if (performance.now() >= deadline) throw inProgress();
    await delay(POLL_MILLISECONDS);
    record = await definition.store(stores).get(live.id);
  }
}
