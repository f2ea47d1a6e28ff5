import { z } from "zod";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { findTimeZones, TimeZones } from "../../domain/travel/time-zones.ts";
import { CURSOR_MESSAGE, dayBounds, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Maps } from "../../ports/maps.ts";
import { BookedStay } from "./booked-stay.ts";
import type { Ports, Reads } from "./context.ts";
import { describeTravelers, ShownTraveler } from "./describe-order.ts";
import { exportMovements, exportOrders, MOST_EXPORTED } from "./listing/orders-csv.ts";
import { MOVEMENT_CURSOR, readMovements, readStatement, StatementAnswer } from "./movements/read-movements.ts";
import { Details, Happened, OrderStatus, OrderSummary, toSummary } from "./order-answers.ts";
import type { BoughtOrder, Orders } from "./orders.ts";

interface OrderRoutePorts {
  reads: Reads;
}

interface OneOrderPorts {
  stores: { orders: Pick<Orders, "findBought"> };
  maps: Maps;
}

interface MovementRoutePorts {
  reads: Reads;
  portsFor(environment: Environment): Pick<Ports, "usableChains"> | undefined;
}

const Travelers = z.array(ShownTraveler).describe("Names are shortened without the scope travelers:read");

const ListedOrder = OrderSummary.extend({
  what: wordsOfOthers("The route, or the accommodation's name").nullable(),
  startsOn: z.string().nullable().describe("Local date of the first departure or the check-in"),
  endsOn: z.string().nullable().describe("Local date of the last arrival or the check-out"),
  travelers: Travelers,
  waitingChanges: z.int().describe("Changes by the airline that have not been answered yet"),
});

const OrdersAnswer = z.object({
  orders: z.array(ListedOrder).describe("Newest first"),
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
  timeZones: TimeZones,
  airports: z
    .array(z.object({ iataCode: z.string(), cityName: z.string(), latitude: z.number(), longitude: z.number() }))
    .describe("Where the airports of the slices are; those that are not known are left out"),
  stay: z
    .object({
      accommodationName: wordsOfOthers(),
      checkInDate: z.string(),
      checkOutDate: z.string(),
      refundable: z.boolean().describe("By the conditions at the time of the booking"),
      position: z
        .object({ latitude: z.number(), longitude: z.number() })
        .nullable()
        .describe("null: it is not known, or was not kept when it was booked"),
    })
    .nullable()
    .describe("null for a flight"),
  travelers: Travelers,
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

const day = z.iso.date("must be a date, YYYY-MM-DD");
const orderFilters = {
  status: OrderStatus.describe("Only orders with this status").exactOptional(),
  kind: z.enum(["flight", "stay"]).exactOptional(),
  userId: z.string().describe("Only orders on which this user travels").exactOptional(),
  from: day.describe("Only travel that ends on this local day or later").exactOptional(),
  to: day.describe("Only travel that begins on this local day or earlier").exactOptional(),
  bookedFrom: day.describe("Only orders that were booked on this day or later, UTC").exactOptional(),
  bookedTo: day.describe("Only orders that were booked on this day or earlier, UTC").exactOptional(),
};
const OrderFilters = z.object(orderFilters);

function toAsked({ kind, bookedFrom, bookedTo, ...filter }: z.output<typeof OrderFilters>) {
  const kinds = kind === undefined ? undefined : { kinds: [kind] };
  return { ...filter, ...kinds, booked: dayBounds({ from: bookedFrom, to: bookedTo }) };
}

const movementFilters = {
  from: day.describe("First day, UTC").exactOptional(),
  to: day.describe("Last day, UTC").exactOptional(),
  orderId: z.string().exactOptional(),
  tripId: z.string().exactOptional(),
};

const CSV = { 200: { description: "The file.", schema: z.string(), contentType: "text/csv" } };
const MANY = `The newest ${MOST_EXPORTED}, in UTF-8 with a header`;

const exportOrderList = defineRoute({
  id: "export_orders",
  method: "GET",
  path: "/api/orders/export",
  tag: "orders",
  summary: "Export orders as CSV",
  description: `What was spent on whom: one line per traveler of each order, with an equal share of what the order cost after refunds. ${MANY}.`,
  scope: "flights:read",
  query: OrderFilters,
  answers: CSV,
  errors: {},
  async run({ principal: { tenantId, environment, scopes }, query }, { reads }: OrderRoutePorts) {
    const asked = { ...toAsked(query), limit: MOST_EXPORTED };
    return exportOrders(await reads(tenantId, ({ orders }) => orders.list(tenantId, environment, asked)), scopes);
  },
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
    ...orderFilters,
  }),
  answers: { 200: { description: "One page of orders.", schema: OrdersAnswer } },
  errors: {},
  async run({ principal: { tenantId, environment, scopes }, query }, { reads }: OrderRoutePorts) {
    const { limit, cursor: before, ...filter } = query;
    const asked = { ...toAsked(filter), before };
    const { shown, nextCursor } = await readPage(
      { ...(limit === undefined ? {} : { limit }) },
      (most) => reads(tenantId, ({ orders }) => orders.list(tenantId, environment, { ...asked, limit: most })),
      ({ bookingId }) => bookingId,
    );
    const listed = shown.map((order) => ({
      ...toSummary(order),
      what: order.what ?? null,
      startsOn: order.startsOn ?? null,
      endsOn: order.endsOn ?? null,
      travelers: describeTravelers(order.travelers, scopes),
      waitingChanges: order.scheduleChanges.length,
    }));
    return { orders: listed, nextCursor };
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
  async run({ principal, params, fail }, { stores: { orders }, maps }: OneOrderPorts) {
    const { tenantId, environment, scopes } = principal;
    const { orderId } = params;
    const order = await orders.findBought(tenantId, environment, orderId);
    if (order === undefined) throw fail("not_found");
    const events = order.events.map(({ at, ...event }) => ({ ...event, at: at.toString() }));
    const ofKind = (kind: string) =>
      events.filter((event) => event.kind === kind).map(({ at, details }) => ({ at, details }));
    return {
      ...toSummary(order),
      documents: order.documents,
      slices: order.slices.map((slice) => ({ ...slice, segments: [...slice.segments] })),
      timeZones: findTimeZones(order.slices, maps),
      airports: findAirports(order.slices, maps),
      stay: describeStay(order),
      travelers: describeTravelers(order.booking.travelers, scopes),
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

/** The money behind the orders, and everything else that came to and left the wallets. */
const listMovements = defineRoute({
  id: "get_movements",
  method: "GET",
  path: "/api/movements",
  tag: "treasury",
  summary: "List money movements",
  description:
    "Money that entered or left the tenant's wallets, newest first: purpose, amount, counterpart, order or trip, transaction.",
  scope: "treasury:read",
  query: z.object({
    ...pageQuery(z.string().regex(MOVEMENT_CURSOR, CURSOR_MESSAGE)),
    ...movementFilters,
  }),
  answers: { 200: { description: "One page of movements.", schema: StatementAnswer } },
  errors: { sandbox_unavailable: "This deployment runs without the sandbox. Use a production key." },
  async run({ principal, query, fail }, { reads, portsFor }: MovementRoutePorts) {
    const { usableChains } = portsFor(principal.environment) ?? {};
    if (usableChains === undefined) throw fail("sandbox_unavailable");
    return await readStatement({ reads, usableChains }, principal, query);
  },
});

const exportMovementList = defineRoute({
  id: "export_movements",
  method: "GET",
  path: "/api/movements/export",
  tag: "treasury",
  summary: "Export money movements as CSV",
  description: `One movement per line. ${MANY}.`,
  scope: "treasury:read",
  query: z.object(movementFilters),
  answers: CSV,
  errors: { sandbox_unavailable: "This deployment runs without the sandbox. Use a production key." },
  async run({ principal, query, fail }, { reads, portsFor }: MovementRoutePorts) {
    const { usableChains } = portsFor(principal.environment) ?? {};
    if (usableChains === undefined) throw fail("sandbox_unavailable");
    const asked = { ...query, limit: MOST_EXPORTED };
    return exportMovements((await readMovements({ reads, usableChains }, principal, asked)).movements);
  },
});

function findAirports(slices: BoughtOrder["slices"], maps: Pick<Maps, "airport">) {
  const codes = slices.flatMap(({ segments }) => segments.flatMap(({ origin, destination }) => [origin, destination]));
  return [...new Set(codes)].flatMap((code) => {
    const found = maps.airport(code);
    if (found === undefined) return [];
    const { cityName, latitude, longitude } = found;
    return [{ iataCode: code, cityName, latitude, longitude }];
  });
}

function describeStay({ kind, booking: { result, position } }: BoughtOrder) {
  const read = BookedStay.safeParse(result);
  if (kind !== "stay" || !read.success) return null;
  const { accommodationName, checkInDate, checkOutDate, cancellationPolicy } = read.data;
  return {
    accommodationName,
    checkInDate,
    checkOutDate,
    refundable: cancellationPolicy.refundable,
    position: position ?? null,
  };
}

/** An export is before the order whose id is a part of the path. */
export const orderRoutes = [exportOrderList, exportMovementList, listOrders, readOrder, listMovements];
