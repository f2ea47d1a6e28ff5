import { invalidInput } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Chain } from "../../ports/chain.ts";
import { isNetworkContract, requireUnblocked } from "../treasury/index.ts";
import { findSameStep, type IsSameStep, requireBooking, requireState, takeBookingStep } from "./booking-steps.ts";
import type { EscrowBooking } from "./escrow-bookings.ts";
import { type Asking, answerOf, type StepAnswer, type StepPorts } from "./steps.ts";
import type { Trip } from "./trips.ts";

export interface CommittedAmounts {
  vendorAmount: Micro;
  markup: Micro;
  serviceFee: Micro;
}

export interface CommitRequest extends Asking {
  tenantId: string;
  bookingId: Hex;
  vendor: Hex;
  itineraryHash: Hex;
  itineraryCid: string | undefined;
  /** Asked only for a commit that is not known yet: what was priced once stays as it is. */
  price(): Promise<CommittedAmounts & { pricing?: Readonly<Record<string, unknown>>; answer: object }>;
  isSame: IsSameStep;
}

/**
 * Everything that can be refused before the price is looked at; it changes nothing. `known`: the same commit, made before or under way.
 */
export async function checkCommit(
  { stores, chain }: Pick<StepPorts, "stores" | "chain">,
  { tenantId, bookingId, vendor, isSame }: Pick<CommitRequest, "tenantId" | "bookingId" | "vendor" | "isSame">,
) {
  const booking = await requireBooking(stores, chain.network, { tenantId, bookingId });
  const known = await findSameStep(stores, booking, "commit", isSame);
  if (known !== undefined) return { booking, known };
  requireState(booking, "commit");
  const trip = await stores.trips.get(chain.network, booking.tripId);
  requireVendor(chain, trip, vendor);
  await requireUnblocked(chain, "USDC", vendor);
  return { booking, trip };
}

/** Reserved → committed, whoever fixes the amounts. Throws Failure with a code of `commitStepErrors`. */
export async function commitBooking(ports: StepPorts, request: CommitRequest): Promise<StepAnswer> {
  const { stores } = ports;
  const { tenantId, callId, bookingId, vendor, itineraryHash, itineraryCid, isSame, waitMilliseconds } = request;
  // Before the price: nobody should mend a markup for a booking that takes no price any more.
  const { booking, known, trip } = await checkCommit(ports, request);
  if (known !== undefined) return await answerOf(ports, known, request);
  const { vendorAmount, markup, serviceFee, pricing, answer } = await request.price();
  const bought = { vendor, itineraryHash };
  const warnings = [...(await warnOfPaidOrder(stores, booking, bought)), ...(await warnOfExpiry(stores, trip, bought))];
  return await takeBookingStep(ports, {
    tenantId,
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

/** Where the wallet has paid the order already, and this would pay somebody else for it as well. */
export async function warnOfPaidOrder(
  { orders, wallets }: Pick<Stores, "orders" | "wallets">,
  { tenantId, network }: Pick<EscrowBooking, "tenantId" | "network">,
  { vendor, itineraryHash }: { vendor: Hex; itineraryHash: Hex },
): Promise<string[]> {
  const order = await orders.findByItinerary(tenantId, network, itineraryHash);
  if (order === undefined) return [];
  const { address } = await wallets.ensure(network, "collection");
  if (vendor === address) return [];
  return [
    `your wallet has paid the order of this itineraryHash, and settle_booking would pay this vendor besides; what it pays to ${address}, the order's vendorAddress, comes back to the wallet`,
  ];
}

/** Where the trip ends before the flights begin, and the booking may not be settled by then. */
export async function warnOfExpiry(
  { orders }: Pick<Stores, "orders">,
  trip: Pick<Trip, "tenantId" | "network" | "expiresAt"> | undefined,
  { itineraryHash }: { itineraryHash: Hex },
): Promise<string[]> {
  const order = trip && (await orders.findByItinerary(trip.tenantId, trip.network, itineraryHash));
  const departingAt = order?.slices[0]?.segments[0]?.departingAt;
  if (trip === undefined || !departingAt) return [];
  const expiresOn = trip.expiresAt.toZonedDateTimeISO("UTC").toPlainDate();
  if (Temporal.PlainDate.compare(expiresOn, Temporal.PlainDate.from(departingAt.slice(0, 10))) >= 0) return [];
  return [
    `the trip expires on ${trip.expiresAt.toString()}, before the flight leaves (${departingAt}): settle the booking before that, and reserve for later costs of the journey in a trip with more expiresInDays`,
  ];
}

/** That the order is not paid twice, for who is about to pay it out of a trip's budget. */
export async function sayReturn(
  { bookings, orders, wallets }: Pick<Stores, "bookings" | "orders" | "wallets">,
  { tenantId, network, bookingId }: Pick<EscrowBooking, "tenantId" | "network" | "bookingId">,
  { vendor, itineraryHash }: { vendor: Hex; itineraryHash: Hex | undefined },
): Promise<string[]> {
  if ((await bookings.findCovered(tenantId, network, bookingId)) !== undefined) return [];
  const order = itineraryHash && (await orders.findByItinerary(tenantId, network, itineraryHash));
  if (order === undefined || vendor !== (await wallets.ensure(network, "collection")).address) return [];
  return [
    `The order ${order.orderId} is not paid twice: the wallet has paid it, and what settle_booking pays for it comes back to the wallet, at most what it has paid (walletReturn there, settlement_return in list_movements).`,
  ];
}

/** Somebody who can be paid, and who is not the one who pays. */
export function requireVendor(chain: Chain, trip: Pick<Trip, "funder"> | undefined, vendor: Hex): void {
  if (vendor !== trip?.funder && !isNetworkContract(chain, vendor)) return;
  const message = "is no vendor: it is your own wallet or one of the network's contracts";
  throw invalidInput([{ path: "vendorAddress", message }]);
}
