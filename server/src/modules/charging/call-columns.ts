import { numberArray, textArray } from "../../platform/database/array-text.ts";
import { instantText } from "../../ports/clock.ts";
import type { ChargeLine, Settlement } from "./calls.ts";

/** The array parameters of the statements in store-calls-sql.ts, one for each column. */
export function chargeColumns(lines: readonly ChargeLine[]): unknown[] {
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
    textArray(lines.map((line) => line.environment)),
  ];
}

/** The version of the tenant's rules that each line was judged by, and the request whose key it takes; see `ChargeLine`. */
export function keyColumns(lines: readonly ChargeLine[]): unknown[] {
  return [
    numberArray(lines.map(({ rulesVersion }) => rulesVersion)),
    textArray(lines.map(({ requestHash }) => requestHash)),
  ];
}

/** The total of lines for a tenant in an environment and a month. */
export interface SpendTotal extends Pick<ChargeLine, "tenantId" | "environment" | "period" | "price" | "rulesVersion"> {
  /** The row that it adds to. */
  row: string;
}

/** Matches no version: the lines were judged by different ones. */
const DIFFERENT = -1;

export function sumByPeriod(lines: readonly ChargeLine[]): readonly SpendTotal[] {
  const totals = new Map<string, SpendTotal>();
  for (const { tenantId, environment, period, price, rulesVersion } of lines) {
    const row = `${tenantId} ${environment} ${period}`;
    const total = totals.get(row);
    if (total === undefined) totals.set(row, { row, tenantId, environment, period, price, rulesVersion });
    else {
      total.price += price;
      total.rulesVersion = sharedVersion(total.rulesVersion, rulesVersion);
    }
  }
  return [...totals.values()];
}

function sharedVersion(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return one === other ? one : DIFFERENT;
}

/** The parameters of the lines' totals. */
export function totalColumns(totals: readonly SpendTotal[]): unknown[] {
  return [
    textArray(totals.map((total) => total.tenantId)),
    textArray(totals.map((total) => total.environment)),
    textArray(totals.map((total) => total.period)),
    numberArray(totals.map((total) => total.price)),
    numberArray(totals.map((total) => total.rulesVersion)),
  ];
}

/** The parameters of settlements. */
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
