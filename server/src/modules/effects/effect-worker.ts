import { Failure } from "../../domain/errors.ts";
import { HEARTBEAT_MILLISECONDS, startHeartbeat } from "../../platform/leased-queue/heartbeat.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  type EffectAggregates,
  type EffectDefinition,
  type EffectEnd,
  type EffectRecord,
  type EffectResult,
  type EffectStore,
  type EffectStores,
  failed,
  type Move,
  type Next,
  SEND_WITHIN_MILLISECONDS,
  type Sending,
  unknown,
} from "./effect.ts";

/** If the end is known but cannot be stored, or the record waits for something else. */
const AGAIN_MILLISECONDS = 500;
/** Retries become rarer with time: the collection wallet may be funded only after days. */
const LATEST_AGAIN_MILLISECONDS = 300_000;

/** Rolls a transaction back if the guard of a move fails. */
class LostEffect extends Error {}

export interface EffectMachine<R extends EffectRecord, A extends EffectAggregates> {
  stores: EffectStores<A>;
  clock: Clock;
  definition: EffectDefinition<R, A>;
}

/** Advances records to their ends as far as possible; see `effect.ts`. Callers get the record's state, and errors are not thrown. */
export class EffectWorker<R extends EffectRecord, A extends EffectAggregates> {
  readonly #stores: EffectStores<A>;
  readonly #clock: Clock;
  readonly #definition: EffectDefinition<R, A>;
  readonly #workerId: string;

  /** No two live workers share an id. */
  constructor({ stores, clock, definition }: EffectMachine<R, A>, workerId: string) {
    this.#stores = stores;
    this.#clock = clock;
    this.#definition = definition;
    this.#workerId = workerId;
  }

  /** Executes the next move of a record that this worker holds, and all that follow. */
  async run(record: R, first: (record: R) => Next<R, A>): Promise<EffectEnd> {
    const stopBeating = this.#beat(record);
    try {
      return await this.#follow(record, () => first(record));
    } catch (error) {
      if (error instanceof LostEffect) return { kind: "lost" };
      throw error;
    } finally {
      void stopBeating();
    }
  }

  /** Looks up and finishes a record that another worker left. */
  resume(record: R): Promise<EffectEnd> {
    const { recovery, neverSent } = this.#definition;
    return this.run(record, () => {
      if (recovery.kind === "send_again") return recovery.sendAgain(record);
      return record.state === "intended" ? failed(neverSent()) : recovery.lookUp(record);
    });
  }

  async #follow(started: R, first: () => Next<R, A>): Promise<EffectEnd> {
    let record = started;
    let move = await decide(first);
    for (;;) {
      const standing = record;
      switch (move.kind) {
        case "step": {
          const { next } = move;
          record = await this.#advance(standing, move.to, move.change);
          const reached = record;
          move = await decide(() => next(reached));
          break;
        }
        case "send": {
          const sent = await this.#send(standing, move);
          record = sent.record;
          move = await decide(sent.next);
          break;
        }
        case "done": {
          const { end } = move;
          return this.#end(standing, () => this.#complete(standing, end));
        }
        case "failed": {
          const { failure } = move;
          return this.#end(standing, () => this.#fail(standing, failure));
        }
        default:
          return this.#leave(standing, move.kind, move.cause);
      }
    }
  }

  /** Stores that the request may be on its way, then sends it, once. */
  async #send(record: R, move: Sending<R, A>): Promise<{ record: R; next: () => Next<R, A> }> {
    const storedAt = this.#clock.now();
    const quietMilliseconds = this.#definition.quietMilliseconds(record);
    const quietUntil = storedAt.add({ milliseconds: SEND_WITHIN_MILLISECONDS + quietMilliseconds });
    const sent = await this.#advance(record, move.to, { ...move.change, quietUntil });
    if (this.#clock.now().since(storedAt).total("milliseconds") > SEND_WITHIN_MILLISECONDS) {
      return { record: sent, next: () => move.refused(sent, this.#definition.neverSent()) };
    }
    try {
      return { record: sent, next: await move.attempt(sent) };
    } catch (cause) {
      const isCertain = cause instanceof Failure && cause.code !== "outcome_unknown";
      return { record: sent, next: () => (isCertain ? move.refused(sent, cause) : unknown(cause)) };
    }
  }

  async #advance(record: R, to: R["state"], change: Partial<R>): Promise<R> {
    const guard = { from: record.state, workerId: this.#workerId };
    if (!(await this.#store().advance(record.id, guard, to, change))) throw new LostEffect();
    return { ...record, ...change, state: to };
  }

  /** If the database refuses an end, it is tried again. */
  async #end(record: R, store: () => Promise<EffectEnd>): Promise<EffectEnd> {
    try {
      const end = await store();
      this.#definition.ended?.();
      return end;
    } catch (cause) {
      if (cause instanceof LostEffect) throw cause;
      return this.#leave(record, this.#definition.unstoredEnd, cause);
    }
  }

  async #complete(record: R, end: () => Promise<EffectResult<R, A>>): Promise<EffectEnd> {
    const nothing: Partial<R> = {};
    const { result, change = nothing, to = this.#definition.done, apply } = await end();
    await this.#storeEnd(record, to, { ...change, result }, async (aggregates) => {
      await apply(aggregates);
      if (record.callId !== undefined) await aggregates.effects.done(record.callId, result);
    });
    return { kind: "done", result };
  }

  async #fail(record: R, failure: Failure): Promise<EffectEnd> {
    const nothing: Partial<R> = {};
    await this.#storeEnd(record, "failed", { ...nothing, failureCode: failure.code }, async (aggregates) => {
      await this.#definition.giveBack(aggregates, record);
      if (record.callId !== undefined) await aggregates.effects.failed(record.callId);
    });
    return { kind: "failed", failure };
  }

  async #storeEnd(
    { id, state }: R,
    to: R["state"],
    change: Partial<R>,
    settle: (aggregates: A) => Promise<void>,
  ): Promise<void> {
    await this.#stores.transaction(async (aggregates) => {
      const guard = { from: state, workerId: this.#workerId };
      if (!(await this.#definition.store(aggregates).advance(id, guard, to, change))) throw new LostEffect();
      await settle(aggregates);
    });
  }

  /** Releases the record until it makes sense to look again. */
  async #leave(record: R, kind: "unknown" | "soon", cause: unknown): Promise<EffectEnd> {
    const now = this.#clock.now();
    const milliseconds = kind === "soon" ? againAfter(record, now) : this.#definition.quietMilliseconds(record);
    const left = await this.#store().leave(record.id, this.#workerId, now.add({ milliseconds }), cause);
    return left ? { kind, cause } : { kind: "lost" };
  }

  /** Sends heartbeats until the returned function is called. */
  #beat(record: R): () => Promise<void> {
    const store = this.#store();
    const milliseconds = HEARTBEAT_MILLISECONDS + this.#definition.quietMilliseconds(record);
    return startHeartbeat(() => store.touch(record.id, this.#workerId, this.#clock.now().add({ milliseconds })));
  }

  #store(): EffectStore<R> {
    return this.#definition.store(this.#stores);
  }
}

/** If a step throws, the outcome is unknown. */
async function decide<R extends EffectRecord, A extends EffectAggregates>(step: () => Next<R, A>): Promise<Move<R, A>> {
  try {
    return await step();
  } catch (cause) {
    return unknown(cause);
  }
}

function againAfter({ createdAt }: EffectRecord, now: Temporal.Instant): number {
  const tenth = Math.round(now.since(createdAt).total("milliseconds") / 10);
  return Math.min(Math.max(AGAIN_MILLISECONDS, tenth), LATEST_AGAIN_MILLISECONDS);
}
