import { Failure } from "../../../domain/errors.ts";
import { parseDecimal } from "../../../domain/money.ts";
import type { EffectUse } from "../../../kernel/contracts/effect-use.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Flights, OrderRequest, SupplierOrder } from "../../../ports/supplier/flights.ts";
import {
  type Booking,
  type BookingMove,
  type BookingSteps,
  type BookingStorage,
  balancePays,
  booked,
  bookingUse,
  type NextBookingMove,
  priceOfServices,
  toResult,
} from "../../bookings/index.ts";
import { failed, send, unknown } from "../../effects/index.ts";
import type { Aggregates } from "../context.ts";
import { type AddedServices, chooseBags, findServices, isAddedLater, type NotAdded } from "../services/add-bags.ts";
import { toAncillaries } from "../services/ancillaries.ts";

/**
 * The states of a flight's booking; `modules/bookings/booking/booking-effect.ts` describes what is common to all
 * bookings.
 *
 * | state    | what the supplier may have        | how it ends                                                  |
 * |----------|-----------------------------------|--------------------------------------------------------------|
 * | intended | nothing: no request was sent      | → ordering by its worker; → failed by the reconciler         |
 * | ordering | an order, perhaps paid (instant)  | answer: → held, → booked, → failed; no answer: look-up by    |
 * |          |                                   | our booking id after the quiet time: paid → booked, unpaid → |
 * |          |                                   | held, none → failed                                          |
 * | held     | an unpaid order                   | → paying; gone at the supplier → failed                      |
 * | paying   | an order, perhaps paid            | answer: → booked, → failed (the hold is cancelled); no       |
 * |          |                                   | answer: look-up after the quiet time: paid → booked, unpaid  |
 * |          |                                   | → paying again, at most MOST_PAYMENTS times, gone → failed   |
 * | adding   | a paid order, perhaps with the    | answer, or refusal: → booked; no answer: look-up after the   |
 * |          | requested bags                    | quiet time: there → booked, not there → adding again, at     |
 * |          |                                   | most MOST_ADDITIONS times, and then → booked without them    |
 * | booked   | a paid order                      | final: the hold on the balance was captured                  |
 * | failed   | no order, or an unpaid dead one   | final: the hold on the balance was released                  |
 *
 * An order paid at once is made with the requested bags and seats, so that it has all of them or does not exist. Only
 * an order held by an earlier call (`hold-steps.ts`) is paid first and gets its bags afterwards: the supplier accepts
 * no services with a hold, and offers additional services only for an existing order. Refused services are not charged.
 */
const MOST_PAYMENTS = 3;
const MOST_ADDITIONS = 2;

export class FlightBookingSteps implements BookingSteps {
  readonly #flights: Flights;

  constructor(flights: Flights) {
    this.#flights = flights;
  }

  get quietMilliseconds(): number {
    return this.#flights.quietMilliseconds;
  }

  /** Sends the order of a stored intent. `instant` sends it together with its payment; `mostFromBalance` is in the order's currency. */
  order(
    { airlineCreditId }: Booking,
    { mostFromBalance, ...request }: OrderRequest & { mostFromBalance: string },
    instant: boolean,
  ): BookingMove {
    const paidAtOnce = airlineCreditId === undefined ? request : { ...request, airlineCreditId, mostFromBalance };
    return send<Booking, Aggregates, SupplierOrder>({
      to: "ordering",
      request: () => (instant ? this.#flights.instantOrder(paidAtOnce) : this.#flights.holdOrder(request)),
      answered: (booking, found) => this.#afterOrder(booking, found, instant),
      refused: (booking, failure) =>
        // The supplier made nothing; the same order, paid at once, still fulfils the request.
        failure.code === "hold_not_available" && !instant
          ? this.order(booking, { ...request, mostFromBalance }, true)
          : failed(failure),
    });
  }

  async lookUp(booking: Booking): Promise<BookingMove> {
    if (booking.state === "ordering") return this.#lookUpOrdering(booking);
    if (booking.orderId === undefined) {
      return unknown(new Error(`booking ${booking.id} is ${booking.state} without an order`));
    }
    return this.#lookUpHeld(booking, booking.orderId);
  }

  async #lookUpOrdering(booking: Booking): Promise<BookingMove> {
    const found = await this.#flights.findOrdersByBooking(booking.offerId, booking.id);
    const alive = found.filter(({ cancelled }) => !cancelled);
    const order = alive.find(({ paid }) => paid) ?? alive[0];
    if (order === undefined) return failed(neverHappened());
    // Part payment by credit exists only in an instant order; one that is unpaid after the quiet time stays unpaid.
    if (!order.paid && booking.airlineCreditId !== undefined) return this.#giveUp(booking, order.id, neverHappened());
    return this.#afterOrder(booking, order, false);
  }

  async #lookUpHeld(booking: Booking, orderId: string): Promise<BookingMove> {
    const order = await this.#read(orderId);
    if (order?.paid === true && !order.cancelled) return this.#afterPayment(booking, order);
    if (order === undefined || order.cancelled) return failed(holdGone());
    if (booking.payments >= MOST_PAYMENTS) return this.#giveUp(booking, orderId, neverHappened());
    return this.#pay(booking, order);
  }

  /** `paidAtOnce`: an order sent with its payment that does not show it is an open question, not a hold. */
  #afterOrder(booking: Booking, found: SupplierOrder, paidAtOnce: boolean): BookingMove {
    if (found.paid) return this.#booked(booking, found);
    if (paidAtOnce) return unknown(new Error("an instant order came back unpaid"));
    const change = { orderId: found.id, pnr: found.pnr };
    return { kind: "step", to: "held", change, next: (held) => this.#pay(held, found) };
  }

  #pay(booking: Booking, order: SupplierOrder): NextBookingMove {
    if (!isAtAgreedPrice(booking, order)) return this.#giveUp(booking, order.id, priceChanged());
    return send<Booking, Aggregates, unknown>({
      to: "paying",
      change: { payments: booking.payments + 1 },
      request: () => this.#flights.payOrder(order.id, order.totalAmount, order.totalCurrency),
      answered: async (paying) => this.#afterPayment(paying, { ...(await this.#readAgain(order)), paid: true }),
      refused: async (paying, failure) => {
        // A refusal may still mean that an earlier payment of this order arrived.
        const current = await this.#read(order.id);
        return current?.paid === true ? this.#afterPayment(paying, current) : this.#giveUp(paying, order.id, failure);
      },
    });
  }

  /** The order is paid and stands, whatever happens to the bags. */
  async #afterPayment(booking: Booking, order: SupplierOrder): Promise<BookingMove> {
    // A held order has no services: existing ones were added by an earlier request, all or none.
    if (!isAddedLater(booking) || order.services.length > 0) return this.#booked(booking, order);
    const offered =
      booking.additions < MOST_ADDITIONS
        ? await this.#flights.listOrderBags(order.id).catch(() => undefined)
        : undefined;
    if (offered === undefined) return this.#booked(booking, order, notAdded(booking, UNANSWERED));
    const { added, bags, amount, reasons } = chooseBags(booking, order, offered);
    if (bags.length === 0) return this.#booked(booking, order, { added, reasons });
    return send<Booking, Aggregates, SupplierOrder>({
      to: "adding",
      change: { additions: booking.additions + 1 },
      request: () => this.#flights.addBags(order.id, bags, { amount, currency: order.totalCurrency }),
      answered: (adding, found) => this.#booked(adding, { ...found, paid: true }, { added, reasons }),
      refused: async (adding, failure) => {
        // A refusal may still mean that an earlier request arrived.
        const current = adding.additions > 1 ? await this.#flights.getOrder(order.id) : order;
        if (current.services.length > 0) return this.#booked(adding, current);
        const { reasons: refusals } = notAdded(adding, toReason(failure));
        return this.#booked(adding, current, { added: new Set(), reasons: new Map([...refusals, ...reasons]) });
      },
    });
  }

  /**
   * Ends a booking whose order was unpaid at the last reading. A hold that cannot be cancelled lapses at no cost; but a
   * late payment may be the reason.
   */
  async #giveUp(booking: Booking, orderId: string, failure: Failure): Promise<BookingMove> {
    try {
      await this.#flights.cancelUnpaidOrder(orderId);
    } catch {
      const order = await this.#read(orderId);
      if (order?.paid === true && !order.cancelled) return this.#booked(booking, order);
    }
    return failed(failure);
  }

  #booked(booking: Booking, order: SupplierOrder, bags = findServices(booking, order)): BookingMove {
    const result = { ...toResult(this.#flights, booking, order), ancillaries: toAncillaries(booking, bags) };
    const { itineraryHash, ticketOrderHash, ticketing } = result;
    const made = {
      orderId: order.id,
      pnr: order.pnr,
      ticketing,
      itineraryHash,
      ...(ticketOrderHash === null ? {} : { ticketOrderHash }),
    };
    return booked(booking, { order: made, result, charged: balancePays(booking, order) });
  }

  /** Undefined if the supplier has no such order. Throws if it does not answer. */
  async #read(orderId: string): Promise<SupplierOrder | undefined> {
    try {
      return await this.#flights.getOrder(orderId);
    } catch (cause) {
      if (cause instanceof Failure && cause.code === "order_not_found") return undefined;
      throw cause;
    }
  }

  /** The order after its payment, for its ticket numbers; the known state if the supplier does not answer. */
  async #readAgain(known: SupplierOrder): Promise<SupplierOrder> {
    return await this.#flights.getOrder(known.id).catch(() => known);
  }
}

/** For the reconciler. `flightsFor` returns undefined for an environment that is switched off. */
export function flightBookingUse(
  storage: BookingStorage,
  flightsFor: (environment: Environment) => Flights | undefined,
): EffectUse {
  return bookingUse("flight", storage, (environment) => {
    const flights = flightsFor(environment);
    return flights === undefined ? undefined : new FlightBookingSteps(flights);
  });
}

/** The flights cost at most what the call was told; money set aside for bags pays only for bags. */
function isAtAgreedPrice(
  { totalAmount, totalCurrency, askedServices, holdCallId }: Booking,
  order: Pick<SupplierOrder, "totalAmount" | "totalCurrency">,
): boolean {
  const later = isAddedLater({ askedServices, holdCallId }) ? priceOfServices(askedServices) : 0n;
  const [now, most] = [parseDecimal(order.totalAmount), parseDecimal(totalAmount)];
  return order.totalCurrency === totalCurrency && now !== undefined && most !== undefined && now <= most - later;
}

const UNANSWERED: NotAdded = "supplier_unavailable";
const UNAVAILABLE: ReadonlySet<string> = new Set(["provider_unavailable", "provider_timeout"]);

function toReason({ code }: Failure): NotAdded {
  if (UNAVAILABLE.has(code)) return UNANSWERED;
  return code === "price_changed" ? code : "not_available";
}

function notAdded({ askedServices }: Booking, reason: NotAdded): AddedServices {
  return { added: new Set(), reasons: new Map(askedServices.map(({ id }) => [id, reason])) };
}

function neverHappened(): Failure {
  return new Failure("provider_timeout", {
    detail: "The supplier did not book in time. Nothing is owed; call again, or search again if the offer has expired.",
  });
}

function holdGone(): Failure {
  return new Failure("offer_expired", {
    detail: "The supplier no longer holds the order. Nothing is owed; search again.",
  });
}

function priceChanged(): Failure {
  return new Failure("price_changed", {
    detail: "The supplier's price differs from the offer's. Nothing is owed; search again.",
  });
}
