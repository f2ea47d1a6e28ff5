import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import type { OrderEnd } from "../../kernel/workflow.ts";

/** What was undone of a run, and what that cost. */
export interface Undone {
  undone: readonly string[];
  notUndone: readonly string[];
  orders: readonly OrderEnd[];
  refundedUsdc: string;
  lostUsdc: string;
}

export function sumOrders(orders: readonly OrderEnd[]): { refundedUsdc: string; lostUsdc: string } {
  const sum = (name: "refundedUsdc" | "lostUsdc") =>
    formatDecimal(orders.reduce((total, end) => total + (parseDecimal(end[name]) ?? 0n), 0n));
  return { refundedUsdc: sum("refundedUsdc"), lostUsdc: sum("lostUsdc") };
}
