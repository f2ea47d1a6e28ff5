import { z } from "zod";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Reads } from "./context.ts";
import { Details, Happened, OrderStatus, OrderSummary, toSummary } from "./order-answers.ts";
import type { Orders } from "./orders.ts";

interface OrderRoutePorts {
  stores: { orders: Pick<Orders, "find" | "events"> };
  reads: Reads;
}

const OrdersAnswer = z.object({
  orders: z.array(OrderSummary).describe("Newest first"),
  nextCursor: NextCursor,
});

const OrderAnswer = OrderSummary.extend({
  documents: z.array(Details).describe("Tickets and similar documents: type, number, passengerIds"),
  itineraryHash: z.string().nullable().describe("Identifies the order in escrow: itineraryHash of commit_booking"),
  ticketOrderHash: z.string().nullable().describe("For confirm_flight; null: not ticketed yet"),
  itinerarySalt: z.string().describe("The data behind the hashes, so that you can prove what they represent"),
  externalId: z.string().nullable().describe("The escrow booking that was committed with itineraryHash"),
  slices: z
    .array(
      z.object({
        id: z.string().describe("For slice_id of request_order_change"),
        origin: z.string(),
        destination: z.string(),
        departingAt: z.string().nullable().describe("Airport local time, without offset"),
        segments: z.array(
          z.object({
            flightNumber: z.string(),
            origin: z.string(),
            destination: z.string(),
            departingAt: z.string().describe("Airport local time, without offset"),
            arrivingAt: z.string(),
          }),
        ),
      }),
    )
    .describe("Empty for a stay"),
  scheduleChanges: z
    .array(z.object({ id: z.string(), detectedAt: z.string().nullable() }))
    .describe("Changes by the airline that have not been answered yet"),
  changes: z.array(Happened),
  cancellation: Happened.nullable(),
  refunds: z.array(Happened).describe("Refunded to the treasury wallet"),
  reimbursements: z.array(Happened).describe("Returned to the treasury wallet because the escrow has paid the order"),
  credits: z.array(Happened).describe("Issued by the airline"),
  events: z
    .array(
      z.object({
        kind: z
          .string()
          .describe(
            "held, lapsed, booked, ticketed, changed, cancelled, refunded, reimbursed, paid_by_escrow, credit_issued, schedule_changed",
          ),
        at: Happened.shape.at.describe("When the service recorded it"),
        source: z.enum(["call", "webhook", "reconciliation"]).describe("How the service learned of it"),
        details: Details,
      }),
    )
    .describe("Oldest first"),
});

const listOrders = defineRoute({
  id: "get_orders",
  method: "GET",
  path: "/api/orders",
  tag: "orders",
  summary: "List orders",
  description: "The tenant's flight and stay orders, newest first, as last read from the supplier.",
  scope: "flights:read",
  query: z.object({
    ...pageQuery(z.string().regex(/^bkg_[0-9A-Z]{26}$/, CURSOR_MESSAGE)),
    status: OrderStatus.describe("Only orders with this status").exactOptional(),
  }),
  answers: { 200: { description: "One page of orders.", schema: OrdersAnswer } },
  errors: {},
  async run({ principal: { tenantId, environment }, query }, { reads }: OrderRoutePorts) {
    const { shown, nextCursor } = await readPage(
      query,
      (limit) => {
        const page = { limit, before: query.cursor, status: query.status };
        return reads(tenantId, ({ orders }) => orders.list(tenantId, environment, page));
      },
      ({ bookingId }) => bookingId,
    );
    return { orders: shown.map(toSummary), nextCursor };
  },
});

const readOrder = defineRoute({
  id: "get_order",
  method: "GET",
  path: "/api/orders/:orderId",
  tag: "orders",
  summary: "Read an order",
  description: "One of the tenant's orders: its documents, and its changes, refunds, credits and history.",
  scope: "flights:read",
  params: z.object({ orderId: z.string().describe("From the booking's answer") }),
  answers: { 200: { description: "The order.", schema: OrderAnswer } },
  errors: { not_found: "This tenant has no order with this id. GET /api/orders lists them." },
  async run({ principal: { tenantId, environment }, params, fail }, { stores: { orders } }: OrderRoutePorts) {
    const { orderId } = params;
    const order = await orders.find(tenantId, environment, orderId);
    if (order === undefined) throw fail("not_found");
    const recorded = await orders.events(environment, orderId);
    const events = recorded.map(({ at, ...event }) => ({ ...event, at: at.toString() }));
    const ofKind = (kind: string) =>
      events.filter((event) => event.kind === kind).map(({ at, details }) => ({ at, details }));
    return {
      ...toSummary(order),
      documents: order.documents,
      slices: order.slices.map((slice) => ({ ...slice, segments: [...slice.segments] })),
      itineraryHash: order.itineraryHash ?? null,
      ticketOrderHash: order.ticketOrderHash ?? null,
      itinerarySalt: order.itinerarySalt,
      externalId: order.externalId ?? null,
      scheduleChanges: order.scheduleChanges,
      changes: ofKind("changed"),
      cancellation: ofKind("cancelled")[0] ?? null,
      refunds: ofKind("refunded"),
      reimbursements: ofKind("reimbursed"),
      credits: ofKind("credit_issued"),
      events,
    };
  },
});

export const orderRoutes = [listOrders, readOrder];
