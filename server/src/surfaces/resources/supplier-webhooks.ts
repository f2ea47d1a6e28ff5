import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { SupplierWebhooks, WebhookInbox } from "../../ports/supplier-webhooks.ts";
import { addressGroup } from "../http/client-address.ts";
import type { Routes } from "../http/hosts.ts";
import type { HttpHandler } from "../http/http.ts";
import { type Operation, routerPath } from "../http/operation.ts";
import type { RateLimiter } from "../http/rate-limiter.ts";
import type { SignedAnswers } from "../http/signed-exchange.ts";

export const SUPPLIER_WEBHOOK_PATH = "/api/webhooks/supplier";
/** An order of many travellers, in full, is some hundred kilobytes. */
const MAXIMUM_BODY_BYTES = 1024 * 1024;
const SIGNATURE = "x-duffel-signature";

/** What of one environment arrives there. */
export interface WebhookReceiver {
  network: Environment;
  read: SupplierWebhooks["read"];
  secrets(): Promise<readonly string[]>;
}

export interface SupplierWebhookOptions {
  answerSigned: SignedAnswers;
  receivers: readonly WebhookReceiver[];
  inbox: Pick<WebhookInbox, "receive">;
  /** Counts refusals only, by address. */
  refused: RateLimiter;
  clock: Clock;
}

const Received = z.object({ ok: z.literal(true) });

export const receiveWebhookOperation = {
  id: "receive_supplier_webhook",
  method: "POST",
  path: SUPPLIER_WEBHOOK_PATH,
  tag: "orders",
  summary: "Receive an event of the supplier",
  description:
    "For the supplier of flights and stays, which signs its events over the raw body. What is answered 200 is stored; the same event may come again.",
  access: "public",
  body: {
    schema: z.object({
      id: z.string(),
      type: z.string(),
      data: z.object({ object: z.record(z.string(), z.unknown()) }),
    }),
    example: {
      id: "wev_0000A3tQSmKyqOrcySrGbo",
      type: "order.created",
      data: { object: { id: "ord_0000ABd6wggSct7BoraU1o" } },
    },
  },
  answers: { 200: { description: "Stored.", schema: Received } },
  problems: ["unauthorized", "too_large", "rate_limited"],
} satisfies Operation;

/** Stored before it is acknowledged, and worked on afterwards (`jobs/process-webhooks.ts`). */
export function supplierWebhookRoutes(options: SupplierWebhookOptions): Routes {
  const { answerSigned, receivers, inbox, refused, clock } = options;

  function refuse(remoteAddress: string): Failure {
    const { allowed, retryAfterSeconds } = refused.take(addressGroup(remoteAddress));
    // Whoever tries signatures learns nothing from the answer.
    if (allowed) return new Failure("unauthorized", { detail: "Refused." });
    return new Failure("rate_limited", { detail: "Refused too often.", retryAfterSeconds });
  }

  const handler: HttpHandler = (request) =>
    answerSigned(request, async () => {
      const body = await request.text(MAXIMUM_BODY_BYTES);
      const signature = request.header(SIGNATURE);
      for (const { network, read, secrets } of signature === undefined ? [] : receivers) {
        const event = read(body, { signature }, await secrets());
        if (event === undefined) continue;
        await inbox.receive(network, event, clock.now());
        const headers = { "content-type": "application/json; charset=utf-8" };
        return { status: 200, headers, body: JSON.stringify({ ok: true }) };
      }
      throw refuse(request.remoteAddress);
    });
  const operation = receiveWebhookOperation;
  return [{ method: operation.method, path: routerPath(operation), operation, handler }];
}
