import { z } from "zod";
import { definePublicRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { SupplierWebhooks } from "../../ports/supplier/supplier-webhooks.ts";
import type { SupplierInbox } from "./store.ts";

/** The webhook of one environment. */
export interface WebhookReceiver {
  environment: Environment;
  read: SupplierWebhooks["read"];
  mayBeSigned: SupplierWebhooks["mayBeSigned"];
  secrets(): Promise<readonly string[]>;
}

interface WebhookRoutePorts {
  webhookReceivers: readonly WebhookReceiver[];
  stores: { supplierInbox: Pick<SupplierInbox, "receive"> };
  clock: Clock;
}

export const SUPPLIER_WEBHOOK_PATH = "/api/webhooks/supplier";
/** A full order with many travelers has some hundred kilobytes. */
const MAXIMUM_BODY_BYTES = 1024 * 1024;
const SIGNATURE = "x-duffel-signature";

/** An event is stored before it is acknowledged, and processed afterwards (`process-events.ts`). */
const receiveWebhook = definePublicRoute({
  id: "receive_supplier_webhook",
  method: "POST",
  path: SUPPLIER_WEBHOOK_PATH,
  tag: "orders",
  summary: "Receive a supplier event",
  description:
    "For the supplier of flights and stays, which signs the raw body of its events. A 200 means that the event is stored; the same event may arrive again.",
  limitByAddress: "refusals",
  mayRead({ header }, { webhookReceivers }: WebhookRoutePorts) {
    const signature = header(SIGNATURE);
    return signature !== undefined && webhookReceivers.some(({ mayBeSigned }) => mayBeSigned(signature));
  },
  body: z.object({
    id: z.string(),
    type: z.string(),
    data: z.object({ object: z.record(z.string(), z.unknown()) }),
  }),
  // The signature covers the exact bytes.
  bodyAs: "text",
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  answers: { 200: { description: "Stored.", schema: z.object({ ok: z.literal(true) }) } },
  errors: {
    // The answer tells nothing to a caller that tries signatures.
    unauthorized: "Refused.",
    too_large: `The body is over ${MAXIMUM_BODY_BYTES} bytes. Send less.`,
    rate_limited: "Too many refused requests.",
  },
  example: {
    body: {
      id: "wev_0000A3tQSmKyqOrcySrGbo",
      type: "order.created",
      data: { object: { id: "ord_0000ABd6wggSct7BoraU1o" } },
    },
  },
  async run({ text, header, fail }, { webhookReceivers, stores, clock }: WebhookRoutePorts) {
    const signature = header(SIGNATURE);
    for (const { environment, read, secrets } of signature === undefined ? [] : webhookReceivers) {
      const event = read(text, { signature }, await secrets());
      if (event === undefined) continue;
      await stores.supplierInbox.receive(environment, event, clock.now());
      return { ok: true } as const;
    }
    throw fail("unauthorized");
  },
});

export const webhookRoutes = [receiveWebhook];
