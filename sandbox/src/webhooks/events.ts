import { toIso } from "../clock.ts";
import { newId } from "../ids.ts";
import type { Queryable } from "../storage/database.ts";

export const EVENT_TYPES = [
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
  "ping.triggered",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const ORGANISATION_ID = "org_0000SandboxOperator000";

/** Records an event with one delivery for every endpoint that wants it; in the transaction of what it tells of. */
export async function emit(
  tx: Queryable,
  type: EventType,
  object: Record<string, unknown>,
  nowMs: number,
  onlyEndpoint?: string,
): Promise<string> {
  const id = newId("wev");
  const body = JSON.stringify({
    id,
    api_version: "v2",
    type,
    data: { object },
    live_mode: false,
    idempotency_key: typeof object.id === "string" ? object.id : id,
    created_at: toIso(nowMs),
    identity_organisation_id: ORGANISATION_ID,
  });
  await tx.query("INSERT INTO webhook_events (id, type, body, created_ms) VALUES ($1,$2,$3,$4)", [
    id,
    type,
    body,
    nowMs,
  ]);
  const { rows } = await tx.query<{ id: string }>(
    "SELECT id FROM webhook_endpoints WHERE active AND (id = $2 OR ($2::text IS NULL AND events ? $1))",
    [type, onlyEndpoint ?? null],
  );
  for (const endpoint of rows) await enqueue(tx, id, endpoint.id, nowMs);
  return id;
}

export async function enqueue(tx: Queryable, eventId: string, endpointId: string, nowMs: number): Promise<void> {
  await tx.query(
    "INSERT INTO webhook_deliveries (id, event_id, endpoint_id, due_ms, created_ms) VALUES ($1,$2,$3,$4,$4)",
    [newId("del"), eventId, endpointId, nowMs],
  );
}
