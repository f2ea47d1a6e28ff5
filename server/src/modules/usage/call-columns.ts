import { instantText } from "../../ports/clock.ts";
import type { ChargeLine, Settlement } from "./calls.ts";

/** The parameters of the statements in store-calls-sql.ts that take lines: an array for each column. */
export function columnsOf(lines: readonly ChargeLine[]): unknown[] {
  return [
    lines.map((line) => line.id),
    lines.map((line) => line.callId),
    lines.map((line) => line.tenantId),
    lines.map((line) => line.keyId),
    lines.map((line) => line.subject),
    lines.map((line) => line.tool),
    lines.map((line) => line.surface),
    lines.map((line) => line.period),
    lines.map((line) => line.listPrice),
    lines.map((line) => line.discountPercent),
    lines.map((line) => line.price),
    lines.map((line) => line.usageStatus),
    lines.map((line) => line.traceId),
    lines.map((line) => line.idempotencyKey),
    lines.map((line) => line.latencyMs),
    lines.map((line) => instantText(line.at)),
    lines.map((line) => line.network),
  ];
}

/** The same for settlements. */
export function settlementColumns(settlements: readonly Settlement[]): unknown[] {
  return [
    settlements.map((line) => line.callId),
    settlements.map((line) => line.usageId),
    settlements.map((line) => line.latencyMs),
    settlements.map((line) => instantText(line.at)),
    settlements.map((line) => line.idempotency),
    settlements.map((line) => line.outcomeText),
    settlements.map((line) => line.paidBefore?.usageId ?? null),
    settlements.map((line) => line.paidBefore?.price ?? 0n),
  ];
}
