import { Failure } from "../../domain/errors.ts";
import type { EffectUse } from "../../kernel/contracts/effect-use.ts";
import type { Environment } from "../../ports/identity.ts";
import type { StayBookingRequest, StayBookings, SupplierStay } from "../../ports/supplier/stay-bookings.ts";
import type { Stays } from "../../ports/supplier/stays.ts";
import {
  type Booking,
  type BookingMove,
  type BookingSteps,
  type BookingStorage,
  booked,
  bookingUse,
} from "../bookings/index.ts";
import { failed, send, unknown } from "../effects/index.ts";
import type { Aggregates } from "./context.ts";
import { balancePaysForStay, toStayResult } from "./stay-result.ts";

/**
 * The states of a stay's booking; `modules/bookings/booking/booking-effect.ts` describes what all bookings share. A stay is booked
 * and paid by one request, so that it is never held or paid for separately.
 *
 * | state    | effect at the supplier     | transitions                                                           |
 * |----------|----------------------------|-----------------------------------------------------------------------|
 * | intended | none                       | → ordering by its worker; → failed by the reconciler                  |
 * | ordering | a paid stay                | answer: → booked, → failed; no answer: look-up by our booking id after|
 * |          |                            | the quiet time: confirmed → booked, none → failed                     |
 * | booked   | a paid stay                | final: the hold on the balance was captured                           |
 * | failed   | none                       | final: the hold on the balance was released                           |
 */
export interface StaySuppliers {
  stays: Pick<Stays, "provenance" | "sandbox">;
  stayBookings: Pick<StayBookings, "quietMilliseconds" | "bookStay" | "findStaysByBooking">;
}

export class StayBookingSteps implements BookingSteps {
  readonly #stays: StaySuppliers["stays"];
  readonly #stayBookings: StaySuppliers["stayBookings"];

  constructor({ stays, stayBookings }: StaySuppliers) {
    this.#stays = stays;
    this.#stayBookings = stayBookings;
  }

  get quietMilliseconds(): number {
    return this.#stayBookings.quietMilliseconds;
  }

  /** Sends the booking of a stored intent. */
  order(request: StayBookingRequest): BookingMove {
    return send<Booking, Aggregates, SupplierStay>({
      to: "ordering",
      request: () => this.#stayBookings.bookStay(request),
      answered: (booking, stay) => this.#booked(booking, stay),
      refused: (_booking, failure) => failed(failure),
    });
  }

  async lookUp(booking: Booking): Promise<BookingMove> {
    if (booking.state !== "ordering")
      return unknown(new Error(`the stay of booking ${booking.id} is ${booking.state}`));
    const found = await this.#stayBookings.findStaysByBooking(booking.id, booking.createdAt);
    // A booking that was cancelled before its id was known was cancelled by the operator or the hotel: nothing was delivered.
    const stay = found.find(({ status }) => status === "confirmed");
    return stay === undefined ? failed(neverHappened()) : this.#booked(booking, stay);
  }

  #booked(booking: Booking, stay: SupplierStay): BookingMove {
    const pnr = stay.reference ?? undefined;
    const result = toStayResult(this.#stays, booking, stay);
    const { itineraryHash, ticketOrderHash } = result;
    const order = { orderId: stay.id, itineraryHash, ticketOrderHash, ...(pnr === undefined ? {} : { pnr }) };
    return booked(booking, { order, result, charged: balancePaysForStay(booking, stay) });
  }
}

/** The use of the effect machine, for the reconciler. `suppliersFor`: undefined for a disabled environment. */
export function stayBookingUse(
  storage: BookingStorage,
  suppliersFor: (environment: Environment) => StaySuppliers | undefined,
): EffectUse {
  return bookingUse("stay", storage, (environment) => {
    const suppliers = suppliersFor(environment);
    return suppliers === undefined ? undefined : new StayBookingSteps(suppliers);
  });
}

function neverHappened(): Failure {
  return new Failure("provider_timeout", {
    detail:
      "The supplier did not book in time. Nothing is owed; call again, or request a new quote if this one has expired.",
  });
}
