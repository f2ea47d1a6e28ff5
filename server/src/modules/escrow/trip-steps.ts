import type { Hex } from "../../domain/tokens.ts";
import type { Aggregates } from "../../kernel/stores.ts";
import type { StoredOperation } from "../../ports/chain-operation.ts";
import type { ChainTransaction } from "../../ports/chain-transactions.ts";
import { mismatch } from "../treasury/index.ts";
import { escrowFailure, shortOfBudget } from "./errors.ts";
import type { EscrowAction } from "./escrow-action.ts";
import { escrowStep } from "./step-operation.ts";
import {
  type Asking,
  answerOf,
  earlierOf,
  enqueueStep,
  isExpired,
  lockTrip,
  requireFunded,
  requireOpen,
  type StepAnswer,
  type StepPorts,
  type StoringPorts,
} from "./steps.ts";
import { promise, spendable } from "./trip-money.ts";
import type { Trip, TripChange } from "./trips.ts";

export type TripAction = Extract<EscrowAction, { name: "claim" | "log" | "close" | "release" }>;

export interface TripStepRequest extends Asking {
  /** Undefined: whosever trip it is. */
  tenantId: string | undefined;
  tripId: Hex;
  action: TripAction;
  /** The answer but for `txHash`, `chainId`, `status` and what only the end tells. It is stored: nothing secret may be in it. */
  result: Readonly<Record<string, unknown>> | ((trip: Trip) => Readonly<Record<string, unknown>>);
  /** Under the trip's lock, before anything new is stored; throws a Failure. */
  check?: ((trip: Trip) => void) | undefined;
}

/**
 * A step of a trip as a whole, carried out once: asked again with the same meaning, it answers with the first one's end.
 * Throws Failure with a code of `stepErrors`, `tripStateErrors`, for a log of `budgetErrors`, or `already_claimed`.
 */
export async function takeTripStep(ports: StepPorts, request: TripStepRequest): Promise<StepAnswer> {
  return await answerOf(ports, await storeTripStep(ports, request), request);
}

/** The same without waiting for its end. */
export async function storeTripStep(ports: StoringPorts, request: TripStepRequest): Promise<ChainTransaction> {
  const { stores, chain } = ports;
  const { network } = chain;
  const { tenantId, tripId, action } = request;
  const earlier = await earlierOf(stores, network, request.callId);
  if (earlier !== undefined) {
    if (!isSameStep(earlier.operation, request)) throw mismatch();
    return earlier;
  }
  // Nobody waits for the lock of a trip that is not his.
  if (tenantId !== undefined && (await stores.trips.find(tenantId, network, tripId)) === undefined) {
    throw escrowFailure("trip_not_found");
  }
  return await stores.transaction(async (aggregates) => {
    const trip = await lockTrip(aggregates.trips, network, tenantId, tripId);
    const known = await findStep(aggregates, trip, action);
    if (known !== undefined && isSameStep(known.operation, request)) return known;
    requireFunded(trip);
    requirePossible(trip, action, ports);
    if (action.name === "close") await requireNothingReturning(aggregates, trip);
    request.check?.(trip);
    const result = typeof request.result === "function" ? request.result(trip) : request.result;
    const stored = await enqueueStep(aggregates, ports, trip, { ...request, result });
    await aggregates.trips.change(network, tripId, intentOf(trip, action, stored));
    return stored;
  });
}

/** The one under way, or the one that was carried out; logs are as many as there are calls. */
async function findStep(
  { chainTransactions }: Pick<Aggregates, "chainTransactions">,
  { network, pending, transactions }: Trip,
  { name }: TripAction,
): Promise<ChainTransaction | undefined> {
  if (name === "log") return undefined;
  if (pending?.step === name) return await chainTransactions.get(pending.transactionId);
  const done = transactions.findLast(({ step }) => step === name);
  return done === undefined ? undefined : await chainTransactions.findByHash(network, done.transactionHash);
}

/** Throws when a step of the trip as a whole is under way. */
export function requireNothingPending({ pending }: Pick<Trip, "pending">): void {
  if (pending !== undefined) throw escrowFailure("trip_in_progress");
}

function requirePossible(trip: Trip, action: TripAction, { clock }: Pick<StepPorts, "clock">): void {
  if (action.name === "log") {
    requireOpen(trip, clock);
    if (spendable(trip) < action.fee) throw shortOfBudget(action.fee, spendable(trip));
    return;
  }
  requireNothingPending(trip);
  if (action.name === "claim") {
    if (trip.guestWallet !== undefined) throw escrowFailure("already_claimed");
    if (isExpired(trip, clock)) throw escrowFailure("trip_expired");
    // What goes back is all that is free: nothing may be about to be taken out of it.
  } else if (trip.promised > 0n) throw escrowFailure("trip_in_progress");
}

/** What comes back to the trip in this moment is part of what a closing says that it pays out. */
export async function requireNothingReturning(
  { escrowBookings }: Pick<Aggregates, "escrowBookings">,
  { network, tripId }: Pick<Trip, "network" | "tripId">,
): Promise<void> {
  const bookings = await escrowBookings.listOfTrip(network, tripId);
  if (bookings.some(({ pending }) => pending?.step === "return")) throw escrowFailure("trip_in_progress");
}

function intentOf(trip: Trip, action: TripAction, { id }: ChainTransaction): TripChange {
  if (action.name === "log") return promise(trip, action.fee);
  return { pending: { step: action.name, transactionId: id } };
}

function isSameStep(operation: StoredOperation, { tripId, action }: TripStepRequest): boolean {
  const step = escrowStep.read(operation);
  if (step === undefined || step.tripId !== tripId) return false;
  const taken = step.action;
  switch (action.name) {
    // Its deadline and its signature are made anew for every call.
    case "claim":
      return taken.name === "claim" && taken.guest === action.guest;
    // Its id too.
    case "log":
      return taken.name === "log" && taken.actionType === action.actionType && taken.fee === action.fee;
    default:
      return taken.name === action.name;
  }
}
