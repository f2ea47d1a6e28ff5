// Events of an order without a request: tickets are issued a moment after payment, unpaid holds lapse.
import { createHash } from "node:crypto";
import { giveCreditBack } from "../credits/rows.ts";
import { type BookedService, freeSeats } from "../seats/booked.ts";
import type { Queryable } from "../storage/database.ts";
import { emit } from "../webhooks/events.ts";
import { refund } from "./balance.ts";
import { type PaymentRow, renderPayment } from "./payment-rows.ts";
import { findOrder, type OrderRow, renderOrder } from "./rows.ts";

const TICKETING_MS = 1_000;
const LONG_DELAY_MS = 60_000;

export async function scheduleTicketing(tx: Queryable, order: OrderRow, nowMs: number): Promise<void> {
  const usualMs = order.ticketing_fault === "ticketing_delayed" ? LONG_DELAY_MS : TICKETING_MS;
  const delayMs = order.ticketing_delay_ms || usualMs;
  await tx.query("INSERT INTO jobs (kind, reference, due_ms) VALUES ('ticket', $1, $2)", [order.id, nowMs + delayMs]);
}

export async function scheduleLapse(tx: Queryable, order: OrderRow): Promise<void> {
  if (order.payment_required_by_ms === null) return;
  await tx.query("INSERT INTO jobs (kind, reference, due_ms) VALUES ('lapse', $1, $2)", [
    order.id,
    order.payment_required_by_ms,
  ]);
}

/** Ticket numbers of accounting code 000, which belongs to no airline. */
function ticketNumber(orderId: string, ...parts: readonly string[]): string {
  const digest = createHash("sha256")
    .update([orderId, ...parts].join("|"))
    .digest();
  return `000-${(digest.readBigUInt64BE(0) % 10_000_000_000n).toString().padStart(10, "0")}`;
}

export type OrderDocument = OrderRow["documents"][number];

/** `reissue` names the change that made new tickets necessary. */
export function buildTickets(order: Pick<OrderRow, "id" | "details">, reissue?: string): OrderDocument[] {
  return order.details.passengers.map((passenger) => ({
    type: "electronic_ticket",
    unique_identifier: ticketNumber(order.id, passenger.id, ...(reissue === undefined ? [] : [reissue])),
    passenger_ids: [passenger.id],
  }));
}

/** Each additional service has its own document. */
export function serviceDocuments(orderId: string, services: readonly BookedService[]): OrderDocument[] {
  return services.map((service) => ({
    type: "electronic_miscellaneous_document_associated",
    unique_identifier: ticketNumber(orderId, service.id),
    passenger_ids: [...service.passengerIds],
  }));
}

async function issueTickets(
  tx: Queryable,
  order: OrderRow,
  payments: readonly PaymentRow[],
  nowMs: number,
): Promise<void> {
  const documents = [...buildTickets(order), ...serviceDocuments(order.id, order.services)];
  await tx.query("UPDATE orders SET ticketing = 'ticketed', documents = $2 WHERE id = $1", [
    order.id,
    JSON.stringify(documents),
  ]);
  for (const payment of payments) await emit(tx, "air.payment.succeeded", renderPayment(payment), nowMs);
}

/** The airline refused: the order ends, and what was paid goes back where it came from. */
async function failTicketing(
  tx: Queryable,
  order: OrderRow,
  payments: readonly PaymentRow[],
  nowMs: number,
): Promise<void> {
  await tx.query(
    "UPDATE orders SET ticketing = 'failed', state = 'ticketing_failed', cancelled_ms = $2 WHERE id = $1",
    [order.id, nowMs],
  );
  await freeSeats(tx, order.id);
  for (const payment of payments) {
    if (payment.type === "airline_credit") {
      if (payment.airline_credit_id !== null) await giveCreditBack(tx, payment.airline_credit_id, order.id, nowMs);
    } else {
      await refund(tx, BigInt(payment.amount_micro), payment.id, nowMs);
    }
    await tx.query("UPDATE payments SET status = 'failed', failure_reason = 'ticketing_failed' WHERE id = $1", [
      payment.id,
    ]);
    await emit(
      tx,
      "air.payment.failed",
      renderPayment({ ...payment, status: "failed", failure_reason: "ticketing_failed" }),
      nowMs,
    );
  }
  const failed = await findOrder(tx, order.id);
  if (failed !== undefined && order.type === "instant")
    await emit(tx, "order.creation_failed", renderOrder(failed), nowMs);
}

export async function runTicketing(tx: Queryable, orderId: string, nowMs: number): Promise<void> {
  const order = await findOrder(tx, orderId, true);
  if (order === undefined || order.state !== "paid" || order.ticketing !== "pending") return;
  const { rows } = await tx.query<PaymentRow>(
    "SELECT * FROM payments WHERE order_id = $1 AND status = 'succeeded' ORDER BY seq",
    [orderId],
  );
  if (order.ticketing_fault === "ticketing_failed") await failTicketing(tx, order, rows, nowMs);
  else await issueTickets(tx, order, rows, nowMs);
}

export async function runLapse(tx: Queryable, orderId: string, nowMs: number): Promise<void> {
  const order = await findOrder(tx, orderId, true);
  if (order === undefined || order.state !== "held") return;
  await tx.query("UPDATE orders SET state = 'lapsed', cancelled_ms = $2 WHERE id = $1", [orderId, nowMs]);
  await freeSeats(tx, orderId);
}
