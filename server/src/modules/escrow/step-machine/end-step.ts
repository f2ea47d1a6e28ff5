import type { Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { inTrace } from "../../../domain/trace.ts";
import { PlanReads } from "../../../kernel/call/plan-reads.ts";
import type { AnsweredTransaction, ChainEnding, ChainEndings } from "../../../kernel/contracts/chain-ending.ts";
import type { ChainReceipt } from "../../../ports/chain/chain.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { NewTripEntry } from "../../trip-record/index.ts";
import type { BookedTrip, Trip } from "../../trips/index.ts";
import type { Aggregates, Stores } from "../context.ts";
import { ESCROW_BOOKING_PURPOSE, ESCROW_TRIP_PURPOSE, TRIP_PREFUND_PURPOSE } from "../purposes.ts";
import { breakPromise } from "../records/trip-money.ts";
import type { BoundBookingStep, OfTrip, StepNote, TripStepOutcome } from "../steps/step.ts";
import { fundStep, tripPrefund } from "../trips/prefund-operation.ts";
import { toStep } from "./escrow-action.ts";
import { escrowStep } from "./step-operation.ts";

/** A step, as its operation stores it. */
interface StoredStep {
  tripId: Hex;
  bookingId: Hex | undefined;
  name: string;
  step: BoundBookingStep | (OfTrip & TripStepOutcome);
}

/** Undefined if the operation belongs to no trip. */
function readStep({ operation }: Pick<ChainTransaction, "operation">): StoredStep | undefined {
  const funding = tripPrefund.read(operation);
  if (funding !== undefined) {
    return { tripId: funding.tripId, bookingId: undefined, name: fundStep.storedAs, step: fundStep };
  }
  const stored = escrowStep.read(operation);
  if (stored === undefined) return undefined;
  const { tripId, action } = stored;
  const bookingId = "bookingId" in action ? action.bookingId : undefined;
  return { tripId, bookingId, name: action.name, step: toStep(action) };
}

/**
 * Locks the trip and stores the contract's changes, once. Called in the order of the chain. Returns the step's call if it has
 * ended that, too.
 */
async function confirmStep(
  aggregates: Aggregates,
  { transaction, receipt, answer }: AnsweredTransaction,
  stored: StoredStep,
): Promise<string | undefined> {
  const { step, tripId, bookingId } = stored;
  const { environment } = transaction;
  if (step.of === "trip") {
    const trip = await aggregates.trips.lock(environment, tripId);
    if (trip === undefined) throw new Error(`the trip ${tripId} of a step is not there`);
    const after = await applyTripStep(aggregates, trip, { step, transaction, transactionHash: receipt.hash });
    const note = { ...step.note({ before: trip, after }), at: after.updatedAt, receipt };
    await aggregates.tripRecords.append(trip, buildEntry(stored, note));
    return undefined;
  }
  const locked = bookingId && (await aggregates.trips.lockWithBooking(environment, tripId, bookingId));
  if (!locked) throw new Error(`the booking ${bookingId} of trip ${tripId} is not there`);
  const { trip, booking } = locked;
  const left = booking.reserved - movedOut(transaction, receipt);
  const effect = step.apply({ booking, trip, left });
  const { after, writes } = aggregates.escrowBookings.prepareChange(booking, {
    ...effect.booking,
    details: { ...booking.details, ...booking.pending?.details },
    pending: undefined,
    transaction: { step: step.storedAs, transactionHash: receipt.hash },
  });
  // A step of a booking does not always change its trip.
  const changes = effect.trip === undefined ? [] : [aggregates.trips.prepareChange(environment, tripId, effect.trip)];
  const { tripRecords, effects } = aggregates;
  const memories = (await step.remembers?.(aggregates, after)) ?? { entries: [], writes: [] };
  const entry = buildEntry(stored, { ...step.note(after), at: after.updatedAt, receipt });
  const entries = tripRecords.prepare(trip, entry, ...memories.entries);
  const all = [...writes, ...changes, ...entries, ...memories.writes];
  const { callId } = transaction;
  if (callId !== null && step.afterwards === undefined && step.additions === undefined) {
    await effects.done(callId, answer, all);
    return callId;
  }
  await tripRecords.write(all);
  const changed = { ...trip, ...effect.trip };
  await endedBookings.read(transaction, after.bookingId, async () => ({ trip: changed, booking: after }));
  await step.afterwards?.(aggregates, after, transaction);
  return undefined;
}

async function applyTripStep(
  records: Pick<Aggregates, "trips" | "runEvents" | "messages">,
  trip: Trip,
  {
    step,
    transaction,
    transactionHash,
  }: { step: OfTrip & TripStepOutcome; transaction: ChainTransaction; transactionHash: Hex },
): Promise<Trip> {
  const { environment, tripId } = trip;
  const after = await records.trips.change(environment, tripId, {
    ...step.apply(trip, transaction),
    ...(step.takes === undefined ? { pending: undefined } : {}),
    transaction: { step: step.storedAs, transactionHash },
  });
  await step.alongside?.(records, trip, transactionHash);
  return after;
}

/** A failed payout has no movement: it waits in the contract for its recipient. */
function movedOut({ operation }: ChainTransaction, { movements }: ChainReceipt): Micro {
  const step = escrowStep.read(operation);
  return movements
    .filter(({ token, from }) => token === step?.token && from === step.escrow)
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** The step's entry in the trip's record. */
function buildEntry(
  { name, bookingId }: StoredStep,
  { kind = "money", text, details, at, receipt: { hash } }: StepNote & { at: Temporal.Instant; receipt: ChainReceipt },
): NewTripEntry {
  const about = { step: name, ...(bookingId === undefined ? {} : { bookingId }) };
  return {
    kind,
    text,
    details: { ...about, ...details, txHash: hash },
    // One transaction is one step of one trip.
    key: `escrow:${hash}`,
    userId: undefined,
    at,
  };
}

/** Undoes the promises of a step without effect. The caller holds the trip's lock. */
async function undoStep(
  aggregates: Aggregates,
  trip: Trip,
  { step, bookingId }: StoredStep,
  transaction: ChainTransaction,
): Promise<void> {
  const { trips, escrowBookings } = aggregates;
  const { tenantId, environment, tripId } = trip;
  const kept = step.takes === undefined ? undefined : breakPromise(trip, step.takes);
  if (step.of === "trip") {
    await trips.change(environment, tripId, kept ?? { pending: undefined, ...step.undo });
    return;
  }
  if (bookingId === undefined) throw new Error(`a step of trip ${tripId} names no booking`);
  await escrowBookings.change(
    { tenantId, environment, bookingId },
    { pending: undefined, ...(kept === undefined ? {} : { state: "failed" as const }) },
  );
  if (kept !== undefined) await trips.change(environment, tripId, kept);
  await step.afterUndoing?.(aggregates, transaction);
}

/** As the end of a step has just stored them, by its transaction. */
const endedBookings = new PlanReads<BookedTrip | undefined>();

/** Facts known only at the end of a step, added to the answer stored with the operation. */
export async function tellEnd(
  stores: Pick<Stores, "trips" | "orders" | "chainTransactions">,
  transaction: ChainTransaction,
): Promise<Record<string, unknown>> {
  const { step, bookingId } = readStep(transaction) ?? {};
  const { tenantId, environment } = transaction;
  if (step === undefined) return {};
  if (step.of === "trip") return step.additions?.(transaction) ?? {};
  if (step.additions === undefined || tenantId === null || bookingId === undefined) return {};
  const booked = await endedBookings.take(transaction, bookingId, () =>
    stores.trips.findOfBooking(tenantId, environment, bookingId),
  );
  return booked === undefined ? {} : await step.additions(stores, booked, transaction);
}

/** One ending for all steps of trips, so that one database transaction locks trips in a fixed order. */
const stepEnding: ChainEnding<Aggregates> = {
  async confirmed(aggregates, confirmedTransactions, endedCalls) {
    const ended = confirmedTransactions.flatMap((one) => {
      const stored = readStep(one.transaction);
      return stored === undefined ? [] : [{ ...one, stored }];
    });
    for (const { stored, ...one } of ended.toSorted(byTripAndPlace)) {
      const callId = await inTrace(one.transaction.traceId, () => confirmStep(aggregates, one, stored));
      if (callId !== undefined) endedCalls.add(callId);
    }
  },
  additions: tellEnd,
  async reverted(aggregates, transaction) {
    const { trips, ledger } = aggregates;
    const { id, environment, chain, tenantId, operation } = transaction;
    const outgoing = operation.kind === tripPrefund.kind ? tripPrefund.outgoing(operation) : undefined;
    if (tenantId !== null && outgoing !== undefined) {
      await ledger.takeBack({ tenantId, environment, chain, token: outgoing.token }, outgoing.amount, id);
    }
    const stored = readStep(transaction);
    const trip = stored && (await trips.lock(environment, stored.tripId));
    if (stored === undefined || trip === undefined) throw new Error(`the trip of ${id} is not there`);
    await undoStep(aggregates, trip, stored, transaction);
  },
};

type EndedStep = AnsweredTransaction & { stored: StoredStep };

/** Orders the steps of one trip as on the chain: all but the funding have nonces of one sender. */
function byTripAndPlace(one: EndedStep, other: EndedStep): number {
  if (one.stored.tripId !== other.stored.tripId) return one.stored.tripId < other.stored.tripId ? -1 : 1;
  const blocks = Number(one.receipt.block.number - other.receipt.block.number);
  return blocks === 0 ? (one.transaction.nonce ?? 0) - (other.transaction.nonce ?? 0) : blocks;
}

export const escrowEndings: ChainEndings<Aggregates> = {
  [TRIP_PREFUND_PURPOSE]: stepEnding,
  [ESCROW_TRIP_PURPOSE]: stepEnding,
  [ESCROW_BOOKING_PURPOSE]: stepEnding,
};
