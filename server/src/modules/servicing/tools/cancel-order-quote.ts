import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import { NextStep } from "../../bookings/index.ts";
import type { OrderRecord } from "../../orders/index.ts";
import { Refund, refundInUsdc } from "../cancel-order.ts";
import { quoteStayCancellation, stayRefundFields } from "../cancel-stay.ts";
import { defineTool, type Stores } from "../context.ts";
import { alreadyCancelled, orderNotFound, requireNotCancelled, requireOrder } from "../servicing-errors.ts";
import { splitRefund } from "../split-refund.ts";
import { whyNoFlightRefund, whyNoStayRefund } from "../why-nothing-back.ts";

export const cancelOrderQuote = defineTool({
  name: "cancel_order_quote",
  title: "Quote an order's cancellation",
  summary: "Quote what cancelling a whole flight order or stay would refund. Nothing is cancelled yet.",
  advice: "Never for one traveler alone. Show the person the refund, then call confirm_cancel_order.",
  area: "flights",
  effect: "write",
  onlyAsks: true,
  price: 2_000n,
  payableWithoutKey: false,
  uses: ["flights", "flightServicing", "stays", "stayBookings", "stores", "maps", "clock", "random"],
  input: z.strictObject({ orderId: z.string().describe("orderId from book_flight or book_stay") }),
  output: Refund.extend({
    refundUsdc: DecimalAmount.nullable().describe(
      "The part of refundAmount that goes to the treasury wallet, at the rate; null: not known, or no money",
    ),
    notRefundedBecause: z
      .string()
      .nullable()
      .describe("Why refundAmount is 0: the fare's or the rate's rule; null: it is not"),
    releasedUsdc: DecimalAmount.describe("The part that a reservation in escrow was to pay and will no longer owe"),
    expiresAt: z.string().nullable().describe("Request a new quote after this. null: it does not expire"),
    next: NextStep,
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
  async probe({ orderId }, { stores, clock, caller }) {
    requireCancellable(await requireOrder(stores, caller, orderId), clock.now());
  },

  async run({ orderId }, ports) {
    const { flights, flightServicing, stays, stores, maps, clock, random, caller } = ports;
    const order = await requireOrder(stores, caller, orderId);
    requireCancellable(order, clock.now());
    if (order.kind === "stay") {
      const { stayBookings } = ports;
      const { servicingQuotes } = stores;
      const { quote, policy } = await quoteStayCancellation({ stayBookings, servicingQuotes, clock, random }, order);
      const notRefundedBecause = whyNoStayRefund(quote, policy);
      return {
        cancellationId: quote.id,
        orderId,
        kind: order.kind,
        ...stayRefundFields(quote),
        ...(await inUsdc(stores, stayRefundFields(quote), order)),
        expiresAt: quote.expiresAt?.toString() ?? null,
        notRefundedBecause,
        next: [sayNext(order, notRefundedBecause), ...(await sayForAll(stores, order))].join(" "),
        ...stays.provenance(),
        sandbox: stays.sandbox,
      };
    }
    const quote = await flightServicing.quoteCancellation(orderId);
    const { id: cancellationId, refundAmount, refundCurrency, refundTo, credits, expiresAt } = quote;
    const notRefundedBecause = await whyNoFlightRefund({ flightServicing, maps, clock }, order, quote);
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
      notRefundedBecause,
      next: [sayNext(order, notRefundedBecause), ...(await sayForAll(stores, order))].join(" "),
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

/** A hold that lapsed is gone at the airline, whatever the supplier says of cancelling it. */
function requireCancellable(order: OrderRecord, now: Temporal.Instant): void {
  requireNotCancelled(order);
  const { status, holdUntil } = order;
  const isOver = holdUntil !== undefined && Temporal.Instant.compare(holdUntil, now) <= 0;
  if (status !== "lapsed" && !(status === "held" && isOver)) return;
  throw new Failure("order_not_cancellable", {
    detail:
      "This hold has lapsed: nobody paid in time, so the airline gave the seats up. Nothing was paid and nothing is owed, so there is nothing to cancel.",
  });
}

/** Suppliers cancel an order as a whole. */
async function sayForAll({ bookings }: Pick<Stores, "bookings">, { bookingId, kind }: OrderRecord): Promise<string[]> {
  const count = (await bookings.get(bookingId))?.travelers.length ?? 0;
  if (count < 2) return [];
  const others = kind === "flight" ? " The airline may do that by pnr." : " The accommodation may do that.";
  const all = count === 2 ? "both travelers" : `all ${count} travelers`;
  return [`That is for ${all}: one alone cannot be taken off here.${others}`];
}

function sayNext({ status, holdUntil }: OrderRecord, notRefundedBecause: string | null): string {
  if (status !== "held" && notRefundedBecause !== null) {
    return `Nothing comes back. ${notRefundedBecause} Show that to the person: confirm_cancel_order cancels the order all the same.`;
  }
  if (status !== "held") return "Show the refund to the person. If they agree, confirm_cancel_order cancels the order.";
  const otherwise =
    holdUntil === undefined ? "" : ` Otherwise it lapses at ${holdUntil}, and nothing is owed then either.`;
  return `Nothing was paid for this hold, so nothing comes back, and giving it up is free: confirm_cancel_order does it.${otherwise}`;
}
