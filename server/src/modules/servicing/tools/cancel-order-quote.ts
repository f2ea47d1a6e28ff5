import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import type { OrderRecord } from "../../orders/index.ts";
import { Refund, refundInUsdc } from "../cancel-order.ts";
import { quoteStayCancellation, stayRefundFields } from "../cancel-stay.ts";
import { defineTool, type Stores } from "../context.ts";
import { alreadyCancelled, orderNotFound, requireNotCancelled, requireOrder } from "../servicing-errors.ts";
import { splitRefund } from "../split-refund.ts";

export const cancelOrderQuote = defineTool({
  name: "cancel_order_quote",
  title: "Quote an order's cancellation",
  summary: "Quote what cancelling a flight order or a stay would return, and how. Nothing is cancelled yet.",
  advice: "Show the refund to the person, then confirm_cancel_order with the cancellationId.",
  area: "flights",
  effect: "write",
  onlyAsks: true,
  price: 2_000n,
  payableWithoutKey: false,
  uses: ["flights", "flightServicing", "stays", "stayBookings", "stores", "clock", "random"],
  input: z.strictObject({ orderId: z.string().describe("orderId of book_flight or book_stay") }),
  output: Refund.extend({
    refundUsdc: DecimalAmount.nullable().describe(
      "What of refundAmount goes to the treasury wallet, at the rate; null: it is not known, or no money",
    ),
    releasedUsdc: DecimalAmount.describe("What of it a reservation in escrow was to pay: it then owes that no more"),
    expiresAt: z.string().nullable().describe("After this ask again. null: it does not expire"),
  }),
  errors: {
    ...supplierErrors,
    order_not_found: orderNotFound,
    order_not_cancellable: "The supplier does not allow this order to be cancelled. It stays as it was.",
    already_cancelled: alreadyCancelled,
  },
  example: (_today, { changedOrderId }) => ({ orderId: changedOrderId }),
  gives: ({ cancellationId }) => ({ cancellationId }),

  plan: () => EMPTY_PLAN,
  async probe({ orderId }, { stores, caller }) {
    requireNotCancelled(await requireOrder(stores, caller, orderId));
  },

  async run({ orderId }, ports) {
    const { flights, flightServicing, stays, stores, clock, random, caller } = ports;
    const order = await requireOrder(stores, caller, orderId);
    requireNotCancelled(order);
    if (order.kind === "stay") {
      const { stayBookings } = ports;
      const { servicingQuotes } = stores;
      const quote = await quoteStayCancellation({ stayBookings, servicingQuotes, clock, random }, order);
      return {
        cancellationId: quote.id,
        orderId,
        kind: order.kind,
        ...stayRefundFields(quote),
        ...(await inUsdc(stores, stayRefundFields(quote), order)),
        expiresAt: quote.expiresAt?.toString() ?? null,
        ...stays.provenance(),
        sandbox: stays.sandbox,
      };
    }
    const quote = await flightServicing.quoteCancellation(orderId);
    const { id: cancellationId, refundAmount, refundCurrency, refundTo, credits, expiresAt } = quote;
    await stores.servicingQuotes.insertFlightCancellation({
      ...quote,
      orderId,
      tenantId: order.tenantId,
      environment: order.environment,
    });
    return {
      cancellationId,
      orderId,
      kind: order.kind,
      refundAmount,
      refundCurrency,
      refundTo,
      credits,
      expiresAt,
      ...(await inUsdc(stores, quote, order)),
      ...flights.provenance(),
      sandbox: flights.sandbox,
    };
  },
});

/** As the confirmation would answer now. */
async function inUsdc(stores: Stores, quote: Parameters<typeof refundInUsdc>[0], order: OrderRecord) {
  const { back, released } = await splitRefund(stores, order, refundInUsdc(quote, order));
  return {
    rate: order.rate,
    refundUsdc: quote.refundAmount === null ? null : formatDecimal(back),
    releasedUsdc: formatDecimal(released),
  };
}
