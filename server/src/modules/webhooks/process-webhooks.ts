import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import { reconcileEffects } from "../effects/index.ts";
import { refreshDueOrders } from "../orders/index.ts";
import type { Stores } from "./context.ts";
import { supplierEventUse } from "./event-effect.ts";
import type { EventPorts } from "./handle-event.ts";

export interface WebhookProcessorOptions {
  stores: Stores;
  /** Undefined: this environment is switched off; its events wait. */
  portsFor(environment: Environment): Omit<EventPorts, "stores" | "clock" | "log"> | undefined;
  clock: Clock;
  log: Log;
}

const ENVIRONMENTS = ["sandbox", "production"] as const;
const BATCH = 20;
/** Who takes an order and dies with it keeps it from the others for so long. */
const LEASE_MILLISECONDS = 120_000;
const KEPT = { hours: 30 * 24 };

/** The supplier's events that have been stored, one after the other as they arrived, and orders whose events were missed. */
export function createWebhookProcessor({ stores, portsFor, clock, log }: WebhookProcessorOptions) {
  const inbox = stores.webhookInbox;
  const eventPorts = (environment: Environment): EventPorts | undefined => {
    const ports = portsFor(environment);
    return ports === undefined ? undefined : { ...ports, stores, clock, log };
  };

  return {
    /** Works on every event that waits; how many that were. */
    async runOnce(): Promise<number> {
      const uses = ENVIRONMENTS.flatMap((environment) => {
        const ports = eventPorts(environment);
        return ports === undefined ? [] : [supplierEventUse(environment, ports)];
      });
      // An event's lease has no name, only an end.
      return await reconcileEffects(uses, { workerId: "supplier-events", log });
    },

    /** Reads orders that wait for something, or whose events may have been missed; how many that were. */
    async readDueOrders(): Promise<number> {
      let count = 0;
      for (const environment of ENVIRONMENTS) {
        const ports = eventPorts(environment);
        if (ports !== undefined) count += await refreshDueOrders(ports, environment, BATCH, LEASE_MILLISECONDS);
      }
      return count;
    },

    prune: () => inbox.prune(clock.now().subtract(KEPT)),
  };
}
