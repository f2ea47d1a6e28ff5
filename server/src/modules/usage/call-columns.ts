import { numberArray, textArray } from "../../platform/database/array-text.ts";
import { instantText } from "../../ports/clock.ts";
import type { ChargeLine, Settlement } from "./calls.ts";

/** The parameters of the statements in store-calls-sql.ts that take lines: an array for each column. */
export function columnsOf(lines: readonly ChargeLine[]): unknown[] {
  return [
    textArray(lines.map((line) => line.id)),
    textArray(lines.map((line) => line.callId)),
    textArray(lines.map((line) => line.tenantId)),
    textArray(lines.map((line) => line.keyId)),
    textArray(lines.map((line) => line.subject)),
    textArray(lines.map((line) => line.tool)),
    textArray(lines.map((line) => line.surface)),
    textArray(lines.map((line) => line.period)),
    numberArray(lines.map((line) => line.listPrice)),
    numberArray(lines.map((line) => line.discountPercent)),
    numberArray(lines.map((line) => line.price)),
    textArray(lines.map((line) => line.usageStatus)),
    textArray(lines.map((line) => line.traceId)),
    textArray(lines.map((line) => line.idempotencyKey)),
    numberArray(lines.map((line) => line.latencyMs)),
    textArray(lines.map((line) => instantText(line.at))),
    textArray(lines.map((line) => line.network)),
  ];
}

/** The same for settlements. */
export function settlementColumns(settlements: readonly Settlement[]): unknown[] {
  return [
    textArray(settlements.map((line) => line.callId)),
    textArray(settlements.map((line) => line.usageId)),
    numberArray(settlements.map((line) => line.latencyMs)),
    textArray(settlements.map((line) => instantText(line.at))),
    textArray(settlements.map((line) => line.idempotency)),
    textArray(settlements.map((line) => line.outcomeText)),
    textArray(settlements.map((line) => line.paidBefore?.usageId ?? null)),
    numberArray(settlements.map((line) => line.paidBefore?.price ?? 0n)),
  ];
}
