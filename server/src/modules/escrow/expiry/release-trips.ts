import { CHAIN_AWAY, Failure } from "../../../domain/errors.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { ChainSubmission } from "../../../ports/chain/chain-transactions.ts";
import type { EscrowContract } from "../../../ports/chain/escrow-contract.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { Trip, TripPosition } from "../../trips/index.ts";
import type { Stores } from "../context.ts";
import { storeBookingStep } from "../step-machine/take-booking-step.ts";
import { storeTripStep } from "../step-machine/take-trip-step.ts";
import { adoptRelease, adoptReleasedBooking, isIdle, isOpen } from "./adopt-release.ts";

export interface ReleaseTripsOptions {
  stores: Stores;
  chain: Chain;
  submission: Pick<ChainSubmission, "wake">;
  clock: Clock;
  log: Log;
  /** How long a trip must have expired by our clock: the chain's may be behind. */
  marginSeconds?: number;
  batch?: number;
}

export interface ReleasedTrips {
  /** Transactions that were stored, to be carried out. */
  ordered: number;
  /** What others had released already. */
  adopted: number;
}

const MARGIN_SECONDS = 30;
const BATCH = 50;

/** What another process does at the same time, or a call that is under way: to be looked at again the next time. */
const passing: ReadonlySet<string> = new Set(["trip_in_progress", "booking_in_progress", "wrong_state"]);

/**
 * Gives back the free money of every trip that has expired, and ends the bookings that are open after the contract's grace: what is
 * confirmed is paid, what is not is cancelled. Safe in several processes at once: every step is stored under its trip's lock.
 */
export async function releaseTrips(options: ReleaseTripsOptions): Promise<ReleasedTrips> {
  const { stores, chain, submission, clock, marginSeconds = MARGIN_SECONDS, batch = BATCH } = options;
  const sum: ReleasedTrips = { ordered: 0, adopted: 0 };
  const { escrow, environment } = chain;
  if (escrow === undefined) return sum;
  if ((await stores.boundChains.get(environment))?.stoppedBecause !== undefined) return sum;
  const before = clock.now().subtract({ seconds: marginSeconds });
  let after: TripPosition<"expiresAt"> | undefined;
  // All of them, each time: those that wait for their grace must not keep others from it.
  for (;;) {
    const trips = await stores.trips.listExpired(environment, before, { limit: batch, after });
    for (const trip of trips) {
      const { ordered, adopted } = await releaseTrip(options, escrow, trip, before);
      sum.ordered += ordered;
      sum.adopted += adopted;
    }
    if (sum.ordered > 0) submission.wake();
    after = trips.at(-1);
    if (trips.length < batch) return sum;
  }
}

/** One trip's trouble is not another's. */
async function releaseTrip(
  options: ReleaseTripsOptions,
  escrow: EscrowContract,
  trip: Trip,
  before: Temporal.Instant,
): Promise<ReleasedTrips> {
  const sum: ReleasedTrips = { ordered: 0, adopted: 0 };
  // Of an escrow that the chain had before.
  if (trip.escrow !== escrow.address) return sum;
  try {
    for await (const done of stepsOf(options, escrow, trip, before)) sum[done] += 1;
  } catch (error) {
    if (error instanceof Failure && error.code === CHAIN_AWAY) throw error;
    options.log.error({ err: error, tripId: trip.tripId }, "an expired trip could not be released");
  }
  return sum;
}

async function* stepsOf(
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
  // The funder and the guest can take back a mere reservation before that.
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
