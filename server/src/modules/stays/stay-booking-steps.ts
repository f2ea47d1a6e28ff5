import { Failure } from "../../domain/errors.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StayBookingRequest, StayBookings, SupplierStay } from "../../ports/stay-bookings.ts";
import type { Stays } from "../../ports/stays.ts";
import { type BookingEnd, bookingMoves, neverSent } from "../bookings/booking-moves.ts";
import type { Booking } from "../bookings/bookings.ts";
import { balancePaysForStay, toStayResult } from "./stay-result.ts";

/**
 * How the booking of a stay moves; `areas/bookings/booking-moves.ts` says what holds for every move. A stay is booked and paid
 * by one request, so that it is never held or paid for separately.
 *
 * | state    | what the supplier may have | how it is left                                                        |
 * |----------|----------------------------|-----------------------------------------------------------------------|
 * | intended | nothing                    | → ordering by its worker; → failed by the reconciler                  |
 * | ordering | a paid stay                | answer: → booked, → failed; no answer: lookup by our booking id after |
 * |          |                            | the quiet time: confirmed → booked, none → failed                     |
 * | booked   | a paid stay                | final: the hold on the balance was captured                           |
 * | failed   | nothing                    | final: the hold on the balance was released                           |
 */
export interface StayBookingPorts {
  stays: Pick<Stays, "provenance" | "sandbox">;
  stayBookings: Pick<StayBookings, "quietMilliseconds" | "bookStay" | "findStaysByBooking">;
  stores: Stores;
  clock: Clock;
}

/** The steps of one worker. All of them return how the booking stands afterwards; none of them throws for that. */
export function stayBookingSteps({ stays, stayBookings, stores, clock }: StayBookingPorts, workerId: string) {
  const moves = bookingMoves({ stores, clock, quietMilliseconds: stayBookings.quietMilliseconds }, workerId);

  function complete(booking: Booking, stay: SupplierStay): Promise<BookingEnd> {
    const pnr = stay.reference ?? undefined;
    const order = { orderId: stay.id, ...(pnr === undefined ? {} : { pnr }) };
    const result = toStayResult(stays, booking, stay);
    return moves.complete(booking, { order, result, charged: balancePaysForStay(booking, stay) });
  }

  async function order(booking: Booking, request: StayBookingRequest): Promise<BookingEnd> {
    const { booking: ordering, sent } = await moves.send(booking, "ordering", {}, () => stayBookings.bookStay(request));
    if (sent.kind === "unknown") return moves.leave(ordering, sent.cause);
    if (sent.kind === "refused") return moves.fail(ordering, sent.failure);
    return complete(ordering, sent.value);
  }

  async function resolve(booking: Booking): Promise<BookingEnd> {
    if (booking.state === "intended") return moves.fail(booking, neverSent());
    if (booking.state !== "ordering") throw new Error(`the stay of booking ${booking.id} is ${booking.state}`);
    let found: readonly SupplierStay[];
    try {
      found = await stayBookings.findStaysByBooking(booking.id, booking.createdAt);
    } catch (cause) {
      return moves.leave(booking, cause);
    }
    // One that was cancelled before anybody knew its id was cancelled by the operator or the hotel: nothing was delivered.
    const stay = found.find(({ status }) => status === "confirmed");
    return stay === undefined ? moves.fail(booking, neverHappened()) : complete(booking, stay);
  }

  return {
    /** Sends the booking of a stored intent. */
    order: (booking: Booking, request: StayBookingRequest) => moves.asWorker(booking, () => order(booking, request)),
    /** Finds out what became of a booking that another worker left, and finishes it. */
    resolve: (booking: Booking) => moves.asWorker(booking, () => resolve(booking)),
  };
}

function neverHappened(): Failure {
  return new Failure("provider_timeout", {
    detail:
      "The supplier did not book in time. Nothing is owed; call again, or ask for a new quote when this one has expired.",
  });
}
