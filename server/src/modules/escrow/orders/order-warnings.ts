import type { Hex } from "../../../domain/tokens.ts";
import type { EscrowBooking, Trip } from "../../trips/index.ts";
import type { Stores } from "../context.ts";

/** What who commits or settles a booking should know of the order that it pays for. */

/** Where the wallet has paid the order already, and this would pay somebody else for it as well. */
export async function warnOfPaidOrder(
  { orders, wallets }: Pick<Stores, "orders" | "wallets">,
  { tenantId, environment }: Pick<EscrowBooking, "tenantId" | "environment">,
  { vendor, itineraryHash }: { vendor: Hex; itineraryHash: Hex },
): Promise<string[]> {
  const order = await orders.findByItinerary(tenantId, environment, itineraryHash);
  if (order === undefined) return [];
  const { address } = await wallets.ensure(environment, "collection");
  if (vendor === address) return [];
  return [
    `your wallet has paid the order of this itineraryHash, and settle_booking would pay this vendor besides; what it pays to ${address}, the order's vendorAddress, comes back to the wallet`,
  ];
}

/** Where the trip ends before the flights begin, and the booking may not be settled by then. */
export async function warnOfExpiry(
  { orders }: Pick<Stores, "orders">,
  trip: Pick<Trip, "tenantId" | "environment" | "expiresAt"> | undefined,
  { itineraryHash }: { itineraryHash: Hex },
): Promise<string[]> {
  const order = trip && (await orders.findByItinerary(trip.tenantId, trip.environment, itineraryHash));
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
  { tenantId, environment, bookingId }: Pick<EscrowBooking, "tenantId" | "environment" | "bookingId">,
  { vendor, itineraryHash }: { vendor: Hex; itineraryHash: Hex | undefined },
): Promise<string[]> {
  if ((await bookings.findCovered(tenantId, environment, bookingId)) !== undefined) return [];
  const order = itineraryHash && (await orders.findByItinerary(tenantId, environment, itineraryHash));
  if (order === undefined || vendor !== (await wallets.ensure(environment, "collection")).address) return [];
  return [
    `The order ${order.orderId} is not paid twice: the wallet has paid it, and what settle_booking pays for it comes back to the wallet, at most what it has paid (walletReturn there, settlement_return in list_movements).`,
  ];
}
