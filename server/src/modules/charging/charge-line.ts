import type { PendingCall } from "../../kernel/contracts/charge.ts";
import { instantText } from "../../ports/clock.ts";
import type { ChargeLine } from "./calls.ts";

/** `id`: that of the usage record or the reservation. */
export function buildChargeLine(
  call: PendingCall,
  { id, latencyMs, requestHash }: Pick<ChargeLine, "id" | "latencyMs" | "requestHash">,
): ChargeLine {
  return {
    id,
    callId: call.idempotencyKey === undefined ? null : call.id,
    tenantId: call.tenantId,
    environment: call.environment,
    keyId: call.keyId,
    subject: call.subject,
    tool: call.tool.name,
    surface: call.surface,
    period: formatMonth(call.startedAt),
    listPrice: call.listPrice,
    discountPercent: call.discountPercent,
    price: call.price,
    usageStatus: call.environment === "sandbox" ? "sandbox" : "unsettled",
    traceId: call.traceId,
    idempotencyKey: call.idempotencyKey ?? null,
    requestHash,
    latencyMs,
    at: call.startedAt,
    rulesVersion: call.rulesVersion ?? null,
  };
}

/** Calendar month in UTC, YYYY-MM. */
export function formatMonth(startedAt: Temporal.Instant): string {
  return instantText(startedAt).slice(0, 7);
}
