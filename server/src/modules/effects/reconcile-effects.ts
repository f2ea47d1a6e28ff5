import { inTrace, type TraceSubject } from "../../domain/trace.ts";
import type { EffectUse, Reconciler } from "../../kernel/contracts/effect-use.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import {
  type EffectAggregates,
  type EffectDefinition,
  type EffectRecord,
  type EffectStore,
  type EffectStores,
  STALE_SECONDS,
  Waiting,
} from "./effect.ts";
import { EffectWorker } from "./effect-worker.ts";

export interface EffectUseOptions<R extends EffectRecord, A extends EffectAggregates> {
  /** For log lines and metrics. */
  name: string;
  /** Set if the store has records of other uses, too. */
  kinds?: readonly R["kind"][];
  stores: EffectStores<A>;
  clock: Clock;
  store(aggregates: A): EffectStore<R>;
  /** Undefined if this environment is switched off; its records wait. */
  definitionFor(environment: Environment): EffectDefinition<R, A> | undefined;
}

const BATCH = 20;

export function defineEffectUse<R extends EffectRecord, A extends EffectAggregates>(
  options: EffectUseOptions<R, A>,
): EffectUse {
  const { name, kinds, stores, clock, store, definitionFor } = options;

  async function finish(record: R, { workerId, log }: Reconciler): Promise<void> {
    const { id, kind, state, environment } = record;
    const fields = { effect: name, id, kind, state };
    try {
      const definition = definitionFor(environment);
      if (definition === undefined) {
        log.warn({ ...fields, network: environment }, "effect left open: its environment is switched off");
        return;
      }
      const end = await new EffectWorker({ stores, clock, definition }, workerId).resume(record);
      if (end.kind === "unknown" || end.kind === "soon") {
        if (end.cause instanceof Waiting) log.info({ ...fields, why: end.cause.message }, "effect waits");
        else log.warn({ ...fields, err: end.cause }, "effect is still open");
      } else if (end.kind === "failed") log.warn({ ...fields, err: end.failure }, "effect given up");
      else log.info({ ...fields, end: end.kind }, "effect reconciled");
    } catch (err) {
      // It stays leased until the lease is stale, and is then tried again.
      log.error({ ...fields, err }, "effect could not be reconciled");
    }
  }

  return {
    name,
    queue: store(stores).queue(STALE_SECONDS, kinds),
    async reconcile(reconciler) {
      let count = 0;
      for (;;) {
        const staleSeconds = reconciler.staleSeconds ?? STALE_SECONDS;
        const leased = await store(stores).claimStale(reconciler.workerId, staleSeconds, BATCH, kinds);
        await Promise.all(
          leased.map((record) => inTrace(record.traceId, () => finish(record, reconciler), describeSubject(record))),
        );
        count += leased.length;
        if (leased.length < BATCH) return count;
      }
    },
  };
}

function describeSubject({ tenantId, environment, tripId }: EffectRecord): TraceSubject | undefined {
  return tenantId === undefined ? undefined : { tenantId, environment, tripId: tripId ?? undefined };
}

/**
 * Looks up and finishes effects with unknown outcomes, of every use; returns their number. Safe in several processes at
 * once: each leases its records, and every move checks the lease again.
 */
export async function reconcileEffects(uses: readonly EffectUse[], reconciler: Reconciler): Promise<number> {
  // Waits for all: an error in one use must not interrupt the others.
  const counts = await Promise.allSettled(uses.map((use) => use.reconcile(reconciler)));
  let sum = 0;
  for (const count of counts) {
    if (count.status === "rejected") throw count.reason;
    sum += count.value;
  }
  return sum;
}
