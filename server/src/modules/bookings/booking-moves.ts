import { Failure } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import { collect } from "../treasury/collect.ts";
import type { Booking, BookingChange, BookingState } from "./bookings.ts";

/**
 * What every booking has in common, of flights (`areas/flights/booking-steps.ts`) and of stays
 * (`areas/stays/stay-booking-steps.ts`). One worker has it at a time: the call that made it, or the reconciler after that worker
 * has been silent. Every move is guarded by the state it leaves and by the worker; who loses that guard stops at once.
 *
 * The state is stored before the request is sent, so that a crash between the two leaves an open question and never an
 * unknown order. A request is only sent within SEND_WITHIN of that store, and the quiet time counts from the last moment at
 * which it can have been sent or its worker was alive; a lookup that finds nothing proves something only after it. Money: the
 * hold is made with the intent, and captured or released in the transaction that makes the booking final. It is never touched
 * in between.
 */
const SEND_WITHIN_MILLISECONDS = 5_000;
/** A worker says that it lives this often, and is given up after so long a silence. */
const HEARTBEAT_MILLISECONDS = 2_000;
export const STALE_SECONDS = 15;

export interface BookingMovePorts {
  stores: Stores;
  clock: Clock;
  /** The supplier's. */
  quietMilliseconds: number;
}

export type BookingEnd =
  | { kind: "booked"; result: unknown }
  | { kind: "failed"; failure: Failure }
  /** A commit was sent and its outcome is open; the reconciler decides. */
  | { kind: "unknown"; cause?: unknown }
  /** Another worker has the booking. */
  | { kind: "lost" };

/** What the supplier made, in the words of the booking. */
export interface Booked {
  order: Pick<BookingChange, "pnr" | "ticketing"> & { orderId: string };
  result: unknown;
  /** What the balance pays; at most what is held. */
  charged: Micro;
}

export type Sent<T> =
  | { kind: "done"; value: T }
  | { kind: "refused"; failure: Failure }
  | { kind: "unknown"; cause: unknown };

/** Rolls a transaction back when the guard of a move fails. */
class LostBooking extends Error {}

export function ledgerReference(booking: Booking): string {
  return `booking:${booking.id}`;
}

/** The moves of one worker. */
export function bookingMoves({ stores, clock, quietMilliseconds }: BookingMovePorts, workerId: string) {
  async function move(booking: Booking, to: BookingState, change: BookingChange = {}): Promise<Booking> {
    const moved = await stores.bookings.advance(booking.id, { from: booking.state, workerId }, to, change);
    if (!moved) throw new LostBooking();
    return { ...booking, ...change, state: to };
  }

  /** Says every few seconds that the worker lives, until the returned function is called. */
  function beat(bookingId: string): () => void {
    const timer = setInterval(() => {
      const milliseconds = HEARTBEAT_MILLISECONDS + quietMilliseconds;
      stores.bookings.touch(bookingId, workerId, clock.now().add({ milliseconds })).catch(() => undefined);
    }, HEARTBEAT_MILLISECONDS);
    timer.unref();
    return () => clearInterval(timer);
  }

  return {
    move,

    /** Stores that a request may be on its way, then sends it, once. */
    async send<T>(
      booking: Booking,
      to: BookingState,
      change: BookingChange,
      request: () => Promise<T>,
    ): Promise<{ booking: Booking; sent: Sent<T> }> {
      const storedAt = clock.now();
      const quietUntil = storedAt.add({ milliseconds: SEND_WITHIN_MILLISECONDS + quietMilliseconds });
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
    },

    async complete(booking: Booking, { order, result, charged }: Booked): Promise<BookingEnd> {
      const { tenantId, network, callId, state } = booking;
      await stores.transaction(async ({ bookings, effects, ...money }) => {
        const change = { ...order, result };
        if (!(await bookings.advance(booking.id, { from: state, workerId }, "booked", change))) throw new LostBooking();
        const purse = { tenantId, network, token: "USDC" } as const;
        await collect(money, purse, ledgerReference(booking), charged);
        await effects.done(callId, result);
      });
      return { kind: "booked", result };
    },

    async fail(booking: Booking, failure: Failure): Promise<BookingEnd> {
      const { tenantId, network, callId, state } = booking;
      await stores.transaction(async ({ bookings, ledger, effects }) => {
        const change = { failureCode: failure.code };
        if (!(await bookings.advance(booking.id, { from: state, workerId }, "failed", change))) throw new LostBooking();
        await ledger.release({ tenantId, network, token: "USDC" }, ledgerReference(booking));
        await effects.failed(callId);
      });
      return { kind: "failed", failure };
    },

    /** Lets go of the booking until a lookup can prove something. */
    async leave(booking: Booking, cause: unknown): Promise<BookingEnd> {
      const quietUntil = clock.now().add({ milliseconds: quietMilliseconds });
      const left = await stores.bookings.leave(booking.id, workerId, quietUntil);
      return left ? { kind: "unknown", cause } : { kind: "lost" };
    },

    /** Does the worker's part while it says that it lives. How the booking stands afterwards is returned, never thrown. */
    async asWorker(booking: Booking, work: () => Promise<BookingEnd>): Promise<BookingEnd> {
      const stopBeating = beat(booking.id);
      try {
        return await work();
      } catch (error) {
        if (error instanceof LostBooking) return { kind: "lost" };
        throw error;
      } finally {
        stopBeating();
      }
    },
  };
}

export function neverSent(): Failure {
  return new Failure("provider_unavailable", {
    detail: "The booking was interrupted before anything was sent. Nothing happened; call again.",
  });
}
