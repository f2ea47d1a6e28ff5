import { sql } from "kysely";
import type { OrderChange } from "./orders.ts";

const JSON_COLUMNS: ReadonlySet<string> = new Set(["orderDocuments", "orderSlices", "orderScheduleChanges"]);
export const isJson = (name: string): boolean => JSON_COLUMNS.has(name);

/** A held order that was released or has lapsed is not a booking any more. */
export function holdColumns({ status }: OrderChange) {
  if (status !== "cancelled" && status !== "lapsed") return {};
  const code = status === "lapsed" ? "offer_expired" : "hold_given_back";
  return {
    state: sql<"failed" | "booked">`case state when 'on_hold' then 'failed' else state end`,
    failureCode: sql<string | null>`case state when 'on_hold' then ${code} else failure_code end`,
  };
}

export function toColumns(change: OrderChange): Record<string, string> {
  const { status, ticketing, ticketOrderHash, totalAmount, totalCurrency, documents, slices, scheduleChanges } = change;
  return {
    ...(status === undefined ? {} : { orderStatus: status }),
    ...(ticketing === undefined ? {} : { ticketing }),
    ...(ticketOrderHash === undefined ? {} : { ticketOrderHash }),
    ...(totalAmount === undefined ? {} : { orderTotalAmount: totalAmount }),
    ...(totalCurrency === undefined ? {} : { orderTotalCurrency: totalCurrency }),
    ...(documents === undefined ? {} : { orderDocuments: JSON.stringify(documents) }),
    ...(slices === undefined ? {} : { orderSlices: JSON.stringify(slices) }),
    ...(scheduleChanges === undefined ? {} : { orderScheduleChanges: JSON.stringify(scheduleChanges) }),
  };
}
