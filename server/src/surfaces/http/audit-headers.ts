import { createHmac } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";

export const TRACE_ID_HEADER = "x-service-trace-id";
export const METER_ID_HEADER = "x-service-meter-id";
export const SIGNATURE_HEADER = "x-service-sig";

/**
 * `t=<unix seconds>,v1=<hex>` with v1 = HMAC-SHA256(secret, `t.traceId.body`): bound to time and trace, so that a replayed
 * cached answer is recognisable.
 */
export function signature(secret: string, unixSeconds: number, traceId: string, body: string | Uint8Array): string {
  const mac = createHmac("sha256", secret).update(`${unixSeconds}.${traceId}.`).update(body).digest("hex");
  return `t=${unixSeconds},v1=${mac}`;
}

export function sign(
  headers: Record<string, string>,
  secret: string,
  clock: Clock,
  traceId: string,
  body: string | Uint8Array,
): Record<string, string> {
  headers[TRACE_ID_HEADER] = traceId;
  headers[SIGNATURE_HEADER] = signature(secret, Math.floor(clock.now().epochMilliseconds / 1000), traceId, body);
  return headers;
}
