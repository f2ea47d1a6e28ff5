import { workOnInbox } from "../../platform/inbox/work-on-inbox.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import { refreshDueOrders } from "../orders/index.ts";
import type { Stores } from "./context.ts";
import { type EventPorts, handleEvent } from "./handle-event.ts";

interface EventProcessorOptions {
  stores: Stores;
  /** Undefined: the environment is disabled, and its events wait. */
  portsFor(environment: Environment): Omit<EventPorts, "stores" | "clock" | "log"> | undefined;
  clock: Clock;
  log: Log;
}

const ENVIRONMENTS = ["sandbox", "production"] as const;
const BATCH = 20;
/** How long a dead process keeps others from the orders that it has leased. */
const LEASE_MILLISECONDS = 120_000;
const KEPT = { hours: 30 * 24 };

/** Processes stored supplier events in their order of arrival, and orders whose events were missed. */
export function createEventProcessor({ stores, portsFor, clock, log }: EventProcessorOptions) {
  const inbox = stores.supplierInbox;
  const eventPorts = (environment: Environment): EventPorts | undefined => {
    const ports = portsFor(environment);
    return ports === undefined ? undefined : { ...ports, stores, clock, log };
  };

  return {
    /** Processes all waiting events; returns how many. */
    async runOnce(): Promise<number> {
      const counts = ENVIRONMENTS.map(async (environment) => {
        const ports = eventPorts(environment);
        if (ports === undefined) return 0;
        const work = { name: "supplier_event", inbox, environment, clock, log };
        return await workOnInbox({ ...work, handle: (event) => handleEvent(ports, environment, event) });
      });
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },

    /** Reads orders that wait for something or whose events may have been missed; returns how many. */
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
