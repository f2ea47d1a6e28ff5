import { defineJob } from "../../kernel/contracts/job.ts";
import { listEnvironments } from "../../kernel/contracts/parts.ts";
import { ordersToCheck } from "../orders/index.ts";
import { servicingCommits } from "../servicing/index.ts";
import { defineModule } from "./context.ts";
import { createEventProcessor } from "./process-events.ts";
import { createReceivers, registerSandbox } from "./receivers.ts";
import type { WebhookReceiver } from "./routes.ts";
import { webhookRoutes } from "./routes.ts";
import { createSupplierEndpoints, createSupplierInbox, waitingEvents } from "./store.ts";
import { createEventRecords } from "./store-records.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "supplier-events.webhookReceivers": readonly WebhookReceiver[];
  }
  interface ModuleSettings {
    readonly "supplier-events.serve": "both" | "app" | "edge";
    readonly "supplier-events.supplierWebhookSecrets": readonly string[];
  }
}

const REGISTER_MILLISECONDS = 60_000;
const PRUNE_MILLISECONDS = 60_000;

export const supplierEventsModule = defineModule({
  name: "supplier-events",
  routes: webhookRoutes,
  stores: ({ db, clock, vault }) => ({
    supplierInbox: createSupplierInbox(db, clock),
    supplierEndpoints: createSupplierEndpoints({ db, vault, clock }),
    eventRecords: createEventRecords(db),
  }),
  recordSources: ({ stores: { eventRecords } }) => [{ channels: ["supplier"], knowsTrips: false, ...eventRecords }],
  workTables: [
    {
      table: "webhook_event",
      kind: "supplier_event",
      since: "received_at",
      open: [{ column: "finished_at", isNull: true }],
    },
  ],
  parts: { webhookReceivers: createReceivers },
  async start(parts) {
    const { suppliers, settings, log } = parts;
    if (suppliers.production !== undefined && settings.supplierWebhookSecrets.length === 0) {
      log.warn({}, "SUPPLIER_WEBHOOK_SECRETS is not set: events from the live supplier are refused");
    }
    // A sandbox that is briefly unavailable does not prevent the start.
    await registerSandbox(parts).catch((err: unknown) =>
      log.warn({ err }, "the sandbox's events could not be registered yet"),
    );
  },
  jobs(parts) {
    const { stores, suppliers, clock, log } = parts;
    const processor = createEventProcessor({
      stores,
      clock,
      log,
      portsFor(environment) {
        const supplier = suppliers[environment];
        return supplier === undefined ? undefined : { ...supplier, commits: servicingCommits(supplier) };
      },
    });
    const environments = listEnvironments(suppliers).map(([environment]) => environment);
    return [
      defineJob({
        name: "register-webhooks",
        everyMilliseconds: REGISTER_MILLISECONDS,
        run: () => registerSandbox(parts),
      }),
      defineJob({
        name: "process-webhooks",
        queue: waitingEvents(environments),
        run: () => processor.runOnce(),
      }),
      defineJob({
        name: "read-orders",
        queue: ordersToCheck(environments),
        run: () => processor.readDueOrders(),
      }),
      defineJob({ name: "prune-webhooks", everyMilliseconds: PRUNE_MILLISECONDS, run: () => processor.prune() }),
    ];
  },
});
