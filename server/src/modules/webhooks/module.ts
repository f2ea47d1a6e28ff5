import { defineModule } from "../../kernel/module.ts";
import { webhookRoutes } from "./routes.ts";
import { createWebhookEndpoints, createWebhookInbox } from "./store.ts";

export const webhooksModule = defineModule({
  name: "webhooks",
  needs: ["bookings", "orders", "servicing"],
  routes: webhookRoutes,
  stores: ({ db, clock, vault }) => ({
    webhookInbox: createWebhookInbox(db, clock),
    webhookEndpoints: createWebhookEndpoints({ db, vault, clock }),
  }),
});
