import type { RandomBytes } from "../../../domain/ids.ts";
import type { Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { StoredOperation } from "../../../ports/chain/chain-operation.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Booking } from "../../bookings/index.ts";
import { mismatch } from "../../treasury/index.ts";
import type { BookedTrip, EscrowBooking, StepDetails } from "../../trips/index.ts";
import type { Aggregates } from "../context.ts";
import { escrowFailure } from "../errors.ts";
import { randomHash } from "../input.ts";
import { requireCovering } from "../orders/covered-orders.ts";
import { promise } from "../records/trip-money.ts";
import { requireRoom } from "../records/trip-state.ts";
import type { BookingContext, BoundBookingStep } from "../steps/step.ts";
import { type BookingAction, isSameAction, toStep } from "./escrow-action.ts";
import { escrowStep } from "./step-operation.ts";
import {
  type Asking,
  awaitAnswer,
  enqueueStep,
  findEarlier,
  lockTrip,
  requireSame,
  type StepAnswer,
  type StepPorts,
  type StoringPorts,
} from "./take-step.ts";

interface BookingAsking extends Asking {
  tenantId: string;
}

export interface ReservationRequest extends BookingAsking {
  tripId: Hex;
  /** Undefined for a random id, or the earlier call's with the same Idempotency-Key. */
  bookingId: Hex | undefined;
  random: RandomBytes;
  amount: Micro;
  /** The answer without the facts known only at the end. It is stored, so it must contain no secret. */
  result(bookingId: Hex): Readonly<Record<string, unknown>>;
}

export interface BookingStepRequest extends BookingAsking {
  /** The trip that the caller expects the booking to belong to. */
  tripId?: Hex | undefined;
  action: BookingAction;
  details?: StepDetails | undefined;
  /** As in `ReservationRequest.result`, for the booking before the step. */
  result(booking: EscrowBooking): Readonly<Record<string, unknown>>;
  /** Defaults to equal operations. */
  isSame?: IsSameStep | undefined;
}

/** Whether a finished or running step of this booking is the requested one. */
export type IsSameStep = (taken: StoredOperation, details: StepDetails) => boolean;

/**
 * Reserves a part of the trip's budget for a booking, once per id. Throws a Failure with a code of `stepErrors`,
 * `tripStateErrors`, `budgetErrors`, `booking_in_progress` or `wrong_state`.
 */
export async function takeReservation(ports: StepPorts, request: ReservationRequest): Promise<StepAnswer> {
  return await awaitAnswer(ports, await storeReservation(ports, request), request);
}

/** The same without waiting for its end. */
export async function storeReservation(ports: StoringPorts, request: ReservationRequest): Promise<ChainTransaction> {
  const { stores, chain, clock } = ports;
  const { environment } = chain;
  const { tenantId, tripId, amount, callId } = request;
  const earlier = await findEarlier(stores, chain.key, callId);
  if (earlier !== undefined && !isSameReservation(earlier.operation, request)) throw mismatch();
  const named = request.bookingId ?? reservedBy(earlier?.operation)?.bookingId;
  const bookingId = named ?? randomHash(request.random);
  return await stores.transaction(async (aggregates) => {
    const { trips, escrowBookings } = aggregates;
    const trip = await lockTrip(trips, environment, tenantId, tripId);
    // Nobody has a booking with an id that was drawn just now.
    const existing = named && (await escrowBookings.find(tenantId, environment, named));
    const known = await findReservation(aggregates, existing, request);
    if (known !== undefined) return requireSame(earlier, known);
    requireRoom(trip, amount, clock);
    const stored = await enqueueStep(aggregates, ports, trip, {
      callId,
      action: { name: "reserve", bookingId, amount },
      result: request.result(bookingId),
      alongside: () => trips.prepareChange(environment, tripId, promise(trip, amount)),
    });
    const pending = { step: "reserve", transactionId: stored.id, details: {} } as const;
    const inserted = await escrowBookings.insert({
      bookingId,
      tripId,
      environment,
      chain: trip.chain,
      tenantId,
      reserved: amount,
      pending,
    });
    // Concurrently inserted under another trip.
    if (inserted === undefined) throw escrowFailure("booking_in_progress");
    return requireSame(earlier, stored);
  });
}

/** Throws if the id belongs to another reservation. A failed one frees it. */
export async function findReservation(
  aggregates: Pick<Aggregates, "chainTransactions">,
  booking: EscrowBooking | undefined,
  { tripId, amount }: Pick<ReservationRequest, "tripId" | "amount">,
): Promise<ChainTransaction | undefined> {
  if (booking === undefined || booking.state === "failed") return undefined;
  const known = await findStep(aggregates, booking, "reserve");
  if (known !== undefined && booking.tripId === tripId && booking.reserved === amount) return known;
  throw wrongState(
    booking,
    "You already have a booking with this id: for another trip or amount, or cancelled. Choose another bookingId.",
  );
}

/**
 * Takes the next step of a booking, once: a repetition with the same meaning returns the first one's end. Throws a
 * Failure with a code of `stepErrors` or `bookingErrors`, for a commit also `trip_expired` or `exceeds_reservation`.
 */
export async function takeBookingStep(ports: StepPorts, request: BookingStepRequest): Promise<StepAnswer> {
  return await awaitAnswer(ports, await storeBookingStep(ports, request), request);
}

/** The same without waiting for its end. */
export async function storeBookingStep(ports: StoringPorts, request: BookingStepRequest): Promise<ChainTransaction> {
  const { stores, chain, clock } = ports;
  const { environment } = chain;
  const { callId, action, details = {} } = request;
  const step = toStep(action);
  return await stores.transaction(async (aggregates) => {
    const { trip, booking } = await lockBooking(aggregates, environment, { ...request, bookingId: action.bookingId });
    const known = await findSameStep(aggregates, booking, step, request.isSame ?? sameAs(action));
    if (known !== undefined) return requireSame(await findEarlier(aggregates, chain.key, callId), known);
    requireState(booking, step);
    await requirePossible(aggregates, step, { booking, trip, clock });
    const stored = await enqueueStep(aggregates, ports, trip, {
      callId,
      action,
      result: request.result(booking),
      alongside: (transactionId) =>
        aggregates.escrowBookings.preparePending(booking, { step: step.storedAs, transactionId, details }),
    });
    // One Idempotency-Key is one step.
    if (stored.earlierId !== undefined) throw mismatch();
    return stored;
  });
}

interface NamedBooking {
  tenantId: string;
  bookingId: Hex;
  tripId?: Hex | undefined;
}

/** Returns the booking under the lock of its trip. One of another tenant, or of another trip than named, is not found. */
export async function lockBooking(
  { trips }: Pick<Aggregates, "trips">,
  environment: EscrowBooking["environment"],
  named: NamedBooking,
): Promise<BookedTrip> {
  const locked = await trips.lockOfBooking(named.tenantId, environment, named.bookingId);
  if (locked !== undefined) return requireNamed(locked, named);
  await requireBooking({ trips }, environment, named);
  // A failed one was replaced meanwhile.
  throw escrowFailure("booking_in_progress");
}

/** Returns the booking with its trip. One of another tenant, or of another trip than named, is not found. */
export async function requireBooking(
  { trips }: Pick<Aggregates, "trips">,
  environment: EscrowBooking["environment"],
  named: NamedBooking,
): Promise<BookedTrip> {
  return requireNamed(await trips.findOfBooking(named.tenantId, environment, named.bookingId), named);
}

function requireNamed(found: BookedTrip | undefined, { tripId }: Pick<NamedBooking, "tripId">): BookedTrip {
  if (found === undefined || (tripId !== undefined && found.trip.tripId !== tripId)) {
    throw escrowFailure("booking_not_found");
  }
  return found;
}

/** The same step, finished or in progress. Throws if another one is in progress. */
export async function findSameStep(
  aggregates: Pick<Aggregates, "chainTransactions">,
  booking: EscrowBooking,
  { storedAs }: Pick<BoundBookingStep, "storedAs">,
  isSame: IsSameStep,
): Promise<ChainTransaction | undefined> {
  const known = await findStep(aggregates, booking, storedAs);
  if (known !== undefined && isSame(known.operation, booking.pending?.details ?? booking.details)) return known;
  if (booking.pending !== undefined) throw escrowFailure("booking_in_progress");
  return undefined;
}

/** Undefined also for a step that a later one undid. */
export async function findStep(
  { chainTransactions }: Pick<Aggregates, "chainTransactions">,
  { environment, chain, state, pending, transactions }: EscrowBooking,
  step: string,
): Promise<ChainTransaction | undefined> {
  if (pending?.step === step) return await chainTransactions.get(pending.transactionId);
  const isUndone = state === "cancelled" && step !== "cancel" && step !== "return" && step !== "release";
  const done = isUndone ? undefined : transactions.findLast((one) => one.step === step);
  return done === undefined
    ? undefined
    : await chainTransactions.findByHash({ environment, chain }, done.transactionHash);
}

/** Whether it would do the same. */
export const sameAs =
  (action: BookingAction): IsSameStep =>
  (taken) => {
    const step = escrowStep.read(taken);
    return step !== undefined && isSameAction(step.action, action);
  };

/** Throws `wrong_state` if the step cannot start from the booking's state. */
export function requireState(booking: EscrowBooking, { startsFrom }: Pick<BoundBookingStep, "startsFrom">): void {
  if (!startsFrom.includes(booking.state)) throw wrongState(booking);
}

/**
 * Throws if the booking, its trip or an order does not allow the step. The booking is in a state from which the step starts.
 * Returns what `requireCovering` does.
 */
export async function requirePossible(
  aggregates: Pick<Aggregates, "bookings" | "wallets">,
  step: BoundBookingStep,
  context: BookingContext,
): Promise<Booking | undefined> {
  step.require?.(context);
  return await requireCovering(aggregates, context.booking, step);
}

/** The caller's options instead. */
const nextSteps: Readonly<Record<EscrowBooking["state"], string>> = {
  reserving: "Call again shortly.",
  reserved: "Next is commit_booking or confirm_booking, or release_reservation or cancel_booking.",
  committed: "Its amounts are fixed. Next is confirm_flight, or release_reservation or cancel_booking.",
  confirmed: "Next is settle_booking, or cancel_booking.",
  settled: "It has been paid out; no further step is possible.",
  cancelled: "Its money was returned. Reserve another booking.",
  failed: "Reserve another booking.",
};

function wrongState({ state }: EscrowBooking, advice = `It does not allow this step. ${nextSteps[state]}`) {
  return escrowFailure("wrong_state", { detail: `The booking is ${state}. ${advice}`, extra: { state } });
}

function reservedBy(operation: StoredOperation | undefined) {
  const action = escrowStep.read(operation)?.action;
  return action?.name === "reserve" ? action : undefined;
}

function isSameReservation(operation: StoredOperation, { tripId, bookingId, amount }: ReservationRequest): boolean {
  const action = reservedBy(operation);
  const isOfTrip = escrowStep.read(operation)?.tripId === tripId;
  return isOfTrip && action?.amount === amount && (bookingId === undefined || bookingId === action.bookingId);
}
