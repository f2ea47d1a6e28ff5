import { Failure } from "../../domain/errors.ts";
import { formatDecimal } from "../../domain/money.ts";
import type { Booking, BookingChange, BookingState } from "../../ports/bookings.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Flights, OrderRequest, SupplierOrder } from "../../ports/flights.ts";
import type { Stores } from "../../ports/stores.ts";
import { collect } from "../treasury/collect.ts";
import { type BookingResult, balancePays, toMicroUsdc, toResult } from "./booking-result.ts";

/**
 * How a booking moves. One worker has it at a time: the call that made it, or the reconciler after that worker has been
 * silent. Every move is guarded by the state it leaves and by the worker; who loses that guard stops at once.
 *
 * | state    | what the supplier may have        | how it is left                                               |
 * |----------|-----------------------------------|--------------------------------------------------------------|
 * | intended | nothing: no request was sent      | → ordering by its worker; → failed by the reconciler         |
 * | ordering | an order, perhaps paid (instant)  | answer: → held, → booked, → failed; no answer: lookup by our |
 * |          |                                   | booking id after the quiet time: paid → booked, unpaid →     |
 * |          |                                   | held, none → failed                                          |
 * | held     | an unpaid order                   | → paying; gone at the supplier → failed                      |
 * | paying   | an order, perhaps paid            | answer: → booked, → failed (the hold is cancelled); no       |
 * |          |                                   | answer: lookup after the quiet time: paid → booked, unpaid → |
 * |          |                                   | paying again, at most MOST_PAYMENTS times, gone → failed     |
 * | booked   | a paid order                      | final: the hold on the balance was captured                  |
 * | failed   | no order, or an unpaid dead one   | final: the hold on the balance was released                  |
 *
 * The state is stored before the request is sent, so that a crash between the two leaves an open question and never an
 * unknown order. A request is only sent within SEND_WITHIN of that store, and the quiet time counts from the last moment at
 * which it can have been sent or its worker was alive; a lookup that finds nothing proves something only after it. Money: the hold is made with the
 * intent, and captured or released in the transaction that makes the booking final. It is never touched in between.
 */
export const SEND_WITHIN_MILLISECONDS = 5_000;
/** A worker says that it lives this often, and is given up after so long a silence. */
export const HEARTBEAT_MILLISECONDS = 2_000;
export const STALE_SECONDS = 15;
const MOST_PAYMENTS = 3;

export interface BookingPorts {
  flights: Flights;
  stores: Stores;
  clock: Clock;
}

export type BookingEnd =
  | { kind: "booked"; result: BookingResult }
  | { kind: "failed"; failure: Failure }
  /** A commit was sent and its outcome is open; the reconciler decides. */
  | { kind: "unknown"; cause?: unknown }
  /** Another worker has the booking. */
  | { kind: "lost" };

/** Rolls a transaction back when the guard of a move fails. */
class LostBooking extends Error {}

type Sent<T> = { kind: "done"; value: T } | { kind: "refused"; failure: Failure } | { kind: "unknown"; cause: unknown };

export function ledgerReference(booking: Booking): string {
  return `booking:${booking.id}`;
}

/** The steps of one worker. All of them return how the booking stands afterwards; none of them throws for that. */
export function bookingSteps({ flights, stores, clock }: BookingPorts, workerId: string) {
  async function move(booking: Booking, to: BookingState, change: BookingChange = {}): Promise<Booking> {
    const moved = await stores.bookings.advance(booking.id, { from: booking.state, workerId }, to, change);
    if (!moved) throw new LostBooking();
    return { ...booking, ...change, state: to };
  }

  /** Stores that a request may be on its way, then sends it, once. */
  async function send<T>(
    booking: Booking,
    to: BookingState,
    change: BookingChange,
    request: () => Promise<T>,
  ): Promise<{ booking: Booking; sent: Sent<T> }> {
    const storedAt = clock.now();
    const quietUntil = storedAt.add({ milliseconds: SEND_WITHIN_MILLISECONDS + flights.quietMilliseconds });
    const moved = await move(booking, to, { ...change, quietUntil });
    if (clock.now().since(storedAt).total("milliseconds") > SEND_WITHIN_MILLISECONDS) {
      return { booking: moved, sent: { kind: "refused", failure: neverSent() } };
    }
    try {
      return { booking: moved, sent: { kind: "done", value: await request() } };
    } catch (cause) {
      const certain = cause instanceof Failure && cause.code !== "outcome_unknown";
      return { booking: moved, sent: certain ? { kind: "refused", failure: cause } : { kind: "unknown", cause } };
    }
  }

  async function complete(booking: Booking, order: SupplierOrder): Promise<BookingEnd> {
    const result = toResult(flights, booking, order);
    const { tenantId, network, callId, state } = booking;
    await stores.transaction(async ({ bookings, effects, ...money }) => {
      const change = { orderId: order.id, pnr: order.pnr, ticketing: result.ticketing, result };
      if (!(await bookings.advance(booking.id, { from: state, workerId }, "booked", change))) throw new LostBooking();
      const purse = { tenantId, network, token: "USDC" } as const;
      await collect(money, purse, ledgerReference(booking), balancePays(booking, order));
      await effects.done(callId, result);
    });
    return { kind: "booked", result };
  }

  async function fail(booking: Booking, failure: Failure): Promise<BookingEnd> {
    const { tenantId, network, callId, state } = booking;
    await stores.transaction(async ({ bookings, ledger, effects }) => {
      const change = { failureCode: failure.code };
      if (!(await bookings.advance(booking.id, { from: state, workerId }, "failed", change))) throw new LostBooking();
      await ledger.release({ tenantId, network, token: "USDC" }, ledgerReference(booking));
      await effects.failed(callId);
    });
    return { kind: "failed", failure };
  }

  /** Lets go of the booking until a lookup can prove something. */
  async function leave(booking: Booking, cause: unknown): Promise<BookingEnd> {
    const quietUntil = clock.now().add({ milliseconds: flights.quietMilliseconds });
    const left = await stores.bookings.leave(booking.id, workerId, quietUntil);
    return left ? { kind: "unknown", cause } : { kind: "lost" };
  }

  /**
   * Ends a booking whose order was unpaid when it was last read. A hold that cannot be cancelled lapses by itself and costs
   * nothing; but it may be that it cannot because a late payment has arrived.
   */
  async function giveUp(booking: Booking, orderId: string, failure: Failure): Promise<BookingEnd> {
    try {
      await flights.cancelUnpaidOrder(orderId);
    } catch {
      const current = await lookUp(orderId);
      if (current.kind === "unknown") return leave(booking, current.cause);
      const { order } = current;
      if (order?.paid === true && !order.cancelled) return complete(booking, order);
    }
    return fail(booking, failure);
  }

  async function order(booking: Booking, request: OrderRequest, instant: boolean): Promise<BookingEnd> {
    const { airlineCreditId } = booking;
    const mostFromBalance = formatDecimal(booking.amountMicroUsdc);
    const { booking: ordering, sent } = await send(booking, "ordering", {}, () =>
      instant
        ? flights.instantOrder(
            airlineCreditId === undefined ? request : { ...request, airlineCreditId, mostFromBalance },
          )
        : flights.holdOrder(request),
    );
    if (sent.kind === "unknown") return leave(ordering, sent.cause);
    if (sent.kind === "refused") {
      // The supplier made nothing; the same order, paid at once, is still what was asked for.
      if (sent.failure.code === "hold_not_available" && !instant) return order(ordering, request, true);
      return fail(ordering, sent.failure);
    }
    return afterOrder(ordering, sent.value, instant);
  }

  /** `paidAtOnce`: an order that was sent with its payment and does not show it is an open question, not a hold. */
  async function afterOrder(booking: Booking, found: SupplierOrder, paidAtOnce: boolean): Promise<BookingEnd> {
    if (found.paid) return complete(booking, found);
    if (paidAtOnce) return leave(booking, new Error("an instant order came back unpaid"));
    const held = await move(booking, "held", { orderId: found.id, pnr: found.pnr });
    return pay(held, found);
  }

  async function pay(booking: Booking, held: SupplierOrder): Promise<BookingEnd> {
    const price = held.totalCurrency === booking.totalCurrency ? toMicroUsdc(held.totalAmount) : undefined;
    if (price === undefined || price > booking.amountMicroUsdc) return giveUp(booking, held.id, priceChanged());
    const payments = booking.payments + 1;
    const { booking: paying, sent } = await send(booking, "paying", { payments }, () =>
      flights.payOrder(held.id, held.totalAmount, held.totalCurrency),
    );
    if (sent.kind === "unknown") return leave(paying, sent.cause);
    if (sent.kind === "done") return complete(paying, { ...(await readAgain(held)), paid: true });
    // Refused now may still mean that an earlier payment of this order arrived.
    const current = await lookUp(held.id);
    if (current.kind === "unknown") return leave(paying, current.cause);
    if (current.order?.paid === true) return complete(paying, current.order);
    return giveUp(paying, held.id, sent.failure);
  }

  /** The order as it is after its payment, for its ticket numbers; what is known already when the supplier does not answer. */
  async function readAgain(known: SupplierOrder): Promise<SupplierOrder> {
    return await flights.getOrder(known.id).catch(() => known);
  }

  async function lookUp(
    orderId: string,
  ): Promise<{ kind: "known"; order: SupplierOrder | undefined } | { kind: "unknown"; cause: unknown }> {
    try {
      return { kind: "known", order: await flights.getOrder(orderId) };
    } catch (cause) {
      if (cause instanceof Failure && cause.code === "order_not_found") return { kind: "known", order: undefined };
      return { kind: "unknown", cause };
    }
  }

  async function resolveOrdering(booking: Booking): Promise<BookingEnd> {
    let found: readonly SupplierOrder[];
    try {
      found = await flights.findOrdersByBooking(booking.offerId, booking.id);
    } catch (cause) {
      return leave(booking, cause);
    }
    const alive = found.filter(({ cancelled }) => !cancelled);
    const order = alive.find(({ paid }) => paid) ?? alive[0];
    if (order === undefined) return fail(booking, neverHappened());
    // A part payment by credit only exists as an instant order; one that is unpaid after the quiet time will not be paid.
    if (!order.paid && booking.airlineCreditId !== undefined) return giveUp(booking, order.id, neverHappened());
    return afterOrder(booking, order, false);
  }

  async function resolveHeld(booking: Booking, orderId: string): Promise<BookingEnd> {
    const current = await lookUp(orderId);
    if (current.kind === "unknown") return leave(booking, current.cause);
    const { order } = current;
    if (order?.paid === true && !order.cancelled) return complete(booking, order);
    if (order === undefined || order.cancelled) return fail(booking, holdGone());
    if (booking.payments >= MOST_PAYMENTS) return giveUp(booking, orderId, neverHappened());
    return pay(booking, order);
  }

  async function resolve(booking: Booking): Promise<BookingEnd> {
    if (booking.state === "intended") return fail(booking, neverSent());
    if (booking.state === "ordering") return resolveOrdering(booking);
    if (booking.orderId === undefined) throw new Error(`booking ${booking.id} is ${booking.state} without an order`);
    return resolveHeld(booking, booking.orderId);
  }

  async function unlessLost(work: Promise<BookingEnd>): Promise<BookingEnd> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof LostBooking) return { kind: "lost" };
      throw error;
    }
  }

  return {
    /** Sends the order of a stored intent and everything after it. */
    order: (booking: Booking, request: OrderRequest, instant: boolean) => unlessLost(order(booking, request, instant)),
    /** Finds out what became of a booking that another worker left, and finishes it. */
    resolve: (booking: Booking) => unlessLost(resolve(booking)),
    /** Says every few seconds that the worker lives, until the returned function is called. */
    beat(bookingId: string): () => void {
      const timer = setInterval(() => {
        const milliseconds = HEARTBEAT_MILLISECONDS + flights.quietMilliseconds;
        stores.bookings.touch(bookingId, workerId, clock.now().add({ milliseconds })).catch(() => undefined);
      }, HEARTBEAT_MILLISECONDS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

function neverSent(): Failure {
  return new Failure("provider_unavailable", {
    detail: "The booking was interrupted before anything was sent. Nothing happened; call again.",
  });
}

function neverHappened(): Failure {
  return new Failure("provider_timeout", {
    detail:
      "The supplier did not book in time. Nothing is owed; call again, or search again when the offer has expired.",
  });
}

function holdGone(): Failure {
  return new Failure("offer_expired", {
    detail: "The supplier no longer holds the order. Nothing is owed; search again.",
  });
}

function priceChanged(): Failure {
  return new Failure("price_changed", {
    detail: "The supplier asks another price than the offer said. Nothing is owed; search again.",
  });
}
