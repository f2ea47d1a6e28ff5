import { defineJob } from "../../kernel/job.ts";
import { servicingCommits } from "../servicing/index.ts";
import { defineModule } from "./context.ts";
import { createWebhookProcessor } from "./process-webhooks.ts";
import { createReceivers, registerSandbox } from "./receivers.ts";
import type { WebhookReceiver } from "./routes.ts";
import { webhookRoutes } from "./routes.ts";
import { createWebhookEndpoints, createWebhookInbox } from "./store.ts";

declare module "../../kernel/parts.ts" {
  interface ModuleParts {
    readonly "webhooks.webhookReceivers": readonly WebhookReceiver[];
  }
  interface ModuleSettings {
    readonly "webhooks.serve": "both" | "app" | "edge";
    readonly "webhooks.supplierWebhookSecrets": readonly string[];
  }
}

const PROCESS_MILLISECONDS = 1_000;
const READ_ORDERS_MILLISECONDS = 5_000;
const REGISTER_MILLISECONDS = 60_000;
const PRUNE_MILLISECONDS = 60_000;

export const webhooksModule = defineModule({
  name: "webhooks",
  routes: webhookRoutes,
  stores: ({ db, clock, vault }) => ({
    webhookInbox: createWebhookInbox(db, clock),
    webhookEndpoints: createWebhookEndpoints({ db, vault, clock }),
  }),
  workTables: [
    {
      ...{ table: "webhook_event", kind: "supplier_event", since: "received_at" },
      open: [{ column: "finished_at", isNull: true }],
    },
  ],
  parts: { webhookReceivers: createReceivers },
  async start(parts) {
    const { suppliers, settings, log } = parts;
    if (suppliers.production !== undefined && settings.supplierWebhookSecrets.length === 0) {
      log.warn({}, "SUPPLIER_WEBHOOK_SECRETS is not set: events of the live supplier are refused");
    }
    // A sandbox that is away for a moment is no reason not to start.
    await registerSandbox(parts).catch((err: unknown) =>
      log.warn({ err }, "the sandbox's events could not be registered yet"),
    );
  },
  jobs(parts) {
    const { stores, suppliers, clock, log } = parts;
    const processor = createWebhookProcessor({
      ...{ stores, clock, log },
      portsFor(environment) {
        const supplier = suppliers[environment];
        return supplier === undefined ? undefined : { ...supplier, commits: servicingCommits(supplier) };
      },
    });
    return [
      defineJob({
        name: "register-webhooks",
        everyMilliseconds: REGISTER_MILLISECONDS,
        run: () => registerSandbox(parts),
      }),
      defineJob({ name: "process-webhooks", everyMilliseconds: PROCESS_MILLISECONDS, run: () => processor.runOnce() }),
      defineJob({
        name: "read-orders",
        everyMilliseconds: READ_ORDERS_MILLISECONDS,
        run: () => processor.readDueOrders(),
      }),
      defineJob({ name: "prune-webhooks", everyMilliseconds: PRUNE_MILLISECONDS, run: () => processor.prune() }),
    ];
  },
});
