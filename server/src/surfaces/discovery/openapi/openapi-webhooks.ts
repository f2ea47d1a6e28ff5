import { z } from "zod";
import { jsonSchema } from "../../../kernel/contracts/catalog.ts";
import type { TenantEventKind } from "../../../kernel/contracts/events.ts";
import type { JsonObject } from "./openapi-json.ts";

const header = (name: string, description: string): JsonObject => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

const headers = [
  header("webhook-id", "The id of the event, the same on every delivery. Handle each id once."),
  header("webhook-timestamp", "When this delivery was sent, in Unix seconds. Refuse old ones."),
  header(
    "webhook-signature",
    "Space-separated `v1,<base64>`: the HMAC-SHA256 of `<id>.<timestamp>.<body>` with each of the endpoint's secrets (Standard Webhooks).",
  ),
];

/** The requests that endpoints for events get, by type. */
export function eventWebhooks(kinds: readonly TenantEventKind[]): JsonObject {
  return Object.fromEntries(
    kinds.map(({ type, summary, data, example }) => [
      type,
      {
        post: {
          operationId: `event_${type.replace(".", "_")}`,
          tags: ["events"],
          summary,
          // The signature proves the sender.
          security: [],
          parameters: headers,
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: jsonSchema(z.object({ type: z.literal(type), timestamp: z.iso.datetime(), data }), "output"),
                example: { type, timestamp: "2030-01-01T09:00:00Z", data: example },
              },
            },
          },
          responses: {
            "2XX": { description: "Received. After any other answer, the delivery is retried for three days." },
          },
        },
      },
    ]),
  );
}
