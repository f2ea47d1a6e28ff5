import type { Micro } from "../../../domain/money.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Trip } from "../../trips/index.ts";
import { escrowFailure, shortOfBudget } from "../errors.ts";
import { spendable } from "./trip-money.ts";

/** Whether a trip allows a request. */

export function isExpired({ expiresAt }: Pick<Trip, "expiresAt">, clock: Clock): boolean {
  return Temporal.Instant.compare(clock.now(), expiresAt) >= 0;
}

/** Requires that the escrow has its money, or had it. */
export function requireFunded({ state }: Trip): void {
  if (state === "funding" || state === "failed") throw escrowFailure("trip_not_funded");
}

/** Throws if a step of the trip as a whole is in progress. */
export function requireNothingPending({ pending }: Pick<Trip, "pending">): void {
  if (pending !== undefined) throw escrowFailure("trip_in_progress");
}

/** Throws if a step in progress takes from the free budget, as all of the free budget is returned when a trip ends. */
export function requireNothingPromised({ promised }: Pick<Trip, "promised">): void {
  if (promised > 0n) throw escrowFailure("trip_in_progress");
}

/** Requires that new amounts may be taken from its budget. */
export function requireOpen(trip: Trip, clock: Clock): void {
  requireFunded(trip);
  if (trip.state === "closed") throw escrowFailure("trip_closed");
  if (isExpired(trip, clock)) throw escrowFailure("trip_expired");
  if (trip.pending !== undefined && trip.pending.step !== "claim") throw escrowFailure("trip_in_progress");
}

/** Throws if no step can take this amount from its free budget. */
export function requireRoom(trip: Trip, amount: Micro, clock: Clock): void {
  requireOpen(trip, clock);
  if (spendable(trip) < amount) throw shortOfBudget(amount, spendable(trip));
}
