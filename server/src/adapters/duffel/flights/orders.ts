import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { parseDecimal } from "../../../domain/money.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { CallOptions, Flights, OrderRequest, SupplierOrder } from "../../../ports/supplier/flights.ts";
import type { DuffelClient } from "../client.ts";
import { failure, hasSupplierCode } from "../errors.ts";
import { Text } from "../wire.ts";
import {
  creditApplied,
  remainderAfter,
  toCredit,
  toOrder,
  toOrderData,
  WireCredit,
  WireOrder,
  WirePayment,
} from "./map-orders.ts";

type Orders = Pick<
  Flights,
  "holdOrder" | "instantOrder" | "payOrder" | "getOrder" | "findOrdersByBooking" | "cancelUnpaidOrder"
>;
type SupplierWireOrder = z.infer<typeof WireOrder>;

const WireCancellation = z.object({ id: Text, refund_amount: z.string().nullish() });

/** More orders from one offer would mean that the filter was ignored. */
const MOST_ORDERS_OF_AN_OFFER = 2_000;
const MOST_PAYMENTS_OF_AN_ORDER = 1_000;

export function createOrders(client: DuffelClient, clock: Clock): Orders {
  return {
    async holdOrder(request) {
      // The supplier accepts no services with a hold, but refuses them only after asking the airline.
      if (request.services.length > 0) throw failure("hold_not_available");
      return toOrder(await createOrder(client, request, { type: "hold" }), null);
    },

    instantOrder: (request) => makeInstantOrder(client, clock, request),

    async payOrder(orderId, amount, currency) {
      try {
        const data = { order_id: orderId, payment: { type: "balance", amount, currency } };
        const schema = WirePayment.pick({ id: true, status: true });
        const payment = await client.commit({ subject: "payment", schema, path: "/air/payments", data });
        const status = payment.status ?? "succeeded";
        if (status === "failed" || status === "cancelled") throw failure("booking_rejected");
        if (status !== "succeeded") throw failure("outcome_unknown");
      } catch (error) {
        // An order has one booking and one price, so an earlier payment is the one requested.
        if (hasSupplierCode(error, "already_paid")) return;
        throw error;
      }
    },

    async getOrder(orderId, call) {
      return withPayments(client, await readOrder(client, orderId, call), call);
    },

    findOrdersByBooking: (offerId, bookingId) => findOrdersByBooking(client, offerId, bookingId),

    cancelUnpaidOrder: (orderId) => cancelUnpaidOrder(client, orderId),
  };
}

async function makeInstantOrder(
  client: DuffelClient,
  clock: Clock,
  request: Parameters<Orders["instantOrder"]>[0],
): Promise<SupplierOrder> {
  const { airlineCreditId, totalAmount, totalCurrency } = request;
  const balance = (amount: string) => ({ type: "balance", amount, currency: totalCurrency });
  if (airlineCreditId === undefined) {
    return toOrder(await createOrder(client, request, { type: "instant", payments: [balance(totalAmount)] }), null);
  }
  const remainder = remainderAfter(await usableCredit(client, clock, airlineCreditId, totalCurrency), totalAmount);
  // The credit may be worth less than when the rest was requested from the balance.
  if (exceeds(remainder, request.mostFromBalance)) throw failure("credit_not_applicable");
  const payments = [
    { type: "airline_credit", airline_credit_id: airlineCreditId },
    ...(remainder === null ? [] : [balance(remainder)]),
  ];
  const order = await createOrder(client, request, { type: "instant", payments });
  try {
    const paid = await withPayments(client, order);
    // If the list of payments names no credits, the credit covered what the balance did not pay.
    return { ...paid, creditAppliedAmount: paid.creditAppliedAmount ?? remainderAfter(remainder ?? "0", totalAmount) };
  } catch (error) {
    // The order exists, but its cost to the balance is unknown; the look-up that follows reads both.
    throw failure("outcome_unknown", error);
  }
}

async function findOrdersByBooking(client: DuffelClient, offerId: string, bookingId: string): Promise<SupplierOrder[]> {
  const orders = await client.readPages(
    { subject: "order", schema: z.unknown(), path: "/air/orders", query: { offer_id: offerId } },
    MOST_ORDERS_OF_AN_OFFER,
  );
  const ours = orders.filter((order) => Mine.safeParse(order).data?.metadata.booking_id === bookingId);
  const parsed = z.array(WireOrder).safeParse(ours);
  // An unreadable order of ours must not count as none, nor one that may come after the last page.
  if (!parsed.success) throw failure("provider_unavailable", parsed.error);
  if (ours.length === 0 && orders.length >= MOST_ORDERS_OF_AN_OFFER) throw failure("provider_unavailable");
  return Promise.all(parsed.data.map((order) => withPayments(client, order)));
}

async function cancelUnpaidOrder(client: DuffelClient, orderId: string): Promise<void> {
  const order = toOrder(await readOrder(client, orderId), null);
  if (order.cancelled) return;
  if (order.paid) throw paidAlready();
  try {
    const quote = await client.commit({
      subject: "cancellation_quote",
      schema: WireCancellation,
      path: "/air/order_cancellations",
      data: { order_id: orderId },
    });
    // A refund means that it was paid meanwhile, so we must not cancel it.
    if ((parseDecimal(quote.refund_amount ?? "0") ?? 1n) > 0n) throw paidAlready();
    const path = `/air/order_cancellations/${encodeURIComponent(quote.id)}/actions/confirm`;
    await client.commit({ subject: "cancellation_confirmation", schema: WireCancellation, path });
  } catch (error) {
    if (hasSupplierCode(error, "already_cancelled")) return;
    throw error;
  }
}

function readOrder(client: DuffelClient, orderId: string, call: CallOptions = {}): Promise<SupplierWireOrder> {
  const path = `/air/orders/${encodeURIComponent(orderId)}`;
  return client.read({ subject: "order", schema: WireOrder, path, signal: call.signal });
}

/** The order with the amount that a credit covered. An unpaid hold has no payments to read. */
async function withPayments(
  client: DuffelClient,
  order: SupplierWireOrder,
  { signal }: CallOptions = {},
): Promise<SupplierOrder> {
  const mapped = toOrder(order, null);
  if (!mapped.paid) return mapped;
  const query = { order_id: order.id };
  const request = { subject: "payment", schema: WirePayment, path: "/air/payments", query, signal } as const;
  return toOrder(order, creditApplied(await client.readPages(request, MOST_PAYMENTS_OF_AN_ORDER)));
}

function createOrder(
  client: DuffelClient,
  request: OrderRequest,
  data: Record<string, unknown>,
): Promise<SupplierWireOrder> {
  return client.commit({
    subject: "booking",
    schema: WireOrder,
    path: "/air/orders",
    data: { ...toOrderData(request), ...data },
  });
}

async function usableCredit(client: DuffelClient, clock: Clock, creditId: string, currency: string): Promise<string> {
  const path = `/air/airline_credits/${encodeURIComponent(creditId)}`;
  const credit = toCredit(await client.read({ subject: "credit", schema: WireCredit, path }), clock.now());
  if (credit === undefined || !credit.usable || credit.currency !== currency) throw failure("credit_not_applicable");
  return credit.amount;
}

function exceeds(amount: string | null, most: string): boolean {
  return amount !== null && (parseDecimal(amount) ?? 0n) > (parseDecimal(most) ?? 0n);
}

const Mine = z.object({ metadata: z.object({ booking_id: z.string() }) });

function paidAlready(): Failure {
  return new Failure("booking_rejected", {
    detail: "The order is already paid. Cancel it with a cancellation quote, which states the refund.",
  });
}
