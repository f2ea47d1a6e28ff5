import { Failure } from "../../domain/errors.ts";
import { formatDecimal } from "../../domain/money.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Flights, OrderRequest, SupplierOrder } from "../../ports/flights.ts";
import { type BookingEnd, bookingMoves, neverSent } from "../bookings/booking-moves.ts";
import { balancePays, toMicroUsdc, toResult } from "../bookings/booking-result.ts";
import type { Booking } from "../bookings/bookings.ts";

/**
 * How the booking of a flight moves; `areas/bookings/booking-moves.ts` says what holds for every move.
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
 */
const MOST_PAYMENTS = 3;

export interface BookingPorts {
  flights: Flights;
  stores: Stores;
  clock: Clock;
}

/** The steps of one worker. All of them return how the booking stands afterwards; none of them throws for that. */
export function bookingSteps({ flights, stores, clock }: BookingPorts, workerId: string) {
  const moves = bookingMoves({ stores, clock, quietMilliseconds: flights.quietMilliseconds }, workerId);
  const { move, send, fail, leave } = moves;

  function complete(booking: Booking, order: SupplierOrder): Promise<BookingEnd> {
    const result = toResult(flights, booking, order);
    const made = { orderId: order.id, pnr: order.pnr, ticketing: result.ticketing };
    return moves.complete(booking, { order: made, result, charged: balancePays(booking, order) });
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

  return {
    /** Sends the order of a stored intent and everything after it. */
    order: (booking: Booking, request: OrderRequest, instant: boolean) =>
      moves.asWorker(booking, () => order(booking, request, instant)),
    /** Finds out what became of a booking that another worker left, and finishes it. */
    resolve: (booking: Booking) => moves.asWorker(booking, () => resolve(booking)),
  };
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
