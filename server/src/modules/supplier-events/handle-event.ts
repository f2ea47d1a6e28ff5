import { Failure } from "../../domain/errors.ts";
import { NotYet } from "../../platform/inbox/work-on-inbox.ts";
import type { Environment } from "../../ports/identity.ts";
import type { FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import type { Flights } from "../../ports/supplier/flights.ts";
import type { StayBookings } from "../../ports/supplier/stay-bookings.ts";
import type { SupplierEvent } from "../../ports/supplier/supplier-webhooks.ts";
import type { Booking } from "../bookings/index.ts";
import {
  creditEvents,
  type OrderEvent,
  type OrderPorts,
  type OrderRecord,
  refreshOrder,
  type ServicingAction,
} from "../orders/index.ts";
import type { ServicingCommits } from "../servicing/index.ts";
import type { Stores } from "./context.ts";

interface ProofPorts {
  flights: Pick<Flights, "getOrder" | "findOrdersByBooking">;
  stayBookings: Pick<StayBookings, "findStaysByBooking">;
}

export interface EventPorts extends OrderPorts {
  stores: Stores;
  flights: Pick<Flights, "getOrder" | "findOrdersByBooking" | "cancelUnpaidOrder" | "getAirlineCredit">;
  flightServicing: OrderPorts["flightServicing"] &
    Pick<FlightServicing, "getCancellation" | "getChange" | "listAirlineCredits">;
  stayBookings: Pick<StayBookings, "getStay" | "findStaysByBooking">;
  commits: ServicingCommits;
}

const CREATION_FAILED: ReadonlySet<string> = new Set(["order.creation_failed", "stays.booking_creation_failed"]);
const MOST_CREDITS = 200;

/**
 * Handles one event. Its body is only a hint: the named record is read at the supplier and the result is stored once, so that
 * events may come twice, late or in any order. Returns the result, for the operator.
 */
export async function handleEvent(ports: EventPorts, environment: Environment, event: SupplierEvent): Promise<string> {
  const { orderId } = event;
  const found = orderId === undefined ? undefined : await ports.stores.orders.findWithOutcomes(environment, orderId);
  if (found === undefined) return finishBooking(ports, environment, event);
  const { order } = found;
  if (found.mayHaveUnclear) await finishActions(ports, order);
  for (const recorded of await readSubject(ports, order, event)) {
    const at = ports.clock.now();
    await ports.stores.orders.record(environment, order.orderId, { ...recorded, at, source: "webhook" });
  }
  return (await refreshOrder(ports, order, "webhook")) === "read" ? "order read" : "order not at the supplier";
}

/** An event about something that is not an order yet may decide a booking with an open outcome. */
async function finishBooking(ports: EventPorts, environment: Environment, event: SupplierEvent): Promise<string> {
  const { stores, log } = ports;
  const bookingId = await findBookingId(ports, event);
  const booking = bookingId === undefined ? undefined : await stores.bookings.get(bookingId);
  if (booking === undefined || booking.environment !== environment) return "not of this service";
  const fields = { bookingId, network: environment, state: booking.state, orderId: event.orderId, type: event.type };
  if (booking.state === "booked") {
    if (event.orderId === undefined) return "booked meanwhile";
    if (booking.orderId === event.orderId) throw new NotYet("booked a moment ago");
    log.error(fields, "the supplier has a second order of one booking");
    return "second order of its booking";
  }
  const creationFailed = CREATION_FAILED.has(event.type);
  if (booking.state === "failed") {
    if (creationFailed) return "booking failed";
    if (booking.kind !== "stay") return endOrdersOfFailed(ports, booking, fields);
    if (!(await isDecided(ports, booking, false))) return "booking failed";
    log.error(fields, "the supplier has a paid order of a booking that failed");
    return "paid order of a failed booking";
  }
  if (!(await isDecided(ports, booking, creationFailed))) return "decides nothing";
  await stores.bookings.wake(booking.id);
  throw new NotYet("its booking is being finished");
}

/** The supplier names the booking of an order that it has; for one that it lacks, only the event does. */
async function findBookingId(
  { flights, stayBookings }: EventPorts,
  { orderId, bookingId }: SupplierEvent,
): Promise<string | undefined> {
  if (orderId === undefined) return bookingId;
  try {
    const record = orderId.startsWith("bok_") ? await stayBookings.getStay(orderId) : await flights.getOrder(orderId);
    return record.bookingId ?? undefined;
  } catch (error) {
    if (error instanceof Failure && (error.code === "order_not_found" || error.code === "booking_not_found")) {
      return bookingId;
    }
    throw error;
  }
}

/** Calls without an answer from the supplier record their own events; they may be looked up now, if they took effect. */
async function finishActions(ports: EventPorts, order: OrderRecord): Promise<void> {
  const { stores, commits } = ports;
  const { environment, orderId } = order;
  const unclear = await stores.servicingActions.listUnclear(environment, orderId);
  if (unclear.length === 0) return;
  await reopenActions(
    ports,
    order,
    unclear.filter(({ state }) => state === "failed"),
  );
  const sent = await stores.servicingActions.listSent(environment, orderId);
  if (sent.length === 0) return;
  for (const action of sent) {
    if ((await commits[action.kind].lookUp(action)) !== undefined) await stores.servicingActions.wake(action.id);
  }
  throw new NotYet("a cancellation or a change of the order is under way");
}

/** Finishes actions that were given up but took effect, once per subject. */
async function reopenActions(
  { stores, commits, log }: EventPorts,
  { environment, orderId }: OrderRecord,
  givenUp: readonly ServicingAction[],
): Promise<void> {
  const reopened = new Set<string>();
  for (const action of givenUp) {
    const { id, kind, subjectId, payment } = action;
    const subject = `${kind} ${subjectId}`;
    if (reopened.has(subject) || (await commits[kind].lookUp(action)) === undefined) continue;
    reopened.add(subject);
    const fields = { actionId: id, kind, subjectId, orderId, network: environment };
    if (payment === undefined) {
      if (await stores.servicingActions.reopen(id))
        log.warn(fields, "an action that was given up took effect after all");
      continue;
    }
    // The tenant was refunded and may have spent the money.
    log.error({ ...fields, paid: payment.kind }, "an action that was given up and paid back took effect after all");
  }
}

/** For a failed booking: nobody will pay its hold, and a paid order is left to the operator. */
async function endOrdersOfFailed(
  { flights, log }: EventPorts,
  booking: Booking,
  fields: Readonly<Record<string, unknown>>,
): Promise<string> {
  const alive = (await flights.findOrdersByBooking(booking.offerId, booking.id)).filter(({ cancelled }) => !cancelled);
  if (alive.some(({ paid }) => paid)) {
    log.error(fields, "the supplier has a paid order of a booking that failed");
    return "paid order of a failed booking";
  }
  for (const { id } of alive) await flights.cancelUnpaidOrder(id);
  return alive.length === 0 ? "booking failed" : "unpaid order of a failed booking cancelled";
}

type Recorded = Pick<OrderEvent, "kind" | "details"> & { key: string };

/** Reads details that the order itself lacks at the event's subject, if that belongs to this order. */
async function readSubject(
  { flights, flightServicing }: EventPorts,
  { orderId, kind }: OrderRecord,
  { type, subjectId }: SupplierEvent,
): Promise<Recorded[]> {
  if (kind !== "flight" || subjectId === undefined) return [];
  if (type === "air.order.changed" && subjectId.startsWith("oce_")) {
    const change = await flightServicing.getChange(subjectId);
    if (change.orderId !== orderId || change.confirmedAt === null) return [];
    const { id, changeTotalAmount, changeTotalCurrency } = change;
    const details = { changeId: id, changeTotalAmount, changeTotalCurrency };
    return [{ kind: "changed", key: id, details }];
  }
  if (type === "order_cancellation.confirmed") {
    const cancellation = await flightServicing.getCancellation(subjectId);
    if (cancellation.orderId !== orderId || cancellation.confirmedAt === null) return [];
    return creditEvents(cancellation);
  }
  if (type === "air.airline_credit.created") {
    const credit = await flights.getAirlineCredit(subjectId);
    if (credit === undefined || credit.customerUserId === null) return [];
    const credits = await flightServicing.listAirlineCredits(credit.customerUserId, MOST_CREDITS);
    const issued = credits.find((one) => one.id === subjectId && one.orderId === orderId);
    if (issued === undefined) return [];
    const { id, airlineIataCode, amount, currency, code } = issued;
    return [{ kind: "credit_issued", key: id, details: { id, airlineIataCode, amount, currency, code } }];
  }
  return [];
}

/**
 * Whether a look-up before the end of the quiet time already decides an open booking. A paid order with our booking id is
 * final. Finding nothing proves nothing, as the commit may still be on its way, unless the supplier has reported its failure
 * (`creationFailed`). An unpaid held order is final if no payment was sent with it or after it; any other unpaid order proves
 * nothing, as its payment may be on its way.
 * The look-up is that of the reconciler (`modules/flights/ordering/booking-steps.ts`, `modules/stays/stay-booking-steps.ts`).
 */
async function isDecided(
  { flights, stayBookings }: ProofPorts,
  booking: Booking,
  creationFailed: boolean,
): Promise<boolean> {
  if (booking.kind === "stay") {
    const found = await stayBookings.findStaysByBooking(booking.id, booking.createdAt);
    if (found.length === 0) return creationFailed && booking.state === "ordering";
    return found.some(({ status }) => status === "confirmed");
  }
  if (booking.orderId !== undefined) {
    const { paid, cancelled } = await flights.getOrder(booking.orderId);
    return paid && !cancelled;
  }
  const found = await flights.findOrdersByBooking(booking.offerId, booking.id);
  if (found.length === 0) return creationFailed && booking.state === "ordering";
  return found.some(({ paid, cancelled, paymentRequiredBy }) => {
    const isHold = paymentRequiredBy !== null && booking.state === "ordering" && booking.airlineCreditId === undefined;
    return !cancelled && (paid || isHold);
  });
}
