import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import type { OrderEnd, ReservationEnd, UndoEnd } from "../../../kernel/contracts/workflow.ts";

/** The undone steps of a run, and their cost. */
export interface Undone {
  undone: readonly string[];
  notUndone: readonly string[];
  orders: readonly OrderEnd[];
  refundedUsdc: string;
  lostUsdc: string;
  reservations: readonly ReservationEnd[];
  /** Where the reservations' money is, and how to try again. Null: the run reserved nothing, or an earlier release began it. */
  next: string | null;
}

export function sumEnds(ends: readonly UndoEnd[]): Omit<Undone, "undone" | "notUndone"> {
  const orders = ends.filter((end) => "orderId" in end);
  const reservations = ends.filter((end) => "bookingId" in end);
  const next = reservations.map((reservation) => reservation.next).join(" ");
  return { orders, ...sumOrders(orders), reservations, next: next === "" ? null : next };
}

export function sumOrders(orders: readonly OrderEnd[]): { refundedUsdc: string; lostUsdc: string } {
  const sum = (name: "refundedUsdc" | "lostUsdc") =>
    formatDecimal(orders.reduce((total, end) => total + (parseDecimal(end[name]) ?? 0n), 0n));
  return { refundedUsdc: sum("refundedUsdc"), lostUsdc: sum("lostUsdc") };
}
