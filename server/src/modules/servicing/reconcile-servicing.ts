import type { Stores } from "../../kernel/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import type { ServicingAction } from "./servicing-actions.ts";
import { type ServicingPorts, STALE_SECONDS, servicingSteps } from "./servicing-steps.ts";

export interface ServicingReconcilerOptions {
  stores: Stores;
  /** Undefined: this network is switched off; its actions wait. */
  portsFor(network: Environment): Pick<ServicingPorts, "submission" | "commits"> | undefined;
  /** Differs between processes, so that they never take one action for their own. */
  workerId: string;
  clock: Clock;
  log: Log;
  staleSeconds?: number;
}

export interface ServicingReconciler {
  /** Works on every action that waits for it; how many that were. Never throws for one action's trouble. */
  runOnce(): Promise<number>;
}

const BATCH = 20;

/**
 * Finds out what became of cancellations and changes whose outcome nobody knows (`areas/flights/servicing-steps.ts`) and finishes
 * them. Safe to run in several processes at once: each claims its actions, and every move checks the claim again.
 */
export function createServicingReconciler(options: ServicingReconcilerOptions): ServicingReconciler {
  const { stores, workerId, clock, log } = options;
  const staleSeconds = options.staleSeconds ?? STALE_SECONDS;

  async function settle(action: ServicingAction): Promise<void> {
    const fields = { actionId: action.id, kind: action.kind, state: action.state };
    try {
      const ports = options.portsFor(action.network);
      if (ports === undefined) {
        log.warn({ ...fields, network: action.network }, "servicing action left open: its network is switched off");
        return;
      }
      const steps = servicingSteps({ ...ports, stores, clock }, workerId, "reconciliation");
      const stopBeating = steps.beat(action);
      try {
        const end = await steps.resolve(action);
        if (end.kind === "unknown" || end.kind === "soon") {
          log.warn({ ...fields, err: end.cause }, "servicing action is still open");
        } else log.info({ ...fields, end: end.kind }, "servicing action reconciled");
      } finally {
        stopBeating();
      }
    } catch (err) {
      // It stays claimed until the claim is stale, and is then tried again.
      log.error({ ...fields, err }, "servicing action could not be reconciled");
    }
  }

  return {
    async runOnce() {
      let count = 0;
      for (;;) {
        const claimed = await stores.servicingActions.claimStale(workerId, staleSeconds, BATCH);
        await Promise.all(claimed.map(settle));
        count += claimed.length;
        if (claimed.length < BATCH) return count;
      }
    },
  };
}

/** Change offers live for minutes; whose one is has to be known for as long as somebody may select it. */
const CHANGE_OFFER_HOURS = 24 * 7;

export function pruneChangeOffers({ servicingQuotes }: Pick<Stores, "servicingQuotes">, clock: Clock): Promise<void> {
  return servicingQuotes.pruneChangeOffers(clock.now().subtract({ hours: CHANGE_OFFER_HOURS }));
}
