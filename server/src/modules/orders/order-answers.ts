import { z } from "zod";
import { formatDecimal } from "../../domain/money.ts";
import { detailsOfOthers, wordsOfOthers } from "../../domain/schemas.ts";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";
import { BookingRate, partsInUsdc } from "../bookings/index.ts";
import type { OrderRecord } from "./orders.ts";

/** The answers of routes and tools about orders. */

const Time = z.string().meta({ format: "date-time" });
export const Details = detailsOfOthers();
export const Happened = z.object({ at: Time, details: Details });

export const OrderStatus = z
  .enum(["held", "confirmed", "cancelled", "lapsed"])
  .describe("held: unpaid (call book_flight with its offer to pay); lapsed: not paid in time");

export const OrderSummary = z.object({
  orderId: z.string(),
  bookingId: z.string(),
  kind: z.enum(["flight", "stay"]),
  status: OrderStatus,
  holdUntil: Time.nullable().describe(
    "When the airline's unpaid hold ends or ended; null: it was paid at once, or the airline did not say",
  ),
  pnr: wordsOfOthers("For a stay, the reference to show on arrival").nullable(),
  ticketing: z
    .enum(["pending", "ticketed"])
    .nullable()
    .describe("null for a stay. Tickets of a cancelled order are void"),
  totalAmount: z.string().describe("The current price, including changes"),
  totalCurrency: z.string(),
  totalUsdc: z
    .string()
    .nullable()
    .describe(
      "totalAmount at rate: booking and changes, each rounded down; null: it is in a different currency from the booking",
    ),
  rate: BookingRate.describe("Recorded with the booking; also applies to changes and refunds"),
  sandbox: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
  readAt: Time.nullable().describe("When the supplier was last asked; null: not since it was booked"),
});

export function toSummary(order: OrderRecord): z.infer<typeof OrderSummary> {
  const { orderId, bookingId, kind, status, totalAmount, totalCurrency, rate } = order;
  const usdc = partsInUsdc(order, order.priceParts, rate);
  return {
    orderId,
    bookingId,
    kind,
    status,
    holdUntil: order.holdUntil?.toString() ?? null,
    pnr: order.pnr ?? null,
    ticketing: order.ticketing ?? null,
    totalAmount,
    totalCurrency,
    totalUsdc: usdc === undefined ? null : formatDecimal(usdc),
    rate,
    sandbox: order.environment === "sandbox",
    createdAt: order.createdAt.toString(),
    updatedAt: order.updatedAt.toString(),
    readAt: order.readAt?.toString() ?? null,
  };
}

const ToldOrder = z.object({ orderId: z.string().describe("For read_order"), kind: z.enum(["flight", "stay"]) });
const ToldChange = ToldOrder.extend({
  details: z.record(z.string(), z.unknown()).describe("As in events[] of GET /api/orders/{orderId}"),
});

const toldOrder = { orderId: "ord_0000ABd6wggSct7BoraU1o", kind: "flight" as const };
const refund = { ...toldOrder, details: { amount: "180.00", currency: "USD" } };

const change = (type: string, summary: string, example = { ...toldOrder, details: {} }) =>
  defineTenantEvent({ type: `order.${type}`, summary, data: ToldChange, example });

export const orderEvents = [
  defineTenantEvent({
    type: "order.ticketed",
    summary: "All tickets were issued.",
    data: ToldOrder,
    example: toldOrder,
  }),
  change("changed", "The order was changed as asked."),
  change("schedule_changed", "The airline changed its flights. Accept or refuse the change."),
  change("cancelled", "The order was cancelled."),
  change("lapsed", "A hold ended without payment."),
  change("refunded", "Money was refunded to the treasury wallet.", refund),
  change("reimbursed", "The wallet's payment was returned because escrow has paid the order.", refund),
  change("credit_issued", "The airline issued a credit for later flights."),
];
