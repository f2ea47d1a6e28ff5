import { invalidInput } from "../../../domain/errors.ts";
import type { Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { CallPlan } from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { isServiceContract, requireUnblocked } from "../../treasury/index.ts";
import type { Trip } from "../../trips/index.ts";
import { requireHash } from "../input.ts";
import { warnOfExpiry, warnOfPaidOrder } from "../orders/order-warnings.ts";
import { type PlanPorts, planBookingStep, plannedTrips } from "../step-machine/plan-step.ts";
import {
  findSameStep,
  type IsSameStep,
  requireBooking,
  requireState,
  takeBookingStep,
} from "../step-machine/take-booking-step.ts";
import { type Asking, awaitAnswer, type StepAnswer, type StepPorts } from "../step-machine/take-step.ts";
import { commitStep, plannedOrders } from "../steps/commit.ts";

interface CommittedAmounts {
  vendorAmount: Micro;
  markup: Micro;
  serviceFee: Micro;
}

interface CommitRequest extends Asking {
  caller: Caller;
  bookingId: Hex;
  vendor: Hex;
  itineraryHash: Hex;
  itineraryCid: string | undefined;
  /** Called only for a new commit: a price, once fixed, does not change. */
  price(): Promise<CommittedAmounts & { pricing?: Readonly<Record<string, unknown>>; answer: object }>;
  isSame: IsSameStep;
}

/** Runs all checks that precede the price; changes nothing. `known` is the same commit, finished or in progress. */
export async function checkCommit(
  { stores, chain }: Pick<StepPorts, "stores" | "chain">,
  { caller, bookingId, vendor, isSame }: Pick<CommitRequest, "caller" | "bookingId" | "vendor" | "isSame">,
) {
  const { booking, trip } = await plannedTrips.take(caller, bookingId, () =>
    requireBooking(stores, chain.environment, { tenantId: caller.tenantId, bookingId }),
  );
  const known = await findSameStep(stores, booking, commitStep, isSame);
  if (known !== undefined) return { booking, known };
  requireState(booking, commitStep);
  await requireVendor({ chain, stores }, trip, vendor);
  await requireUnblocked(chain, "USDC", vendor);
  return { booking, trip };
}

/** Reserved → committed, with the caller's amounts. Throws a Failure with a code of `commitStepErrors`. */
export async function commitBooking(ports: StepPorts, request: CommitRequest): Promise<StepAnswer> {
  const { stores } = ports;
  const { caller, callId, bookingId, vendor, itineraryHash, itineraryCid, isSame, waitMilliseconds } = request;
  // Before the price: a markup error would be misleading for a booking that can no longer be priced.
  const { booking, known, trip } = await checkCommit(ports, request);
  if (known !== undefined) return await awaitAnswer(ports, known, request);
  const { vendorAmount, markup, serviceFee, pricing, answer } = await request.price();
  const order = await plannedOrders.take(booking, itineraryHash, () =>
    stores.orders.findByItinerary(caller.tenantId, booking.environment, itineraryHash),
  );
  const warnings = [...(await warnOfPaidOrder(stores, booking, { vendor, order })), ...warnOfExpiry(trip, order)];
  return await takeBookingStep(ports, {
    tenantId: caller.tenantId,
    callId,
    action: { name: "commit", bookingId, vendor, vendorAmount, markup, serviceFee, itineraryHash },
    details: {
      ...(itineraryCid === undefined ? {} : { itineraryCid }),
      ...(pricing === undefined ? {} : { pricing }),
    },
    result: ({ tripId }) => ({ bookingId, tripId, state: "committed", vendorAddress: vendor, warnings, ...answer }),
    isSame,
    waitMilliseconds,
  });
}

/** `price` is called only for a new commit. */
export function planCommit(
  ports: PlanPorts,
  { bookingId, isSame, ...bought }: Pick<CommitRequest, "vendor" | "itineraryHash" | "isSame"> & { bookingId: string },
  price: () => Promise<CommittedAmounts>,
): Promise<CallPlan> {
  const unpriced = (id: Hex) =>
    ({ name: "commit", bookingId: id, ...bought, vendorAmount: 0n, markup: 0n, serviceFee: 0n }) as const;
  return planBookingStep(ports, {
    bookingId,
    isSame,
    action: unpriced,
    async complete(trip) {
      await requireVendor(ports, trip, bought.vendor);
      const { vendorAmount, markup, serviceFee } = await price();
      return { ...unpriced(requireHash(bookingId)), vendorAmount, markup, serviceFee };
    },
  });
}

/** Requires a vendor that can be paid and is not the payer. */
async function requireVendor(
  sources: Pick<StepPorts, "chain" | "stores">,
  trip: Pick<Trip, "funder"> | undefined,
  vendor: Hex,
): Promise<void> {
  if (vendor !== trip?.funder && !(await isServiceContract(sources, vendor))) return;
  const message = "is not a vendor: it is your own wallet or one of the network's contracts";
  throw invalidInput([{ path: "vendorAddress", message }]);
}
