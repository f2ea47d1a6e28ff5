import type { Hex } from "../../../domain/tokens.ts";
import type { StoredOperation } from "../../../ports/chain/chain-operation.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import { mismatch } from "../../treasury/index.ts";
import type { Trip } from "../../trips/index.ts";
import type { Aggregates } from "../context.ts";
import { promise } from "../records/trip-money.ts";
import { requireFunded, requireNothingPending, requireRoom } from "../records/trip-state.ts";
import type { BoundStep, BoundTripStep } from "../steps/step.ts";
import { isSameAction, type TripAction, toStep } from "./escrow-action.ts";
import { escrowStep } from "./step-operation.ts";
import {
  type Asking,
  awaitAnswer,
  enqueueStep,
  findEarlier,
  lockTrip,
  type StepAnswer,
  type StepPorts,
  type StoringPorts,
} from "./take-step.ts";

export interface TripStepRequest extends Asking {
  /** Undefined admits any tenant's trip. */
  tenantId: string | undefined;
  tripId: Hex;
  action: TripAction;
  /** The answer without `txHash`, `chainId`, `status` and the facts known only at the end. It is stored, so it must contain no secret. */
  result: Readonly<Record<string, unknown>> | ((trip: Trip) => Readonly<Record<string, unknown>>);
  /** Called under the trip's lock, before anything new is stored; throws a Failure. */
  check?: ((trip: Trip) => void) | undefined;
}

/**
 * Takes a step of a trip as a whole, once: a repetition with the same meaning returns the first one's end. Throws a
 * Failure with a code of `stepErrors`, `tripStateErrors`, for a log of `budgetErrors`, or `already_claimed`.
 */
export async function takeTripStep(ports: StepPorts, request: TripStepRequest): Promise<StepAnswer> {
  return await awaitAnswer(ports, await storeTripStep(ports, request), request);
}

/** The same without waiting for its end. */
export async function storeTripStep(ports: StoringPorts, request: TripStepRequest): Promise<ChainTransaction> {
  const { stores, chain } = ports;
  const { environment } = chain;
  const { tenantId, tripId, action } = request;
  const step = toStep(action);
  const earlier = await findEarlier(stores, chain.key, request.callId);
  if (earlier !== undefined) {
    if (!isSameStep(earlier.operation, request)) throw mismatch();
    return earlier;
  }
  return await stores.transaction(async (aggregates) => {
    const trip = await lockTrip(aggregates.trips, environment, tenantId, tripId);
    const known = await findStep(aggregates, trip, step);
    if (known !== undefined && isSameStep(known.operation, request)) return known;
    await requirePossible(aggregates, ports, trip, step);
    request.check?.(trip);
    const result = typeof request.result === "function" ? request.result(trip) : request.result;
    const stored = await enqueueStep(aggregates, ports, trip, { ...request, result });
    const pending = { step: step.storedAs, transactionId: stored.id };
    await aggregates.trips.change(
      environment,
      tripId,
      step.takes === undefined ? { pending } : promise(trip, step.takes),
    );
    return stored;
  });
}

/** The step in progress, or the finished one; a step that takes money exists once per call. */
async function findStep(
  { chainTransactions }: Pick<Aggregates, "chainTransactions">,
  { environment, chain, pending, transactions }: Trip,
  { storedAs, takes }: BoundStep,
): Promise<ChainTransaction | undefined> {
  if (takes !== undefined) return undefined;
  if (pending?.step === storedAs) return await chainTransactions.get(pending.transactionId);
  const done = transactions.findLast(({ step }) => step === storedAs);
  return done === undefined
    ? undefined
    : await chainTransactions.findByHash({ environment, chain }, done.transactionHash);
}

/** Throws if the trip does not allow a new step now. */
export async function requirePossible(
  { escrowBookings }: Pick<Aggregates, "escrowBookings">,
  { clock }: Pick<StepPorts, "clock">,
  trip: Trip,
  step: BoundTripStep,
): Promise<void> {
  requireFunded(trip);
  if (step.takes === undefined) requireNothingPending(trip);
  else requireRoom(trip, step.takes, clock);
  await step.require?.(trip, { clock, escrowBookings });
}

function isSameStep(operation: StoredOperation, { tripId, action }: TripStepRequest): boolean {
  const taken = escrowStep.read(operation);
  return taken?.tripId === tripId && isSameAction(taken.action, action);
}
