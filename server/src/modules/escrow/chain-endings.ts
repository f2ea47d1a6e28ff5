import type { Hex } from "../../domain/tokens.ts";
import { inTrace } from "../../domain/trace.ts";
import type { ChainEnding, ChainEndings, ConfirmedTransaction } from "../../kernel/chain-ending.ts";
import type { Aggregates } from "../../kernel/stores.ts";
import { additionsOf, applyStep, tripIdOf, undoStep } from "./apply-step.ts";
import { endHoldForOrder } from "./hold-for-order.ts";
import { payBackOrder } from "./pay-back-order.ts";
import { payUncovered } from "./pay-uncovered.ts";
import { tripPrefund } from "./prefund-operation.ts";
import { ESCROW_BOOKING_PURPOSE, ESCROW_TRIP_PURPOSE, TRIP_PREFUND_PURPOSE } from "./purposes.ts";
import { rememberStep } from "./remember-step.ts";
import { escrowStep } from "./step-operation.ts";
import type { Trip } from "./trips.ts";

async function confirmStep(aggregates: Aggregates, trip: Trip, one: ConfirmedTransaction): Promise<void> {
  await applyStep(aggregates, trip, one);
  await rememberStep(aggregates, trip, one);
  const { tenantId, network, operation } = one.transaction;
  const action = escrowStep.read(operation)?.action;
  if (tenantId === null || action === undefined || !("bookingId" in action)) return;
  const ended = { tenantId, network, bookingId: action.bookingId };
  if (action.name === "settle" || action.name === "release_booking") await payBackOrder(aggregates, ended);
  if (action.name === "return") await endHoldForOrder(aggregates, one.transaction);
  if (action.name === "cancel" || action.name === "return" || action.name === "release_booking") {
    await payUncovered(aggregates, ended);
  }
}

/** One for all steps of trips, so that those of one database transaction take the trips' locks in one order. */
const stepEnding: ChainEnding = {
  async confirmed(aggregates, confirmedTransactions) {
    const { trips } = aggregates;
    const ended = confirmedTransactions.flatMap((one) => {
      const tripId = tripIdOf(one.transaction);
      return tripId === undefined ? [] : [{ ...one, tripId }];
    });
    for (const { tripId, ...one } of ended.toSorted(byTripAndPlace)) {
      const trip = await trips.lock(one.transaction.network, tripId);
      if (trip === undefined) throw new Error(`the trip ${tripId} of a step is not there`);
      await inTrace(one.transaction.traceId, () => confirmStep(aggregates, trip, one));
    }
  },
  additions: additionsOf,
  async reverted(aggregates, transaction) {
    const { trips, ledger } = aggregates;
    const { id, network, tenantId, operation } = transaction;
    const outgoing = operation.kind === tripPrefund.kind ? tripPrefund.outgoing(operation) : undefined;
    if (tenantId !== null && outgoing !== undefined) {
      await ledger.takeBack({ tenantId, network, token: outgoing.token }, outgoing.amount, id);
    }
    const tripId = tripIdOf(transaction);
    const trip = tripId === undefined ? undefined : await trips.lock(network, tripId);
    if (trip === undefined) throw new Error(`the trip of ${id} is not there`);
    await undoStep(aggregates, trip, transaction);
    if (escrowStep.read(operation)?.action.name === "return") await endHoldForOrder(aggregates, transaction);
  },
};

/** Steps of one trip in the order of the chain: all but the funding have nonces of one sender. */
function byTripAndPlace(
  one: ConfirmedTransaction & { tripId: Hex },
  other: ConfirmedTransaction & { tripId: Hex },
): number {
  if (one.tripId !== other.tripId) return one.tripId < other.tripId ? -1 : 1;
  const blocks = Number(one.receipt.block.number - other.receipt.block.number);
  return blocks === 0 ? (one.transaction.nonce ?? 0) - (other.transaction.nonce ?? 0) : blocks;
}

export const escrowEndings: ChainEndings = {
  [TRIP_PREFUND_PURPOSE]: stepEnding,
  [ESCROW_TRIP_PURPOSE]: stepEnding,
  [ESCROW_BOOKING_PURPOSE]: stepEnding,
};
