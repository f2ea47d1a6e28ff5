import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { SupplierEvent, SupplierWebhooks } from "../../ports/supplier/supplier-webhooks.ts";
import type { DuffelClient } from "./client.ts";
import { BOOKING_ID } from "./flights/map-orders.ts";
import { Text } from "./wire.ts";

/** The events that affect orders. */
const EVENTS = [
  "order.created",
  "order.creation_failed",
  "air.order.changed",
  "order.airline_initiated_change_detected",
  "order_cancellation.created",
  "order_cancellation.confirmed",
  "air.payment.succeeded",
  "air.payment.failed",
  "air.payment.pending",
  "air.payment.cancelled",
  "air.airline_credit.created",
  "air.airline_credit.spent",
  "air.airline_credit.invalidated",
  "stays.booking.created",
  "stays.booking.cancelled",
  "stays.booking_creation_failed",
] as const;

const TOLERANCE_SECONDS = 300;
const LONGEST_HEADER = 2_000;
const MOST_ENDPOINTS = 1_000;

const WEBHOOKS = "/air/webhooks";
const WireEndpoint = z.object({
  id: Text,
  url: Text,
  active: z.boolean().nullish(),
  events: z.array(z.string()).nullish(),
});
const WireNewEndpoint = WireEndpoint.extend({ secret: Text });

const WireEvent = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
  type: z.string().min(1).max(128),
  created_at: z.string().max(64).nullish(),
  data: z.object({ object: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});
const Id = z.string().min(1).max(128);

interface Signature {
  /** As signed. */
  timestamp: string;
  /** A header has several while the supplier rotates its secret. */
  digests: readonly Buffer[];
}

/** `t=<seconds>,v1=<hex>`; undefined for anything else. */
function parseSignature(header: string | undefined): Signature | undefined {
  if (header === undefined || header.length > LONGEST_HEADER) return undefined;
  let timestamp: string | undefined;
  const digests: Buffer[] = [];
  for (const part of header.split(",")) {
    const [, name, value = ""] = /^\s*([a-z0-9]+)=(\S*)\s*$/.exec(part) ?? [];
    if (name === "t") {
      if (timestamp !== undefined || !/^\d{1,12}$/.test(value)) return undefined;
      timestamp = value;
    } else if (name === "v1") {
      if (!/^[0-9a-f]{64}$/.test(value)) return undefined;
      digests.push(Buffer.from(value, "hex"));
    }
  }
  return timestamp === undefined || digests.length === 0 ? undefined : { timestamp, digests };
}

function isSigned({ timestamp, digests }: Signature, body: Uint8Array, secrets: readonly string[]): boolean {
  let matches = false;
  // Compares every pair, so that the time taken does not reveal which secret matches.
  for (const secret of secrets) {
    // An unset variable must not become a publicly known secret.
    if (secret === "") continue;
    const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
    for (const digest of digests) {
      if (timingSafeEqual(expected, digest)) matches = true;
    }
  }
  return matches;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function parseEvent(body: Uint8Array): SupplierEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
  const event = WireEvent.safeParse(value).data;
  if (event === undefined) return undefined;
  const object = event.data?.object ?? {};
  const subjectId = Id.safeParse(object.id).data;
  const named = Id.safeParse(object.order_id).data;
  const bookingId = Id.safeParse(isRecord(object.metadata) ? object.metadata[BOOKING_ID] : undefined).data;
  const isOrder = subjectId?.startsWith("ord_") === true || subjectId?.startsWith("bok_") === true;
  return {
    id: event.id,
    type: event.type,
    subjectId,
    orderId: isOrder ? subjectId : named,
    bookingId,
    createdAt: event.created_at ?? undefined,
  };
}

export function createWebhooks(client: DuffelClient, clock: Clock, log: Log): SupplierWebhooks {
  function parseTimely(header: string | undefined): Signature | undefined {
    const signature = parseSignature(header);
    const seconds = clock.now().epochMilliseconds / 1_000;
    const isTimely = signature !== undefined && Math.abs(seconds - Number(signature.timestamp)) <= TOLERANCE_SECONDS;
    return isTimely ? signature : undefined;
  }

  return {
    mayBeSigned: (signature) => parseTimely(signature) !== undefined,

    read(rawBody, headers, secrets) {
      const signature = parseTimely(headers.signature);
      if (signature === undefined) return undefined;
      const body = typeof rawBody === "string" ? Buffer.from(rawBody, "utf8") : rawBody;
      if (!isSigned(signature, body, secrets)) return undefined;
      const event = parseEvent(body);
      if (event === undefined) log.error({ bytes: body.byteLength }, "a signed event of the supplier cannot be read");
      return event;
    },

    async register(url, known) {
      const endpoints = await client.readPages(
        { subject: "webhook", schema: WireEndpoint, path: WEBHOOKS },
        MOST_ENDPOINTS,
      );
      const ours = endpoints.find(({ id }) => id === known);
      if (ours !== undefined) {
        const complete = EVENTS.every((type) => ours.events?.includes(type));
        if (ours.url !== url || ours.active === false || !complete) {
          const data = { url, active: true, events: EVENTS };
          const path = `${WEBHOOKS}/${encodeURIComponent(ours.id)}`;
          await client.read({ subject: "webhook", schema: WireEndpoint, method: "PATCH", path, data });
        }
        return undefined;
      }
      // The supplier has one webhook per mode; another's, or one whose secret is lost, sends nothing here.
      for (const { id } of endpoints) {
        const path = `${WEBHOOKS}/${encodeURIComponent(id)}`;
        await client.remove({ subject: "webhook", path });
      }
      // Sent once, as an endpoint created twice gets every event twice.
      const data = { url, events: EVENTS };
      const made = await client.commit({ subject: "webhook", schema: WireNewEndpoint, path: WEBHOOKS, data });
      return { endpointId: made.id, url, secret: made.secret };
    },
  };
}
