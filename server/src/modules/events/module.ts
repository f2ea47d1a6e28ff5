import type { BlockList } from "node:net";
import { defineJob } from "../../kernel/contracts/job.ts";
import { createHttpClient } from "../../platform/http-client/http-client.ts";
import { resolveByDns } from "../../platform/http-client/resolve-by-dns.ts";
import { createSsrfGuard, type SsrfGuard } from "../../platform/http-client/ssrf-guard.ts";
import { RowWaits } from "../../platform/leased-queue/row-waits.ts";
import { defineModule } from "./context.ts";
import { EventSender } from "./event-sender.ts";
import { mailSwitchedOff } from "./mail-switched-off.ts";
import * as events from "./migrations/0140-events.ts";
import { eventRoutes } from "./routes.ts";
import { SharedEvents } from "./shared-events.ts";
import { createDeliveries, DUE_DELIVERIES } from "./store-deliveries.ts";
import { createEndpoints } from "./store-endpoints.ts";
import { createTenantEvents } from "./store-events.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "events.eventWaits": RowWaits;
    readonly "events.sharedEvents": SharedEvents;
    /** Judges the addresses of endpoints. */
    readonly "events.eventTarget": SsrfGuard;
    readonly "events.eventSender": EventSender;
  }
  interface ModuleSettings {
    /** Networks with endpoints that are not public. */
    readonly "events.eventNetworks": BlockList;
  }
}

const PRUNE_MILLISECONDS = 60_000;
const KEPT = { hours: 30 * 24 };

/** Tells tenants what happened to their records: a feed, and deliveries to their endpoints (Standard Webhooks). */
export const eventsModule = defineModule({
  name: "events",
  routes: eventRoutes,
  migrations: { "0140-events": events },
  stores: ({ db, clock, vault }) => ({
    tenantEvents: createTenantEvents(db),
    endpoints: createEndpoints({ db, clock, vault }),
    deliveries: createDeliveries({ db, clock, vault }),
  }),
  personRecords: () => ({
    tables: {
      notSearched: {
        tenant_event: "an event has ids, states and amounts, and is kept for 30 days",
        event_endpoint: "an endpoint is the tenant's own server",
        event_delivery: "a delivery has an event's id and the status of its answer",
      },
    },
  }),
  workTables: [
    {
      table: "event_delivery",
      kind: "event_delivery",
      since: "next_at",
      open: [{ column: "state", in: ["waiting"] }],
    },
  ],
  account: async ({ stores }, { tenantId, environment }) => {
    const off = (await stores.endpoints.list({ tenantId, environment })).filter(({ state }) => state === "off");
    return {
      missing: off.map(({ url, offBecause }) => ({
        what: `Events to ${url}: ${offBecause ?? ""}`,
        how: "A person switches the endpoint on again with a key that has webhooks:administer: POST /api/event-endpoints/{endpointId}.",
        page: "events",
      })),
    };
  },
  parts: {
    eventWaits: ({ news }) => new RowWaits(news, "tenant_event"),
    sharedEvents: ({ reads }) => new SharedEvents(reads),
    eventTarget: ({ settings: { eventNetworks } }) =>
      createSsrfGuard({ permitted: eventNetworks, resolve: resolveByDns, isPermittedOnAnyPort: true }),
    eventSender: (parts) => {
      const { stores, eventTarget, clock, log } = parts;
      return new EventSender({
        deliveries: stores.deliveries,
        http: createHttpClient(),
        guard: eventTarget,
        clock,
        log,
        onSwitchedOff: (delivery, because) => mailSwitchedOff(parts, delivery, because),
      });
    },
  },
  jobs: ({ stores, eventSender, clock }) => [
    defineJob({ name: "deliver-events", queue: DUE_DELIVERIES, run: () => eventSender.run() }),
    defineJob({
      name: "prune-events",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => stores.tenantEvents.prune(clock.now().subtract(KEPT)),
    }),
  ],
  stop: ({ eventSender }) => eventSender.stop(),
});
