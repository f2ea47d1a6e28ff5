import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import type { EffectUse } from "../../../kernel/contracts/effect-use.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Flights, OrderRequest, SupplierOrder } from "../../../ports/supplier/flights.ts";
import { type Booking, type BookingMove, BookingResult, inUsdc, toResult } from "../../bookings/index.ts";
import { defineEffectUse, type EffectDefinition, failed, send } from "../../effects/index.ts";
import type { Aggregates, Stores } from "../context.ts";

/**
 * The states of an order's hold for a later payment. It moves no money; from `on_hold` on `book_flight` can pay for it
 * (`booking-steps.ts`).
 *
 * | state    | what the supplier may have | how it ends                                                            |
 * |----------|----------------------------|------------------------------------------------------------------------|
 * | intended | nothing                    | → ordering by its worker; → failed by the reconciler                   |
 * | ordering | an unpaid order            | answer: → on_hold, → failed; no answer: look-up by our booking id      |
 * |          |                            | after the quiet time: found → on_hold, none → failed                   |
 * | on_hold  | an unpaid order            | final for the hold: paid by another call, given back, or lapsed        |
 * | failed   | nothing that costs         | final                                                                  |
 */
export class FlightHoldSteps {
  readonly #flights: Flights;

  constructor(flights: Flights) {
    this.#flights = flights;
  }

  /** Sends the order of a stored intent. */
  order(request: OrderRequest): BookingMove {
    return send<Booking, Aggregates, SupplierOrder>({
      to: "ordering",
      request: () => this.#flights.holdOrder(request),
      answered: (booking, order) => this.#onHold(booking, order),
      refused: (_booking, failure) => failed(failure),
    });
  }

  async lookUp(booking: Booking): Promise<BookingMove> {
    const found = await this.#flights.findOrdersByBooking(booking.offerId, booking.id);
    const order = found.find(({ cancelled }) => !cancelled);
    return order === undefined ? failed(neverHeld()) : this.#onHold(booking, order);
  }

  #onHold(booking: Booking, order: SupplierOrder): BookingMove {
    const { id: orderId, pnr, paymentRequiredBy } = order;
    const held = { orderId, pnr, holdCallId: booking.callId };
    const until = paymentRequiredBy === null ? {} : { holdUntil: Temporal.Instant.from(paymentRequiredBy) };
    return {
      kind: "done",
      end: async () => ({
        result: toHoldResult(this.#flights, booking, order),
        change: { ...held, ...until },
        apply: () => Promise.resolve(),
      }),
    };
  }

  get definition(): EffectDefinition<Booking, Aggregates> {
    return {
      done: "on_hold",
      store: ({ bookings }) => bookings,
      quietMilliseconds: () => this.#flights.quietMilliseconds,
      recovery: { kind: "look_up", lookUp: (booking) => this.lookUp(booking) },
      neverSent: () =>
        new Failure("provider_unavailable", {
          detail: "The hold was interrupted before anything was sent. Nothing happened; call again.",
        }),
      giveBack: () => Promise.resolve(),
      unstoredEnd: "unknown",
    };
  }
}

/** The stored result of a hold; the answer adds the order's current state. */
export const HoldResult = BookingResult.pick({
  bookingId: true,
  pnr: true,
  orderId: true,
  offerId: true,
  totalAmount: true,
  totalCurrency: true,
  taxAmount: true,
  rate: true,
  travelers: true,
  callerTravels: true,
  slices: true,
  passengers: true,
  conditions: true,
  source: true,
  sourceLevel: true,
  asOf: true,
  sandbox: true,
}).extend({
  totalUsdc: DecimalAmount.describe("What paying for it takes from the treasury wallet, at rate"),
  holdUntil: z.string().nullable().describe("Deadline for payment; null: the airline does not say"),
  priceGuaranteedUntil: z
    .string()
    .nullable()
    .default(null)
    .describe("Later the airline may ask another price; null: it does not say"),
});

function toHoldResult(flights: Flights, booking: Booking, order: SupplierOrder): z.input<typeof HoldResult> {
  const { totalAmount, totalCurrency, paymentRequiredBy, priceGuaranteeExpiresAt: guarantee = null } = order;
  const holdUntil = paymentRequiredBy === null ? null : Temporal.Instant.from(paymentRequiredBy).toString();
  const usdc = inUsdc(totalAmount, totalCurrency, booking.rate) ?? booking.amountMicroUsdc;
  const priceGuaranteedUntil = guarantee === null ? null : Temporal.Instant.from(guarantee).toString();
  const held = { totalUsdc: formatDecimal(usdc), holdUntil, priceGuaranteedUntil };
  return { ...HoldResult.strip().parse({ ...toResult(flights, booking, order), ...held }) };
}

/** For the reconciler. `flightsFor` returns undefined for an environment that is switched off. */
export function flightHoldUse(
  { stores, clock }: { stores: Stores; clock: Clock },
  flightsFor: (environment: Environment) => Flights | undefined,
): EffectUse {
  return defineEffectUse<Booking, Aggregates>({
    name: "flight_hold",
    kinds: ["flight_hold"],
    stores,
    clock,
    store: ({ bookings }) => bookings,
    definitionFor(environment) {
      const flights = flightsFor(environment);
      return flights === undefined ? undefined : new FlightHoldSteps(flights).definition;
    },
  });
}

function neverHeld(): Failure {
  return new Failure("provider_timeout", {
    detail:
      "The supplier did not hold it in time. Nothing is owed; call again, or search again if the offer has expired.",
  });
}
