import { Failure } from "../../domain/errors.ts";
import { formatDecimal } from "../../domain/money.ts";
import type { StoresWith } from "../../kernel/contracts/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import type { FlightServicing, OrderDetails } from "../../ports/supplier/flight-servicing.ts";
import type { OrderedSlice } from "../../ports/supplier/flights.ts";
import type { StayBookings } from "../../ports/supplier/stay-bookings.ts";
import { hashTicketOrder, inUsdc, toBookedSegment } from "../bookings/index.ts";
import { findHomePurse, refund } from "../treasury/index.ts";
import type { Aggregates } from "./context.ts";
import type { OrderChange, OrderEvent, OrderEventSource, OrderRecord } from "./orders.ts";
import { atMost, paidFor } from "./paid-for.ts";

type OrderAggregates = Omit<
  Aggregates,
  "approvals" | "gatewayBooks" | "gatewayIntents" | "gatewayWithdrawals" | "persons" | "transfers"
>;

export interface OrderPorts {
  flightServicing: Pick<FlightServicing, "getOrderDetails" | "getReturnedPayment">;
  stayBookings: Pick<StayBookings, "getStay">;
  stores: StoresWith<OrderAggregates>;
  clock: Clock;
  log: Log;
}

type Recorded = Pick<OrderEvent, "kind" | "details"> & { key: string };

/** The order as the supplier describes it now. */
interface Reading {
  change: OrderChange;
  events: readonly Recorded[];
  /** The amount that the operator got back for an order that ended without tickets, in the order's currency. */
  returned: string | null;
}

const MOST_READINGS = 3;
const SOONEST_CHECK_MILLISECONDS = 60_000;
const LATEST_CHECK_MILLISECONDS = 24 * 3_600_000;
/** Airlines move flights that leave soon, and the event that says so can be missed. */
const NEAR_CHECK_MILLISECONDS = 4 * 3_600_000;
const NEAR = { days: 14 };
/** Airlines sell about a year ahead; older orders are not read any more. */
const LONGEST_WATCH_MILLISECONDS = 400 * LATEST_CHECK_MILLISECONDS;

/**
 * Reads an order at the supplier and stores its news, with each event once. Safe to repeat and to run concurrently. `gone`: the
 * supplier does not know the order.
 */
export async function refreshOrder(
  ports: OrderPorts,
  order: OrderRecord,
  source: OrderEventSource,
): Promise<"read" | "gone"> {
  const { stores, clock, log } = ports;
  const { environment, orderId } = order;
  for (let attempt = 1; attempt <= MOST_READINGS; attempt += 1) {
    // The caller has just read it. If it has changed since, what the supplier says is not stored.
    const known = attempt === 1 ? order : await stores.orders.findByOrderId(environment, orderId);
    if (known === undefined) return "gone";
    const reading = await read(ports, known);
    if (reading === undefined) {
      log.error({ orderId, network: environment }, "the supplier does not know an order that was booked there");
      await stores.orders.wasRead(environment, orderId, nextCheck(known, clock));
      return "gone";
    }
    const stored = await store(ports, known, reading, source);
    // A newer state was stored while the supplier was asked: its answer may be outdated.
    if (stored) return "read";
  }
  throw new Error(`the record of order ${orderId} changes faster than it can be read`);
}

/** Reads the order's ticketing at the supplier and stores nothing. */
export async function readTicketing(
  { flightServicing }: Pick<OrderPorts, "flightServicing">,
  known: OrderRecord,
): Promise<Pick<OrderRecord, "status" | "ticketing">> {
  try {
    const { change } = await readFlight({ flightServicing }, known);
    return { ...known, ...change };
  } catch (error) {
    if (isGone(error)) return known;
    throw error;
  }
}

async function store(
  { stores, clock, log }: OrderPorts,
  known: OrderRecord,
  { change, events, returned }: Reading,
  source: OrderEventSource,
): Promise<boolean> {
  const { environment, orderId } = known;
  // An unpaid order has nothing to refund.
  const cancelled = change.status === "cancelled" && known.status === "confirmed";
  const read = { nextCheckAt: nextCheck({ ...known, ...change }, clock) };
  if (events.length === 0 && returned === null && !cancelled) {
    return (await stores.orders.update(environment, orderId, change, known.updatedAt, read)) !== "stale";
  }
  const stored = await stores.transaction(async (aggregates) => {
    const { orders, servicingActions } = aggregates;
    if ((await orders.update(environment, orderId, change, known.updatedAt, read)) === "stale") return false;
    for (const event of events) await orders.record(environment, orderId, { ...event, at: clock.now(), source });
    await tellRuns(aggregates, known, events);
    const isOver = returned !== null || cancelled;
    const underWay = isOver && (await servicingActions.listSent(environment, orderId)).length > 0;
    // The outcome of that call decides what the tenant has paid and got back. The order is read again afterwards.
    if (returned !== null && underWay) throw new Error(`order ${orderId} died while a call about it is under way`);
    const seen = { at: clock.now(), source };
    const refundedUsdc = returned === null ? undefined : await passOn(aggregates, known, returned, seen);
    if (refundedUsdc !== undefined) {
      log.warn(
        { orderId, network: environment, refundedUsdc },
        "the supplier could not issue tickets: what was paid is given back",
      );
    } else if (cancelled && !underWay) {
      log.error(
        { orderId, network: environment },
        "an order was cancelled, but not by a call: its refund is the operator's to decide",
      );
    }
    return true;
  });
  return stored;
}

/** Wakes workflow runs that wait for the order's tickets, or for the news that there will be none. */
async function tellRuns(
  { runEvents }: OrderAggregates,
  { tenantId, environment, orderId, ticketing }: OrderRecord,
  events: readonly Recorded[],
): Promise<void> {
  const isTicketed = events.some(({ kind }) => kind === "ticketed");
  const isOver = ticketing !== "ticketed" && events.some(({ kind }) => kind === "cancelled");
  if (!isTicketed && !isOver) return;
  const resolution = { status: isTicketed ? "ticketed" : "failed" };
  await runEvents.raise({ tenantId, environment, name: "order_ticketing", subject: orderId, resolution });
}

/** Gives the tenant back what the supplier returned: once, and at most what was paid in money. */
async function passOn(
  aggregates: OrderAggregates,
  { tenantId, environment, orderId, bookingId, totalCurrency, rate }: OrderRecord,
  returned: string,
  seen: Pick<OrderEvent, "at"> & { source: OrderEventSource },
): Promise<string | undefined> {
  const returnedMicro = inUsdc(returned, totalCurrency, rate);
  if (returnedMicro === undefined) return undefined;
  // A cancellation by a call has already refunded the amount of its quote.
  const done = await aggregates.servicingActions.listDone(environment, orderId);
  if (done.some(({ kind }) => kind === "flight_cancellation")) return undefined;
  const back = atMost(returnedMicro, await paidFor(aggregates, { environment, orderId, bookingId }));
  // The reservation in escrow no longer owes this part.
  const released = atMost(returnedMicro - back, (await aggregates.bookings.get(bookingId))?.cover ?? 0n);
  if (back === 0n && released === 0n) return undefined;
  const refundedUsdc = formatDecimal(back);
  const details = { reason: "ticketing_failed", refundedUsdc, releasedUsdc: formatDecimal(released) };
  const event = { kind: "refunded", key: "payment", details, ...seen };
  if (!(await aggregates.orders.record(environment, orderId, event))) return undefined;
  await aggregates.bookings.reduceCover(bookingId, released);
  const purse = await findHomePurse(aggregates, { tenantId, environment });
  await refund(aggregates, purse, `payment-returned:${bookingId}`, back);
  return refundedUsdc;
}

async function read(ports: OrderPorts, known: OrderRecord): Promise<Reading | undefined> {
  try {
    if (known.status === "held" || known.status === "lapsed") return await readHold(ports, known);
    return known.kind === "flight" ? await readFlight(ports, known) : await readStay(ports, known);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Failure && (error.code === "order_not_found" || error.code === "booking_not_found");

async function readFlight(
  { flightServicing }: Pick<OrderPorts, "flightServicing">,
  known: OrderRecord,
): Promise<Reading> {
  const details = await flightServicing.getOrderDetails(known.orderId);
  const { cancelledAt, ticketed, documents, airlineChanges } = details;
  const numbers = documents.map(({ number }) => number);
  const died = cancelledAt !== null && !ticketed && known.ticketing !== "ticketed";
  return {
    returned: died ? await flightServicing.getReturnedPayment(known.orderId) : null,
    change: {
      ...flightsAndPrice(details),
      ...(cancelledAt === null ? {} : { status: "cancelled" }),
      ...(ticketed ? { ticketing: "ticketed" } : {}),
      // Set once: a reissued ticket does not change the order's hash in escrow.
      ...(ticketed && known.ticketOrderHash === undefined
        ? { ticketOrderHash: hashTicketOrder({ orderId: known.orderId, proofs: numbers }, known.itinerarySalt) }
        : {}),
      documents: documents.map((document) => ({ ...document })),
      scheduleChanges: airlineChanges.map(({ actionTaken: _, ...unanswered }) => unanswered),
    },
    events: [
      ...(ticketed && known.ticketing !== "ticketed"
        ? [{ kind: "ticketed", key: "", details: { documents: numbers } }]
        : []),
      ...airlineChanges.map(({ actionTaken: _, ...details }) => ({
        kind: "schedule_changed",
        key: details.id,
        details,
      })),
      ...cancelledEvent(known, cancelledAt),
    ],
  };
}

/** Reads an unpaid held order. Suppliers do not always report a lapsed one as cancelled. */
async function readHold({ flightServicing, clock }: HoldPorts, known: OrderRecord): Promise<Reading> {
  const { cancelledAt, paid, totalAmount, totalCurrency, slices } = await flightServicing.getOrderDetails(
    known.orderId,
  );
  const { holdUntil } = known;
  const endedAt = cancelledAt === null ? clock.now() : Temporal.Instant.from(cancelledAt);
  const isLate = holdUntil !== undefined && Temporal.Instant.compare(holdUntil, endedAt) <= 0;
  const change = { totalAmount, totalCurrency, slices: slices.map(toBookedSlice) };
  if (paid || (cancelledAt === null && !isLate)) return { returned: null, change, events: [] };
  const status = isLate ? "lapsed" : "cancelled";
  return {
    returned: null,
    change: { ...change, status },
    events: [{ kind: status, key: "", details: isLate ? {} : { cancelledAt } }],
  };
}

type HoldPorts = Pick<OrderPorts, "clock"> & {
  stores: StoresWith<Pick<OrderAggregates, "orders">>;
  flightServicing: Pick<FlightServicing, "getOrderDetails">;
};

/** Reads a held order at the supplier and stores its state. */
export async function refreshHold(ports: HoldPorts, held: OrderRecord): Promise<void> {
  const { environment, orderId } = held;
  const { change, events } = await readHold(ports, held);
  await ports.stores.transaction(async ({ orders }) => {
    if ((await orders.update(environment, orderId, change, held.updatedAt)) === "stale") return;
    for (const event of events) {
      await orders.record(environment, orderId, { ...event, at: ports.clock.now(), source: "call" });
    }
  });
}

async function readStay({ stayBookings }: OrderPorts, known: OrderRecord): Promise<Reading> {
  const { status, cancelledAt, price } = await stayBookings.getStay(known.orderId);
  return {
    returned: null,
    change: {
      ...(status === "cancelled" ? { status } : {}),
      ...(price === null ? {} : { totalAmount: price.amount, totalCurrency: price.currency }),
    },
    events: status === "cancelled" ? cancelledEvent(known, cancelledAt ?? "") : [],
  };
}

function cancelledEvent({ status }: OrderRecord, cancelledAt: string | null): Recorded[] {
  if (cancelledAt === null || status === "cancelled") return [];
  return [{ kind: "cancelled", key: "", details: { cancelledAt } }];
}

/** The columns that a change of an order updates at once. */
export function flightsAndPrice({ totalAmount, totalCurrency, slices }: OrderDetails) {
  return { totalAmount, totalCurrency, slices: slices.map(toBookedSlice) };
}

export function toBookedSlice({ id, origin, destination, segments }: OrderedSlice) {
  return {
    id,
    origin,
    destination,
    departingAt: segments[0]?.departingAt || null,
    segments: segments.map(toBookedSegment),
  };
}

/** Soon while something is pending, with growing intervals; otherwise daily, since events can be missed. */
function nextCheck(order: OrderRecord, clock: Clock): Temporal.Instant | undefined {
  const now = clock.now();
  const age = now.since(order.createdAt).total("milliseconds");
  if (order.status === "cancelled" || order.status === "lapsed" || age > LONGEST_WATCH_MILLISECONDS) return undefined;
  if (order.status === "held" && order.holdUntil !== undefined) return order.holdUntil;
  const awaitsTickets = order.kind === "flight" && order.ticketing !== "ticketed";
  const soon = Math.min(Math.max(SOONEST_CHECK_MILLISECONDS, age / 10), LATEST_CHECK_MILLISECONDS);
  const calm = isNear(order, now) ? NEAR_CHECK_MILLISECONDS : LATEST_CHECK_MILLISECONDS;
  return now.add({ milliseconds: Math.round(awaitsTickets ? soon : calm) });
}

/** Whether one of its flights leaves within the next days; a day of local time does not matter here. */
function isNear({ kind, slices }: Pick<OrderRecord, "kind" | "slices">, now: Temporal.Instant): boolean {
  if (kind !== "flight") return false;
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  const [from, to] = [today.subtract({ days: 1 }), today.add(NEAR)];
  return slices.some(({ departingAt }) => {
    if (!departingAt) return false;
    const day = Temporal.PlainDateTime.from(departingAt).toPlainDate();
    return Temporal.PlainDate.compare(day, from) >= 0 && Temporal.PlainDate.compare(day, to) <= 0;
  });
}

/** Reads orders whose events were missed or that wait for something. Returns how many were read. */
export async function refreshDueOrders(
  ports: OrderPorts,
  environment: Environment,
  batch: number,
  leaseMilliseconds: number,
): Promise<number> {
  const until = ports.clock.now().add({ milliseconds: leaseMilliseconds });
  const due = await ports.stores.orders.takeDue(environment, batch, until);
  await Promise.all(
    due.map((order) =>
      refreshOrder(ports, order, "reconciliation").catch((err: unknown) => {
        // Its lease expires after a while, and the order is tried again.
        ports.log.warn({ orderId: order.orderId, err }, "an order could not be read again");
      }),
    ),
  );
  return due.length;
}
