import type { Stores } from "../../kernel/stores.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Flights } from "../../ports/flights.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import { STALE_SECONDS } from "../bookings/booking-moves.ts";
import type { Booking } from "../bookings/bookings.ts";
import { bookingSteps } from "../flights/booking-steps.ts";
import { type StayBookingPorts, stayBookingSteps } from "../stays/stay-booking-steps.ts";

interface BookingSuppliers extends Pick<StayBookingPorts, "stays" | "stayBookings"> {
  flights: Flights;
}

export interface BookingReconcilerOptions {
  stores: Stores;
  /** Undefined: this network is switched off; its bookings wait. */
  portsFor(network: Environment): BookingSuppliers | undefined;
  /** Differs between processes, so that they never take one booking for their own. */
  workerId: string;
  clock: Clock;
  log: Log;
  staleSeconds?: number;
}

export interface BookingReconciler {
  /** Works on every booking that waits for it; how many that were. Never throws for one booking's trouble. */
  runOnce(): Promise<number>;
}

const BATCH = 20;

/**
 * Finds out what became of bookings whose outcome nobody knows (`areas/bookings/booking-moves.ts`) and finishes them. Safe
 * to run in several processes at once: each claims its bookings, and every move checks the claim again.
 */
export function createBookingReconciler(options: BookingReconcilerOptions): BookingReconciler {
  const { stores, workerId, clock, log } = options;
  const staleSeconds = options.staleSeconds ?? STALE_SECONDS;

  async function settle(booking: Booking): Promise<void> {
    const fields = { bookingId: booking.id, state: booking.state };
    try {
      const ports = options.portsFor(booking.network);
      if (ports === undefined) {
        log.warn({ ...fields, network: booking.network }, "booking left open: its network is switched off");
        return;
      }
      const { flights, stays, stayBookings } = ports;
      const steps =
        booking.kind === "flight"
          ? bookingSteps({ flights, stores, clock }, workerId)
          : stayBookingSteps({ stays, stayBookings, stores, clock }, workerId);
      const end = await steps.resolve(booking);
      if (end.kind === "unknown") log.warn({ ...fields, err: end.cause }, "booking is still open");
      else log.info({ ...fields, end: end.kind }, "booking reconciled");
    } catch (err) {
      // It stays claimed until the claim is stale, and is then tried again.
      log.error({ ...fields, err }, "booking could not be reconciled");
    }
  }

  return {
    async runOnce() {
      let count = 0;
      for (;;) {
        const claimed = await stores.bookings.claimStale(workerId, staleSeconds, BATCH);
        await Promise.all(claimed.map(settle));
        count += claimed.length;
        if (claimed.length < BATCH) return count;
      }
    },
  };
}
