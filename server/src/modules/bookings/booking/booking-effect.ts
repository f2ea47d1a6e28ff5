import { Failure } from "../../../domain/errors.ts";
import { newTransferId } from "../../../domain/ids.ts";
import type { Micro } from "../../../domain/money.ts";
import type { EffectUse } from "../../../kernel/contracts/effect-use.ts";
import type { StoresWith } from "../../../kernel/contracts/stores.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import { defineEffectUse, type EffectDefinition, type Move, type Next } from "../../effects/index.ts";
import { collect, findHomePurse } from "../../treasury/index.ts";
import type { Aggregates } from "../context.ts";
import type { Booking, BookingChange } from "./bookings.ts";

/**
 * Common to all bookings, of flights (`modules/flights/ordering/booking-steps.ts`) and of stays
 * (`modules/stays/stay-booking-steps.ts`); `modules/effects/effect.ts` describes effects in general. Money: the hold is
 * made with the intent, and captured or released in the transaction that makes the booking final, never in between. If
 * a reservation in escrow pays, nothing is held, and the booking records what that reservation owes; if it ends without
 * paying, the balance pays instead (`modules/escrow/orders/pay-uncovered.ts`), even while the booking is in progress.
 */
export type BookingMove = Move<Booking, BookingAggregates>;
export type NextBookingMove = Next<Booking, BookingAggregates>;

/** The aggregates that every booking changes together. */
export type BookingAggregates = Pick<
  Aggregates,
  | "bookings"
  | "callSpends"
  | "boundChains"
  | "chainTransactions"
  | "effects"
  | "escrowBookings"
  | "ledger"
  | "travelerRecords"
  | "trips"
  | "wallets"
>;

/** How one kind of booking is made at its supplier. */
export interface BookingSteps {
  /** The supplier's quiet time. */
  readonly quietMilliseconds: number;
  /** Looks up a booking whose request may have been sent. If it throws, the booking stays open. */
  lookUp(booking: Booking): NextBookingMove;
}

/** The supplier's order, translated for the booking. */
export interface Booked {
  order: Pick<BookingChange, "pnr" | "ticketing" | "ticketOrderHash"> & { orderId: string; itineraryHash: string };
  result: Readonly<Record<string, unknown>>;
  /** The amount that the balance pays; at most the hold. */
  charged: Micro;
}

export interface BookingStorage {
  stores: StoresWith<BookingAggregates>;
  clock: Clock;
}

export function ledgerReference(booking: Pick<Booking, "id">): string {
  return `booking:${booking.id}`;
}

export function booked(booking: Booking, { order, result, charged }: Booked): BookingMove {
  const chargeTransferId =
    charged === 0n || booking.escrowBookingId !== undefined ? null : newTransferId(booking.updatedAt);
  return {
    kind: "done",
    end: async () => ({
      result: { ...result, chargeTransferId },
      change: order,
      async apply(aggregates) {
        const wasCovered = booking.escrowBookingId !== undefined;
        if (!wasCovered || !(await aggregates.bookings.setCoverOfReservation(booking.id, charged))) {
          const purse = await findHomePurse(aggregates, booking);
          await collect(aggregates, purse, ledgerReference(booking), charged, chargeTransferId);
          // The balance paid in the end instead of the reservation.
          if (wasCovered) await aggregates.bookings.setCover(booking.id, { cover: 0n, coverCharged: charged });
        }
        // The intent was stored with this price.
        if (charged !== booking.amountMicroUsdc) await aggregates.callSpends.price(booking.callId, charged);
      },
    }),
  };
}

export function bookingEffect(steps: BookingSteps): EffectDefinition<Booking, BookingAggregates> {
  return {
    done: "booked",
    store: ({ bookings }) => bookings,
    quietMilliseconds: () => steps.quietMilliseconds,
    recovery: { kind: "look_up", lookUp: (booking) => steps.lookUp(booking) },
    neverSent: () =>
      new Failure("provider_unavailable", {
        detail: "The booking was interrupted before anything was sent. Nothing happened; call again.",
      }),
    async giveBack(aggregates, booking) {
      const { escrowBookingId } = (await aggregates.bookings.get(booking.id)) ?? booking;
      if (escrowBookingId !== undefined) return;
      await aggregates.ledger.release(await findHomePurse(aggregates, booking), ledgerReference(booking));
    },
    // A new order may be missing from the supplier's list for a moment.
    unstoredEnd: "unknown",
  };
}

/** For the reconciler. `stepsFor` returns undefined for an environment that is switched off. */
export function bookingUse(
  kind: Booking["kind"],
  { stores, clock }: BookingStorage,
  stepsFor: (environment: Environment) => BookingSteps | undefined,
): EffectUse {
  return defineEffectUse<Booking, BookingAggregates>({
    name: `${kind}_booking`,
    kinds: [kind],
    stores,
    clock,
    store: ({ bookings }) => bookings,
    definitionFor(environment) {
      const steps = stepsFor(environment);
      return steps === undefined ? undefined : bookingEffect(steps);
    },
  });
}
