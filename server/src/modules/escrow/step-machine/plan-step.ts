import type { Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { PlanReads } from "../../../kernel/call/plan-reads.ts";
import { type CallPlan, EMPTY_PLAN, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { BookedTrip, Trip } from "../../trips/index.ts";
import type { Stores } from "../context.ts";
import { escrowFailure } from "../errors.ts";
import { checkEscrow } from "../escrows/trip-escrow.ts";
import { readHash } from "../input.ts";
import { requireRoom } from "../records/trip-state.ts";
import { planReserving } from "../steps/reserve.ts";
import { type BookingAction, type TripAction, toStep } from "./escrow-action.ts";
import {
  findReservation,
  findSameStep,
  type IsSameStep,
  requireBooking,
  requirePossible as requireBookingStep,
  requireState,
  sameAs,
} from "./take-booking-step.ts";
import { requireTakingSteps } from "./take-step.ts";
import { requirePossible as requireTripStep } from "./take-trip-step.ts";

/** Plans the movements of steps in the escrow. A call that will be refused or is a repetition moves nothing. */

export interface PlanPorts {
  stores: Stores;
  chain: Chain;
  clock: Clock;
  caller: Caller;
  escrowAddress?: string | undefined;
}

interface BookingStepToPlan {
  bookingId: string;
  /** The trip that the caller expects the booking to belong to. */
  tripId?: string;
  action(bookingId: Hex): BookingAction;
  /** Fills in members that are computed only for a new step. */
  complete?(trip: Trip | undefined): Promise<BookingAction>;
  isSame?: IsSameStep;
}

/** The step itself judges the booking again under the lock of its trip. */
export const plannedTrips = new PlanReads<BookedTrip>();

/** Plans the next step of a booking. */
export function planBookingStep(ports: PlanPorts, asked: BookingStepToPlan): Promise<CallPlan> {
  return planOrRefusal(async () => {
    const { stores, chain, clock, caller, escrowAddress } = ports;
    const { tenantId, environment } = caller;
    await checkEscrow({ chain, stores }, { tenantId, escrowAddress, bookingId: asked.bookingId });
    const bookingId = readHash(asked.bookingId);
    const tripId = asked.tripId === undefined ? undefined : readHash(asked.tripId);
    if (bookingId === undefined || (asked.tripId !== undefined && tripId === undefined)) {
      throw escrowFailure("booking_not_found");
    }
    const { trip, booking } = await plannedTrips.read(caller, bookingId, () =>
      requireBooking(stores, environment, { tenantId, bookingId, tripId }),
    );
    const action = asked.action(bookingId);
    const asPlanned = toStep(action);
    const known = await findSameStep(stores, booking, asPlanned, asked.isSame ?? sameAs(action));
    if (known !== undefined) return typeof asPlanned.plan === "object" ? asPlanned.plan : EMPTY_PLAN;
    requireState(booking, asPlanned);
    const completed = await asked.complete?.(trip);
    const step = completed === undefined ? asPlanned : toStep(completed);
    const context = { booking, trip, clock };
    const covered = await requireBookingStep(stores, step, context);
    const plan = typeof step.plan === "function" ? await step.plan({ ...context, covered }, stores) : step.plan;
    return forTakingSteps(ports, trip, plan ?? EMPTY_PLAN);
  });
}

/** Plans a reservation in a trip's budget. */
export function planReservation(
  ports: PlanPorts,
  asked: { tripId: string; amount: Micro; bookingId: Hex | undefined },
): Promise<CallPlan> {
  return planOrRefusal(async () => {
    const { stores, chain, caller, clock, escrowAddress } = ports;
    const { amount, bookingId } = asked;
    await checkEscrow({ chain, stores }, { tenantId: caller.tenantId, escrowAddress, tripId: asked.tripId });
    const trip = await requireTrip(ports, asked.tripId);
    const { tripId } = trip;
    const existing = bookingId && (await stores.escrowBookings.find(caller.tenantId, caller.environment, bookingId));
    const known = await findReservation(stores, existing, { tripId, amount });
    const plan = planReserving(amount, tripId);
    if (known !== undefined) return plan;
    requireRoom(trip, amount, clock);
    return forTakingSteps(ports, trip, plan);
  });
}

/** Plans a step of a trip as a whole. */
export function planTripStep(ports: PlanPorts, named: string, action: TripAction): Promise<CallPlan> {
  return planOrRefusal(async () => {
    const { stores, clock } = ports;
    const trip = await requireTrip(ports, named);
    const step = toStep(action);
    const plan = step.plan?.(trip) ?? EMPTY_PLAN;
    if (step.takes === undefined) {
      if (trip.state === "closed") return EMPTY_PLAN;
      if (trip.pending?.step === step.storedAs) return plan;
    }
    await requireTripStep(stores, { clock }, trip, step);
    return forTakingSteps(ports, trip, plan);
  });
}

/** Adds whether the trip takes new steps now, which the statement that stores a step finds out by itself. */
export function forTakingSteps(
  { stores, chain }: { stores: Pick<Stores, "boundChains" | "furtherEscrows">; chain: Chain },
  trip: Trip | undefined,
  plan: CallPlan,
): CallPlan {
  return trip === undefined ? plan : { ...plan, requireNow: () => requireTakingSteps({ stores, chain }, trip) };
}

async function requireTrip({ stores, caller }: Pick<PlanPorts, "stores" | "caller">, named: string): Promise<Trip> {
  const tripId = readHash(named);
  const trip = tripId && (await stores.trips.find(caller.tenantId, caller.environment, tripId));
  if (trip === undefined) throw escrowFailure("trip_not_found");
  return trip;
}
