import { CHAIN_AWAY, Failure } from "../../../domain/errors.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { BookingOnChain, EscrowContract, TripOnChain } from "../../../ports/chain/escrow-contract.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { EscrowBooking, Trip, TripPosition } from "../../trips/index.ts";
import { TRIP_CLOSED } from "../../trips/index.ts";
import type { Stores } from "../context.ts";
import { findTripEscrow } from "../escrows/trip-escrow.ts";
import { payBackOrder } from "../orders/pay-back-order.ts";
import { payUncovered } from "../orders/pay-uncovered.ts";
import { giveBackFree, giveBackHeld, payOut, payouts } from "../records/trip-money.ts";
import { storeBookingStep } from "../step-machine/take-booking-step.ts";
import { storeTripStep } from "../step-machine/take-trip-step.ts";

/** Adopts releases sent by others, as anybody may release after a trip's expiry, without a transaction of ours. */

const openStates: ReadonlySet<EscrowBooking["state"]> = new Set(["reserved", "committed", "confirmed"]);

export interface ReleaseTripsOptions {
  stores: Stores;
  chain: Chain;
  submission: Pick<ChainSubmission, "wake">;
  clock: Clock;
  log: Log;
  /** How long a trip must have expired by our clock, as the chain's may be behind. */
  marginSeconds?: number;
  batch?: number;
}

export interface ReleasedTrips {
  /** Stored transactions. */
  ordered: number;
  /** Trips and bookings already released by others. */
  adopted: number;
}

const MARGIN_SECONDS = 30;
const BATCH = 50;

/** Caused by a concurrent process or call: retried in the next run. */
const passing: ReadonlySet<string> = new Set(["trip_in_progress", "booking_in_progress", "wrong_state"]);

/**
 * Gives back the free money of every expired trip, and ends open bookings after the contract's grace: confirmed ones
 * are paid, the others cancelled. Safe in several processes at once: every step is stored under its trip's lock.
 */
export async function releaseTrips(options: ReleaseTripsOptions): Promise<ReleasedTrips> {
  const { stores, chain, submission, clock, marginSeconds = MARGIN_SECONDS, batch = BATCH } = options;
  const sum: ReleasedTrips = { ordered: 0, adopted: 0 };
  if ((await stores.boundChains.get(chain.key))?.stoppedBecause !== undefined) return sum;
  const before = clock.now().subtract({ seconds: marginSeconds });
  let after: TripPosition<"expiresAt"> | undefined;
  // All of them in every run: trips that wait for their grace must not block others.
  for (;;) {
    const trips = await stores.trips.listExpired(chain.key, before, { limit: batch, after });
    for (const trip of trips) {
      const { ordered, adopted } = await releaseTrip(options, trip, before);
      sum.ordered += ordered;
      sum.adopted += adopted;
    }
    if (sum.ordered > 0) submission.wake();
    after = trips.at(-1);
    if (trips.length < batch) return sum;
  }
}

/** An error in one trip does not affect the others. */
async function releaseTrip(options: ReleaseTripsOptions, trip: Trip, before: Temporal.Instant): Promise<ReleasedTrips> {
  const sum: ReleasedTrips = { ordered: 0, adopted: 0 };
  try {
    const escrow = await findTripEscrow(options, trip);
    // Belongs to an earlier escrow of the chain.
    if (escrow === undefined) return sum;
    for await (const done of releaseSteps(options, escrow, trip, before)) sum[done] += 1;
  } catch (error) {
    if (error instanceof Failure && error.code === CHAIN_AWAY) throw error;
    options.log.error({ err: error, tripId: trip.tripId }, "an expired trip could not be released");
  }
  return sum;
}

async function* releaseSteps(
  options: ReleaseTripsOptions,
  escrow: EscrowContract,
  trip: Trip,
  before: Temporal.Instant,
): AsyncGenerator<keyof ReleasedTrips> {
  const { stores, log } = options;
  const { environment, tripId, tenantId } = trip;
  const there = await escrow.trip(tripId);
  if (there === undefined) throw new Error("the escrow does not know the trip");
  if (trip.free > 0n && isIdle(trip)) {
    if (await adoptRelease(stores, trip, there)) {
      log.info({ tripId }, "somebody else has released a trip");
      yield "adopted";
    } else if (!there.isClosed) {
      const action = { name: "release" } as const;
      const release = { tenantId: undefined, callId: null, tripId, action, result: {} };
      if (await unlessPassing(() => storeTripStep(options, release))) yield "ordered";
    }
  }
  const graceEndsAt = trip.expiresAt.add({ seconds: Number(escrow.graceSeconds) });
  const isGraceOver = Temporal.Instant.compare(before, graceEndsAt) >= 0;
  // Before that the funder and the guest can take back a mere reservation.
  if (trip.held === 0n || (!isGraceOver && there.held === trip.held)) return;
  for (const { bookingId } of (await stores.escrowBookings.listOfTrip(environment, tripId)).filter(isOpen)) {
    const booking = await escrow.booking(tripId, bookingId);
    if (await adoptReleasedBooking(stores, trip, bookingId, booking)) {
      log.info({ tripId, bookingId, state: booking.state }, "somebody else has released a booking");
      yield "adopted";
    } else if (isGraceOver) {
      const action = { name: "release_booking", bookingId } as const;
      const release = { tenantId, callId: null, tripId, action, result: () => ({}) };
      if (await unlessPassing(() => storeBookingStep(options, release))) yield "ordered";
    }
  }
}

async function unlessPassing(store: () => Promise<unknown>): Promise<boolean> {
  try {
    await store();
    return true;
  } catch (error) {
    if (error instanceof Failure && passing.has(error.code)) return false;
    throw error;
  }
}

/** Whether the chain can still end it, without a step of ours in progress that may do so. */
function isOpen({ state, pending }: Pick<EscrowBooking, "state" | "pending">): boolean {
  return openStates.has(state) && pending === undefined;
}

/** Whether no step in progress takes from the free budget. */
function isIdle({ pending, promised }: Pick<Trip, "pending" | "promised">): boolean {
  return pending === undefined && promised === 0n;
}

/**
 * `there` was read before the lock: a step of ours that it shows is then still in progress, or already stored. False if
 * there was nothing to store.
 */
async function adoptRelease(
  stores: Stores,
  { environment, tripId }: Pick<Trip, "environment" | "tripId">,
  there: Pick<TripOnChain, "isClosed">,
): Promise<boolean> {
  if (!there.isClosed) return false;
  return await stores.transaction(async ({ trips, runEvents }) => {
    const trip = await trips.lock(environment, tripId);
    if (trip === undefined || trip.free === 0n || !isIdle(trip)) return false;
    await trips.change(environment, tripId, { ...giveBackFree(trip), state: "closed" });
    await runEvents.raise({ tenantId: trip.tenantId, environment, name: TRIP_CLOSED, subject: tripId, resolution: {} });
    return true;
  });
}

/** The same for a booking. Payouts that failed and wait are not known here. */
async function adoptReleasedBooking(
  stores: Stores,
  { environment, tripId, tenantId }: Pick<Trip, "environment" | "tripId" | "tenantId">,
  bookingId: Hex,
  { state }: Pick<BookingOnChain, "state">,
): Promise<boolean> {
  if (state !== "settled" && state !== "cancelled") return false;
  return await stores.transaction(async (aggregates) => {
    const { trips, escrowBookings } = aggregates;
    const trip = await trips.lock(environment, tripId);
    const booking = await escrowBookings.find(tenantId, environment, bookingId);
    if (trip === undefined || booking === undefined || booking.tripId !== tripId || !isOpen(booking)) return false;
    const isSettled = state === "settled";
    const paid = isSettled ? payouts(booking) : { refunded: booking.reserved };
    const ended = await escrowBookings.change(booking, { state, ...paid });
    await trips.change(environment, tripId, isSettled ? payOut(trip, booking) : giveBackHeld(trip, booking));
    await (isSettled ? payBackOrder(aggregates, ended) : payUncovered(aggregates, ended));
    return true;
  });
}
