import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { validateArguments } from "../../kernel/validate.ts";
import type { OrderRecord, Orders } from "../../modules/orders/orders.ts";
import type { Principal } from "../../ports/identity.ts";

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 200;

const Limit = z
  .string()
  .refine((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAXIMUM_LIMIT, {
    message: `must be a whole number from 1 to ${MAXIMUM_LIMIT}`,
  })
  // It is a text only because it stands in a query.
  .meta({ type: "integer", minimum: 1, maximum: MAXIMUM_LIMIT, default: DEFAULT_LIMIT });

export const OrdersQuery = z.object({
  cursor: z
    .string()
    .regex(/^bkg_[0-9A-Z]{26}$/, "must be the nextCursor of the page before")
    .describe("nextCursor of the page before")
    .exactOptional(),
  limit: Limit.exactOptional(),
  status: z.enum(["confirmed", "cancelled"]).describe("Orders of this status only").exactOptional(),
});

const Time = z.string().meta({ format: "date-time" });
const Details = z.record(z.string(), z.unknown());
const Happened = z.object({ at: Time, details: Details });

const OrderSummary = z.object({
  orderId: z.string(),
  bookingId: z.string(),
  kind: z.enum(["flight", "stay"]),
  status: z.enum(["confirmed", "cancelled"]),
  pnr: z.string().nullable().describe("Of a stay, the reference that is shown there"),
  ticketing: z.enum(["pending", "ticketed"]).nullable().describe("null for a stay"),
  totalAmount: z.string().describe("What it costs now, changes included"),
  totalCurrency: z.string(),
  sandbox: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
  readAt: Time.nullable().describe("When the supplier was asked last; null: not since it was booked"),
});

export const OrdersAnswer = z.object({
  orders: z.array(OrderSummary).describe("Newest first"),
  nextCursor: z.string().nullable().describe("null on the last page"),
});

export const OrderAnswer = OrderSummary.extend({
  documents: z.array(Details).describe("Tickets and the like: type, number, passengerIds"),
  slices: z
    .array(
      z.object({
        id: z.string().describe("slice_id of request_order_change"),
        origin: z.string(),
        destination: z.string(),
        departingAt: z.string().nullable().describe("Local time at the airport, no offset"),
      }),
    )
    .describe("Empty for a stay"),
  scheduleChanges: z
    .array(z.object({ id: z.string(), detectedAt: z.string().nullable() }))
    .describe("Changes that the airline made by itself and nobody has answered"),
  changes: z.array(Happened),
  cancellation: Happened.nullable(),
  refunds: z.array(Happened).describe("Given back to the treasury wallet"),
  credits: z.array(Happened).describe("Issued by the airline"),
  events: z
    .array(
      z.object({
        kind: z.string().describe("booked, ticketed, changed, cancelled, refunded, credit_issued, schedule_changed"),
        at: Time.describe("When the service learned of it"),
        source: z.enum(["call", "webhook", "reconciliation"]).describe("How the service learned of it"),
        details: Details,
      }),
    )
    .describe("Oldest first"),
});

/** `GET /api/orders?cursor=&limit=&status=`: the tenant's orders in the key's environment. */
export async function listOrders(options: {
  orders: Orders;
  principal: Principal;
  query: URLSearchParams;
}): Promise<z.infer<typeof OrdersAnswer>> {
  const { orders, principal } = options;
  const query = OrdersQuery.parse(validateArguments(OrdersQuery, firstValues(options.query)));
  const limit = Number(query.limit ?? DEFAULT_LIMIT);
  const { tenantId, environment } = principal;
  const page = { limit: limit + 1, before: query.cursor, status: query.status };
  const found = await orders.list(tenantId, environment, page);
  const shown = found.slice(0, limit);
  return {
    orders: shown.map(toSummary),
    nextCursor: found.length > limit ? (shown.at(-1)?.bookingId ?? null) : null,
  };
}

/** `GET /api/orders/{orderId}`: one of them, with what became of it. */
export async function readOrder(options: {
  orders: Orders;
  principal: Principal;
  orderId: string;
}): Promise<z.infer<typeof OrderAnswer>> {
  const { orders, principal, orderId } = options;
  const { tenantId, environment } = principal;
  const order = await orders.find(tenantId, environment, orderId);
  if (order === undefined) {
    throw new Failure("not_found", { detail: "This tenant has no order with this id. GET /api/orders lists them." });
  }
  const recorded = await orders.events(environment, orderId);
  const events = recorded.map(({ at, ...event }) => ({ ...event, at: at.toString() }));
  const ofKind = (kind: string) =>
    events.filter((event) => event.kind === kind).map(({ at, details }) => ({ at, details }));
  return {
    ...toSummary(order),
    documents: [...order.documents],
    slices: [...order.slices],
    scheduleChanges: [...order.scheduleChanges],
    changes: ofKind("changed"),
    cancellation: ofKind("cancelled")[0] ?? null,
    refunds: ofKind("refunded"),
    credits: ofKind("credit_issued"),
    events,
  };
}

function toSummary(order: OrderRecord): z.infer<typeof OrderSummary> {
  const { orderId, bookingId, kind, status, totalAmount, totalCurrency } = order;
  return {
    orderId,
    bookingId,
    kind,
    status,
    pnr: order.pnr ?? null,
    ticketing: order.ticketing ?? null,
    totalAmount,
    totalCurrency,
    sandbox: order.network === "sandbox",
    createdAt: order.createdAt.toString(),
    updatedAt: order.updatedAt.toString(),
    readAt: order.readAt?.toString() ?? null,
  };
}

/** Of a parameter that stands there twice the first counts. */
function firstValues(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].toReversed());
}
