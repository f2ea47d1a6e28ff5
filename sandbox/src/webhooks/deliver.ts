import { createHmac } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Database } from "../storage/database.ts";

type DueDelivery = { id: string; attempts: number; body: string; url: string; secret: string; created_ms: string };

const ATTEMPT_TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 3_600_000;
const GIVE_UP_AFTER_MS = 72 * 3_600_000;
const DELIVERIES_AT_ONCE = 8;
const KEPT_BODY_LENGTH = 1_000;
/** While one attempt is under way no other is started; after a crash in the middle it is made again. */
const CLAIM_MS = 15_000;

function signWebhook(secret: string, timestampSeconds: number, rawBody: string): string {
  const digest = createHmac("sha256", secret).update(`${timestampSeconds}.${rawBody}`).digest("hex");
  return `t=${timestampSeconds},v1=${digest}`;
}

/** As much of an answer as the log keeps. */
async function readBeginning(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= KEPT_BODY_LENGTH) break;
  }
  // PostgreSQL keeps no zero characters.
  return text.slice(0, KEPT_BODY_LENGTH).replaceAll("\0", "");
}

type Outcome = { status: number; body: string };

/** `machineMs` is the time of day for the signature: receivers compare it with their own clock, which no tick moves. */
async function attempt(delivery: DueDelivery, machineMs: number): Promise<Outcome | undefined> {
  try {
    const response = await fetch(delivery.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "Supplier-Sandbox-Webhooks",
        "x-duffel-signature": signWebhook(delivery.secret, Math.floor(machineMs / 1000), delivery.body),
      },
      body: delivery.body,
      redirect: "manual",
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
    });
    return { status: response.status, body: await readBeginning(response) };
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
      const outcome = await attempt(delivery, clock.nowMs() - clock.offsetMs());
      const nowMs = Math.floor(clock.nowMs());
      const done = outcome !== undefined && outcome.status >= 200 && outcome.status < 300;
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** (delivery.attempts - 1), LONGEST_RETRY_MS);
      const again = !done && nowMs + retryMs < Number(delivery.created_ms) + GIVE_UP_AFTER_MS;
      await db.transaction(async (tx) => {
        // Not if it was ended meanwhile: an endpoint that was switched off gets nothing more.
        await tx.query(
          `UPDATE webhook_deliveries SET due_ms = CASE WHEN due_ms IS NULL THEN NULL ELSE $2::bigint END,
             response_status = $3, response_body = $4, delivered_ms = $5 WHERE id = $1`,
          [
            delivery.id,
            again ? nowMs + retryMs : null,
            outcome?.status ?? null,
            outcome?.body ?? null,
            done ? nowMs : null,
          ],
        );
        // The delivery waiting for this one is due now, whatever the result of this one.
        await tx.query("UPDATE webhook_deliveries SET after_id = NULL, due_ms = $2 WHERE after_id = $1", [
          delivery.id,
          nowMs,
        ]);
      });
    }),
  );
  return rows.length > 0;
}
