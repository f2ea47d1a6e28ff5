import type { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { FileAnswer } from "../../../kernel/contracts/route.ts";
import { writeLines } from "../../../platform/csv/write-lines.ts";
import { describeTravelers } from "../describe-order.ts";
import type { MovementsAnswer } from "../movements/read-movements.ts";
import { toSummary } from "../order-answers.ts";
import type { Orders } from "../orders.ts";
import { shareCost, toCost } from "./order-costs.ts";

/** The newest ones; a shorter time has the others. */
export const MOST_EXPORTED = 1_000;

type Listed = Awaited<ReturnType<Orders["list"]>>[number];
type Traveler = ReturnType<typeof describeTravelers>[number];

interface OrderLine {
  order: Listed;
  summary: ReturnType<typeof toSummary>;
  /** Undefined: none is recorded. */
  traveler: Traveler | undefined;
  share: bigint;
}

const ORDER_COLUMNS: readonly (readonly [name: string, read: (line: OrderLine) => string | null])[] = [
  ["orderId", ({ summary }) => summary.orderId],
  ["kind", ({ summary }) => summary.kind],
  ["status", ({ summary }) => summary.status],
  ["reference", ({ summary }) => summary.pnr],
  ["what", ({ order }) => order.what ?? null],
  ["startsOn", ({ order }) => order.startsOn ?? null],
  ["endsOn", ({ order }) => order.endsOn ?? null],
  ["bookedAt", ({ summary }) => summary.createdAt],
  ["givenName", ({ traveler }) => traveler?.givenName ?? null],
  ["familyName", ({ traveler }) => traveler?.familyName ?? null],
  ["userId", ({ traveler }) => traveler?.userId ?? null],
  ["shareUsdc", ({ share }) => formatDecimal(share)],
  ["travelersOfOrder", ({ order }) => `${order.travelers.length}`],
  ["orderCostUsdc", ({ order }) => formatDecimal(toCost(order))],
  ["orderAmount", ({ summary }) => summary.totalAmount],
  ["orderCurrency", ({ summary }) => summary.totalCurrency],
  ["sandbox", ({ summary }) => `${summary.sandbox}`],
];

/** One line per traveler of each order, so that the shares add up to what was spent. */
export function exportOrders(orders: readonly Listed[], scopes: readonly string[]): FileAnswer {
  const lines = orders.flatMap((order) => {
    const travelers: readonly (Traveler | undefined)[] = describeTravelers(order.travelers, scopes);
    const named = travelers.length === 0 ? [undefined] : travelers;
    const shares = shareCost(toCost(order), named.length);
    const summary = toSummary(order);
    return named.map((traveler, index) => ({ order, summary, traveler, share: shares[index] ?? 0n }));
  });
  return toFile("orders.csv", ORDER_COLUMNS, lines);
}

type Movement = z.output<typeof MovementsAnswer>["movements"][number];

const MOVEMENT_COLUMNS: readonly (readonly [name: string, read: (movement: Movement) => string | null])[] = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => at],
  ["direction", ({ direction }) => direction],
  ["amount", ({ amount }) => amount],
  ["token", ({ token }) => token],
  ["fee", ({ fee }) => fee ?? null],
  ["kind", ({ kind }) => kind],
  ["text", ({ text }) => text],
  ["counterpart", ({ counterpart }) => counterpart],
  ["state", ({ state }) => state],
  ["isBetweenOwn", ({ isBetweenOwn = false }) => `${isBetweenOwn}`],
  ["orderId", ({ orderId }) => orderId],
  ["bookingId", ({ bookingId }) => bookingId],
  ["tripId", ({ tripId }) => tripId],
  ["transferId", ({ transferId }) => transferId],
  ["txHash", ({ txHash }) => txHash],
  ["chain", ({ chain }) => chain ?? null],
];

export const exportMovements = (movements: readonly Movement[]): FileAnswer =>
  toFile("movements.csv", MOVEMENT_COLUMNS, movements);

function toFile<Line>(
  fileName: string,
  columns: readonly (readonly [name: string, read: (line: Line) => string | null])[],
  lines: readonly Line[],
): FileAnswer {
  const content = writeLines([
    columns.map(([name]) => name),
    ...lines.map((line) => columns.map(([, read]) => read(line))),
  ]);
  return new FileAnswer({ content, contentType: "text/csv; charset=utf-8", fileName });
}
