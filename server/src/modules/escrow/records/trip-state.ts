import type { Micro } from "../../../domain/money.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Trip } from "../../trips/index.ts";
import { escrowFailure, shortOfBudget } from "../errors.ts";
import { spendable } from "./trip-money.ts";

/** Whether a trip allows what is asked of it. */

export function isExpired({ expiresAt }: Pick<Trip, "expiresAt">, clock: Clock): boolean {
  return Temporal.Instant.compare(clock.now(), expiresAt) >= 0;
}

/** The escrow has its money, or had it. */
export function requireFunded({ state }: Trip): void {
  if (state === "funding" || state === "failed") throw escrowFailure("trip_not_funded");
}

/** Throws when a step of the trip as a whole is under way. */
export function requireNothingPending({ pending }: Pick<Trip, "pending">): void {
  if (pending !== undefined) throw escrowFailure("trip_in_progress");
}

/** Throws while a step is under way that takes from what is free. What goes back when a trip ends is all that is free. */
export function requireNothingPromised({ promised }: Pick<Trip, "promised">): void {
  if (promised > 0n) throw escrowFailure("trip_in_progress");
}

/** Whether something new may be taken out of its budget. */
export function requireOpen(trip: Trip, clock: Clock): void {
  requireFunded(trip);
  if (trip.state === "closed") throw escrowFailure("trip_closed");
  if (isExpired(trip, clock)) throw escrowFailure("trip_expired");
  if (trip.pending !== undefined && trip.pending.step !== "claim") throw escrowFailure("trip_in_progress");
}

/** Throws when no step can take that much out of its free budget. */
export function requireRoom(trip: Trip, amount: Micro, clock: Clock): void {
  requireOpen(trip, clock);
  if (spendable(trip) < amount) throw shortOfBudget(amount, spendable(trip));
}
