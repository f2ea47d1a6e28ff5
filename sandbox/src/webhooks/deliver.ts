import { createHmac } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Database } from "../storage/database.ts";

type DueDelivery = { id: string; attempts: number; body: string; url: string; secret: string; created_ms: string };

const ATTEMPT_TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 3_600_000;
const GIVE_UP_AFTER_MS = 72 * 3_600_000;
const DELIVERIES_AT_ONCE = 8;
/** While one attempt is under way no other is started; after a crash in the middle it is made again. */
const CLAIM_MS = 15_000;

export function signWebhook(secret: string, timestampSeconds: number, rawBody: string): string {
  const digest = createHmac("sha256", secret).update(`${timestampSeconds}.${rawBody}`).digest("hex");
  return `t=${timestampSeconds},v1=${digest}`;
}

async function attempt(delivery: DueDelivery, nowMs: number): Promise<number | undefined> {
  try {
    const response = await fetch(delivery.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "Supplier-Sandbox-Webhooks",
        "x-duffel-signature": signWebhook(delivery.secret, Math.floor(nowMs / 1000), delivery.body),
      },
      body: delivery.body,
      redirect: "manual",
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}

/** Sends what is due, at least once and in no promised order. Answers whether anything was due. */
export async function deliverDue(db: Database, clock: Clock): Promise<boolean> {
  const { rows } = await db.query<DueDelivery>(
    `UPDATE webhook_deliveries AS delivery SET due_ms = $1::bigint + ${CLAIM_MS}, attempts = attempts + 1
     FROM webhook_events AS event, webhook_endpoints AS endpoint
     WHERE delivery.id IN (SELECT id FROM webhook_deliveries WHERE due_ms <= $1 ORDER BY due_ms LIMIT ${DELIVERIES_AT_ONCE} FOR UPDATE SKIP LOCKED)
       AND event.id = delivery.event_id AND endpoint.id = delivery.endpoint_id
     RETURNING delivery.id, delivery.attempts, event.body, endpoint.url, endpoint.secret, delivery.created_ms`,
    [Math.floor(clock.nowMs())],
  );
  await Promise.all(
    rows.map(async (delivery) => {
      const status = await attempt(delivery, clock.nowMs());
      const nowMs = clock.nowMs();
      const done = status !== undefined && status >= 200 && status < 300;
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** (delivery.attempts - 1), LONGEST_RETRY_MS);
      const again = !done && nowMs + retryMs < Number(delivery.created_ms) + GIVE_UP_AFTER_MS;
      await db.query(
        "UPDATE webhook_deliveries SET due_ms = $2, response_status = $3, delivered_ms = $4 WHERE id = $1",
        [delivery.id, again ? Math.floor(nowMs + retryMs) : null, status ?? null, done ? Math.floor(nowMs) : null],
      );
    }),
  );
  return rows.length > 0;
}
