import { Failure } from "../../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { type CallPlan, EMPTY_PLAN, final, planOrRefusal, usdcMovements } from "../../../kernel/contracts/call-plan.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import { findHomePurse } from "../../treasury/index.ts";
import type { EscrowBooking, Trip } from "../../trips/index.ts";
import type { Aggregates } from "../context.ts";
import { escrowFailure } from "../errors.ts";
import { checkEscrow, requireTripEscrow } from "../escrows/trip-escrow.ts";
import { readHash } from "../input.ts";
import { findCoveredBooking, requireCovering } from "../orders/covered-orders.ts";
import { holdForOrder } from "../orders/hold-for-order.ts";
import { isExpired } from "../records/trip-state.ts";
import { toStep } from "../step-machine/escrow-action.ts";
import { forTakingSteps, type PlanPorts } from "../step-machine/plan-step.ts";
import { findStep, lockBooking, requireBooking, requireState } from "../step-machine/take-booking-step.ts";
import {
  type Asking,
  awaitAnswer,
  enqueueStep,
  findEarlier,
  requireSame,
  type StepAnswer,
  type StepPorts,
} from "../step-machine/take-step.ts";

/** Why the wallet gets a reservation's money instead of the trip's budget. */
export const walletReasons = ["trip_closed", "trip_expired", "escrow_too_old", "order_unpaid"] as const;
type WalletReason = (typeof walletReasons)[number];

/** The recipient of an ended reservation's money, and the debt left to the wallet. */
export interface ReleaseWay {
  /** Undefined if it goes to the trip. */
  walletBecause: WalletReason | undefined;
  /** The order that the reservation was meant to pay for. */
  order: { orderId: string | undefined; owed: Micro } | undefined;
}

export interface ReleaseRequest extends Asking {
  tenantId: string;
  tripId: Hex;
  bookingId: Hex;
  reason: string;
  /** As in `ReservationRequest.result`. */
  result(booking: EscrowBooking, way: ReleaseWay): Readonly<Record<string, unknown>>;
}

/**
 * Ends an unconfirmed booking, once, and returns its reserved money to its trip's budget; or to the wallet, if the trip
 * can no longer spend, the contract cannot return it, or the wallet could not pay for the reservation's order. Throws a
 * Failure with a code of `stepErrors`, `bookingErrors` or `tripStateErrors`.
 */
export async function releaseReservation(ports: StepPorts, request: ReleaseRequest): Promise<StepAnswer> {
  return await awaitAnswer(ports, await storeRelease(ports, request), request);
}

async function storeRelease(ports: StepPorts, request: ReleaseRequest): Promise<ChainTransaction> {
  const { stores, chain } = ports;
  const { environment } = chain;
  const { callId, bookingId, reason } = request;
  const earlier = await findEarlier(stores, chain.key, callId);
  return await stores.transaction(async (aggregates) => {
    const { trip, booking } = await lockBooking(aggregates, environment, request);
    const known = await findRelease(aggregates, booking);
    if (known !== undefined) return requireSame(earlier, known);
    const way = await chooseWay(aggregates, ports, trip, booking);
    const step = way.walletBecause === undefined ? "return" : "cancel";
    const stored = await enqueueStep(aggregates, ports, trip, {
      callId,
      action: { name: step, bookingId, reason },
      result: request.result(booking, way),
    });
    const pending = { step, transactionId: stored.id, details: { cancelReason: reason } } as const;
    await aggregates.escrowBookings.change(booking, { pending });
    if (step === "return") await holdForOrder(aggregates, stored, way.order?.owed ?? 0n);
    return requireSame(earlier, stored);
  });
}

/** The step that ended the booking or is about to, by this tool or by `cancel_booking`. Throws if another step is in progress. */
async function findRelease(
  aggregates: Pick<Aggregates, "chainTransactions">,
  booking: EscrowBooking,
): Promise<ChainTransaction | undefined> {
  const known = (await findStep(aggregates, booking, "return")) ?? (await findStep(aggregates, booking, "cancel"));
  if (known === undefined && booking.pending !== undefined) throw escrowFailure("booking_in_progress");
  return known;
}

/** Throws a Failure if the booking cannot end now. */
async function chooseWay(
  aggregates: Pick<Aggregates, "boundChains" | "bookings" | "furtherEscrows" | "wallets" | "ledger">,
  { chain, clock }: { chain: Chain; clock: Clock },
  trip: Trip,
  booking: EscrowBooking,
): Promise<ReleaseWay> {
  const { tenantId, environment, bookingId } = booking;
  const step = toStep({ name: "return", bookingId, reason: "" });
  requireState(booking, step);
  await requireCovering(aggregates, booking, step);
  // A concurrent closing of the trip pays out only the budget that is free now.
  if (trip.pending !== undefined && trip.pending.step !== "claim") throw escrowFailure("trip_in_progress");
  const covered = await findCoveredBooking(aggregates, booking);
  const order = covered === undefined ? undefined : { orderId: covered.orderId, owed: covered.cover };
  const way = (walletBecause?: WalletReason): ReleaseWay => ({ walletBecause, order });
  if (trip.state === "closed") return way("trip_closed");
  if (isExpired(trip, clock)) return way("trip_expired");
  const { returnsToTrip } = await requireTripEscrow({ chain, stores: aggregates }, trip);
  if (!returnsToTrip) return way("escrow_too_old");
  if (order === undefined || order.owed === 0n) return way();
  // The operator has paid the supplier, so there must be money to pay the operator.
  const { available } = await aggregates.ledger.balance(await findHomePurse(aggregates, { tenantId, environment }));
  return way(available < order.owed ? "order_unpaid" : undefined);
}

export function planRelease(ports: PlanPorts, named: { bookingId: string; tripId: string }): Promise<CallPlan> {
  return planOrRefusal(async () => {
    const { stores, chain, caller, escrowAddress } = ports;
    await checkEscrow({ chain, stores }, { ...named, tenantId: caller.tenantId, escrowAddress });
    const [bookingId, tripId] = [readHash(named.bookingId), readHash(named.tripId)];
    if (bookingId === undefined || tripId === undefined) throw escrowFailure("booking_not_found");
    const { tenantId, environment } = caller;
    const { booking, trip } = await requireBooking(stores, environment, { tenantId, bookingId, tripId });
    if ((await findRelease(stores, booking)) !== undefined) return EMPTY_PLAN;
    const way = await chooseWay(stores, ports, trip, booking);
    const { walletBecause, order } = way;
    // A cancellation's debt was counted when the budget left the wallet; a budget that is free again can be spent in addition.
    const owed = walletBecause === undefined ? (order?.owed ?? 0n) : 0n;
    return forTakingSteps(ports, trip, {
      movements: usdcMovements(
        [booking.reserved, "booking_reservation", walletBecause === undefined ? "trip_budget" : "treasury"],
        [owed, "treasury", "collection", "cost"],
      ),
      boughtHash: booking.itineraryHash,
      tripId,
      irreversible: [final("the booking is over")],
      remarks: foresayRelease(way),
    });
  });
}

/** For callers after the release, with the next action. */
export function sayRelease(way: ReleaseWay): string {
  const { walletBecause } = way;
  const where =
    walletBecause === undefined
      ? "The money is back in the trip's budget: reserve another booking, or start the run again."
      : `The money went to your wallet: ${wordsByReason[walletBecause]} To try again, prefund another trip.`;
  return [where, ...sayOwed(way)].join(" ");
}

/** For a preview. */
function foresayRelease(way: ReleaseWay): string[] {
  const { walletBecause } = way;
  const where =
    walletBecause === undefined
      ? "The money goes back to the trip's budget, free for another booking."
      : `The money goes to your wallet: ${wordsByReason[walletBecause]}`;
  return [where, ...sayOwed(way)];
}

function sayOwed({ order }: ReleaseWay): string[] {
  if (order === undefined || order.owed === 0n) return [];
  return [
    `Your wallet pays ${formatDecimal(order.owed)} USDC for the order ${order.orderId}, which the reservation was meant to pay for; less if the supplier refunds something in the meantime.`,
  ];
}

const wordsByReason: Readonly<Record<WalletReason, string>> = {
  trip_closed: "the trip is closed.",
  trip_expired: "the trip has expired.",
  escrow_too_old: "this network has an earlier escrow contract, which cannot put money back into a trip.",
  order_unpaid: "it was needed there to pay for the order.",
};

/** The balance fell at the same moment. */
export function againIfShort(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== "insufficient_balance") throw error;
  throw escrowFailure("booking_in_progress", {
    detail: "Your wallet's balance changed at the same time. Nothing was done. Call again.",
    cause: error,
  });
}
