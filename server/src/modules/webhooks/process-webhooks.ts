import type { Stores } from "../../kernel/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import type { ReceivedEvent } from "../../ports/supplier-webhooks.ts";
import { refreshDueOrders } from "../orders/refresh-order.ts";
import { type EventPorts, handleEvent, NotYet } from "./handle-event.ts";

export interface WebhookProcessorOptions {
  stores: Stores;
  /** Undefined: this network is switched off; its events wait. */
  portsFor(network: Environment): Omit<EventPorts, "stores" | "clock" | "log"> | undefined;
  clock: Clock;
  log: Log;
}

const NETWORKS = ["sandbox", "production"] as const;
const BATCH = 20;
/** Who takes an event or an order and dies with it keeps it from the others for so long. */
const LEASE_MILLISECONDS = 120_000;
const FIRST_RETRY_MILLISECONDS = 1_000;
const LONGEST_RETRY_MILLISECONDS = 600_000;
/** About an hour and a half; what the event was about is then read by the slow look at orders only. */
const MOST_ATTEMPTS = 18;
const KEPT = { hours: 30 * 24 };

/** The supplier's events that have been stored, one after the other as they arrived, and orders whose events were missed. */
export function createWebhookProcessor({ stores, portsFor, clock, log }: WebhookProcessorOptions) {
  const inbox = stores.webhookInbox;
  const eventPorts = (network: Environment): EventPorts | undefined => {
    const ports = portsFor(network);
    return ports === undefined ? undefined : { ...ports, stores, clock, log };
  };

  async function work(ports: EventPorts, network: Environment, event: ReceivedEvent): Promise<void> {
    const { id, type, attempts } = event;
    try {
      const outcome = await handleEvent(ports, network, event);
      await inbox.done(network, id, outcome);
      log.info({ eventId: id, type, outcome }, "supplier event done");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (attempts >= MOST_ATTEMPTS) {
        log.error({ eventId: id, type, attempts, err: error }, "a supplier event is given up");
        await inbox.done(network, id, `given up: ${reason}`);
        return;
      }
      if (!(error instanceof NotYet)) log.warn({ eventId: id, type, err: error }, "a supplier event is tried again");
      const milliseconds = Math.min(FIRST_RETRY_MILLISECONDS * 2 ** (attempts - 1), LONGEST_RETRY_MILLISECONDS);
      await inbox.putBack(network, id, reason, clock.now().add({ milliseconds }));
    }
  }

  return {
    /** Works on every event that waits; how many that were. */
    async runOnce(): Promise<number> {
      let count = 0;
      for (const network of NETWORKS) {
        const ports = eventPorts(network);
        if (ports === undefined) continue;
        for (;;) {
          const until = clock.now().add({ milliseconds: LEASE_MILLISECONDS });
          const taken = await inbox.take(network, BATCH, until);
          await Promise.all(taken.map((event) => work(ports, network, event)));
          count += taken.length;
          if (taken.length < BATCH) break;
        }
      }
      return count;
    },

    /** Reads orders that wait for something, or whose events may have been missed; how many that were. */
    async readDueOrders(): Promise<number> {
      let count = 0;
      for (const network of NETWORKS) {
        const ports = eventPorts(network);
        if (ports !== undefined) count += await refreshDueOrders(ports, network, BATCH, LEASE_MILLISECONDS);
      }
      return count;
    },

    prune: () => inbox.prune(clock.now().subtract(KEPT)),
  };
}
