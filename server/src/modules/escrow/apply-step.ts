import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import { TRIP_CLOSED } from "../../kernel/run-events.ts";
import type { Aggregates, Stores } from "../../kernel/stores.ts";
import type { ChainReceipt } from "../../ports/chain.ts";
import type { ChainTransaction } from "../../ports/chain-transactions.ts";
import { PAID_BY_ESCROW } from "../orders/index.ts";
import { keyOfRefund, transfer } from "../treasury/index.ts";
import type { EscrowAction } from "./escrow-action.ts";
import type { EscrowBooking, EscrowBookingChange, EscrowBookingStep, StepDetails } from "./escrow-bookings.ts";
import { tripPrefund } from "./prefund-operation.ts";
import { escrowStep } from "./step-operation.ts";
import {
  breakPromise,
  freeHeld,
  giveBackFree,
  giveBackHeld,
  hold,
  payActionFee,
  payOut,
  payouts,
} from "./trip-money.ts";
import type { Trip, TripChange } from "./trips.ts";

type Records = Pick<Aggregates, "trips" | "escrowBookings" | "runEvents">;
type BookingAction = Extract<EscrowAction, { bookingId: unknown }>;

interface Ended {
  transaction: ChainTransaction;
  receipt: ChainReceipt;
}

/** The member by which the stored answer of `release_reservation` is told from that of `cancel_booking`. */
export const RELEASED = "returnedTo";

/** The trip that an operation is for; undefined: none. */
export function tripIdOf({ operation }: Pick<ChainTransaction, "operation">): Hex | undefined {
  return (tripPrefund.read(operation) ?? escrowStep.read(operation))?.tripId;
}

/** What the contract did is written down, once. The caller holds the trip's lock, and asks in the order of the chain. */
export async function applyStep(records: Records, trip: Trip, { transaction, receipt }: Ended): Promise<void> {
  const { trips } = records;
  const { network, tripId } = trip;
  const { operation } = transaction;
  const { hash: transactionHash } = receipt;
  const change = async (change: TripChange) => await trips.change(network, tripId, change);
  if (operation.kind === tripPrefund.kind) {
    await change({ state: "funded", free: trip.budget, transaction: { step: "fund", transactionHash } });
  }
  const action = escrowStep.read(operation)?.action;
  if (action === undefined) return;
  switch (action.name) {
    case "claim":
      await change({
        guestWallet: action.guest,
        claimedAt: transaction.createdAt,
        pending: undefined,
        transaction: { step: "claim", transactionHash },
      });
      await tellRuns(records, trip, action.guest);
      break;
    case "log": {
      const { actionId, actionType, fee } = action;
      await change({ ...payActionFee(trip, fee), transaction: { step: "log", transactionHash } });
      await trips.recordAction(network, tripId, { actionId, actionType, fee, transactionHash });
      break;
    }
    case "close":
    case "release":
      await change({
        ...giveBackFree(trip),
        state: "closed",
        pending: undefined,
        transaction: { step: action.name, transactionHash },
      });
      await records.runEvents.raise({
        ...{ tenantId: trip.tenantId, network, name: TRIP_CLOSED, subject: tripId },
        resolution: {},
      });
      break;
    default:
      await applyBookingStep(records, trip, action, { transaction, receipt });
  }
}

/** Runs of workflows wait for the guest to claim the trip. */
async function tellRuns({ runEvents }: Records, { tenantId, network, tripId }: Trip, guestWallet: Hex): Promise<void> {
  const resolution = { status: "claimed", guestWallet };
  await runEvents.raise({ tenantId, network, name: "trip_claimed", subject: tripId, resolution });
}

async function applyBookingStep(
  { trips, escrowBookings }: Records,
  trip: Trip,
  action: BookingAction,
  { transaction, receipt }: Ended,
): Promise<void> {
  const { network, tenantId } = trip;
  const { bookingId } = action;
  const booking = await escrowBookings.find(tenantId, network, bookingId);
  if (booking === undefined) throw new Error(`the booking ${bookingId} of trip ${trip.tripId} is not there`);
  const left = booking.reserved - movedOut(transaction, receipt);
  const effect = effectOf(trip, booking, action, left);
  const details: StepDetails = { ...booking.details, ...booking.pending?.details };
  await escrowBookings.change(
    { tenantId, network, bookingId },
    {
      ...effect.booking,
      details,
      pending: undefined,
      transaction: { step: stepOf(action), transactionHash: receipt.hash },
    },
  );
  if (effect.trip !== undefined) await trips.change(network, trip.tripId, effect.trip);
}

/** `left`: what of the reservation has not left the contract. */
function effectOf(
  trip: Trip,
  booking: EscrowBooking,
  action: BookingAction,
  left: Micro,
): { booking: EscrowBookingChange; trip?: TripChange } {
  switch (action.name) {
    case "reserve":
      return { booking: { state: "reserved" }, trip: hold(trip, action.amount) };
    case "commit": {
      const { vendor, vendorAmount, markup, serviceFee, itineraryHash } = action;
      return { booking: { state: "committed", vendor, vendorAmount, markup, serviceFee, itineraryHash } };
    }
    case "confirm":
      return { booking: { state: "confirmed", ticketHash: action.ticketHash } };
    case "settle":
      return settled(trip, booking, left);
    case "cancel":
      return cancelled(trip, booking, left);
    case "return":
      return { booking: { state: "cancelled", returned: booking.reserved }, trip: freeHeld(trip, booking) };
    case "release_booking":
      return booking.state === "confirmed" ? settled(trip, booking, left) : cancelled(trip, booking, left);
  }
}

const settled = (trip: Trip, booking: EscrowBooking, waiting: Micro) => ({
  booking: { state: "settled" as const, ...payouts(booking), waiting },
  trip: payOut(trip, booking),
});

const cancelled = (trip: Trip, booking: EscrowBooking, waiting: Micro) => ({
  booking: { state: "cancelled" as const, refunded: booking.reserved, waiting },
  trip: giveBackHeld(trip, booking),
});

/** What the contract could not pay out has no movement: it waits there for its recipient. */
function movedOut({ operation }: ChainTransaction, { movements }: ChainReceipt): Micro {
  const step = escrowStep.read(operation);
  return movements
    .filter(({ token, from }) => token === step?.token && from === step.escrow)
    .reduce((sum, { amount }) => sum + amount, 0n);
}

export function stepOf({ name }: BookingAction): EscrowBookingStep {
  return name === "release_booking" ? "release" : name;
}

/** A step that had no effect never was. The caller holds the trip's lock. */
export async function undoStep(
  { trips, escrowBookings }: Records,
  trip: Trip,
  { operation }: Pick<ChainTransaction, "operation">,
): Promise<void> {
  const { network, tenantId, tripId } = trip;
  if (operation.kind === tripPrefund.kind) await trips.change(network, tripId, { state: "failed" });
  const action = escrowStep.read(operation)?.action;
  if (action === undefined) return;
  if (action.name === "log") await trips.change(network, tripId, breakPromise(trip, action.fee));
  else if (!("bookingId" in action)) await trips.change(network, tripId, { pending: undefined });
  else {
    const isReservation = action.name === "reserve";
    await escrowBookings.change(
      { tenantId, network, bookingId: action.bookingId },
      { pending: undefined, ...(isReservation ? { state: "failed" as const } : {}) },
    );
    if (isReservation) await trips.change(network, tripId, breakPromise(trip, action.amount));
  }
}

/** What only the end of a step tells, in addition to the answer that was stored with the operation. */
export async function additionsOf(
  stores: Pick<Stores, "escrowBookings" | "trips" | "orders" | "chainTransactions">,
  { tenantId, network, operation, createdAt, result }: ChainTransaction,
): Promise<Record<string, unknown>> {
  const action = escrowStep.read(operation)?.action;
  if (action === undefined) return {};
  if (action.name === "claim") return { claimedAt: createdAt.toString() };
  const isEnd = action.name === "settle" || action.name === "cancel" || action.name === "return";
  if (!isEnd || tenantId === null) return {};
  const booking = await stores.escrowBookings.find(tenantId, network, action.bookingId);
  const waiting = booking?.waiting ?? 0n;
  return {
    ...(waiting === 0n ? {} : { waitingUsdc: formatDecimal(waiting) }),
    ...(result !== undefined && RELEASED in result && booking !== undefined ? await freeAfter(stores, booking) : {}),
    ...(action.name === "settle" && booking !== undefined ? await endOfSettlement(stores, booking) : {}),
  };
}

async function freeAfter(
  { trips }: Pick<Stores, "trips">,
  { network, tripId }: EscrowBooking,
): Promise<Record<string, unknown>> {
  const trip = await trips.get(network, tripId);
  return trip === undefined ? {} : { freeUsdc: formatDecimal(trip.free) };
}

/** What came back to the wallet for an order that it had paid, and what is left for other bookings. */
async function endOfSettlement(
  { trips, orders, chainTransactions }: Pick<Stores, "trips" | "orders" | "chainTransactions">,
  { tenantId, network, bookingId, tripId, itineraryHash }: EscrowBooking,
): Promise<Record<string, unknown>> {
  const trip = await trips.get(network, tripId);
  const order = itineraryHash && (await orders.findByItinerary(tenantId, network, itineraryHash));
  const reference = `${PAID_BY_ESCROW}${order?.bookingId}:${bookingId}`;
  const back = order && (await chainTransactions.findByKey(network, keyOfRefund(reference)));
  const amount = transfer.read(back?.operation)?.amount;
  return {
    ...(trip === undefined ? {} : { tripFreeUsdc: formatDecimal(trip.free) }),
    ...(order === undefined || back === undefined || amount === undefined
      ? {}
      : {
          walletReturn: {
            ...{ amountUsdc: formatDecimal(amount), orderId: order.orderId },
            ...{ transferId: back.id, txHash: back.hash ?? null },
          },
        }),
  };
}
