import type { Hex } from "../../../domain/tokens.ts";
import type { EscrowBooking, Trip } from "../../trips/index.ts";
import type { Stores } from "../context.ts";

/** Warnings about an order for callers that commit or settle the booking that pays for it. */

/** If the wallet has already paid for the order, and this would pay somebody else for it, too. */
export async function warnOfPaidOrder(
  { orders, wallets }: Pick<Stores, "orders" | "wallets">,
  { tenantId, environment, chain }: Pick<EscrowBooking, "tenantId" | "environment" | "chain">,
  { vendor, itineraryHash }: { vendor: Hex; itineraryHash: Hex },
): Promise<string[]> {
  const order = await orders.findByItinerary(tenantId, environment, itineraryHash);
  if (order === undefined) return [];
  const { address } = await wallets.ensure({ environment, chain }, "collection");
  if (vendor === address) return [];
  return [
    `your wallet has paid the order of this itineraryHash, and settle_booking would pay this vendor besides; what it pays to ${address}, the order's vendorAddress, comes back to the wallet`,
  ];
}

/** If the trip expires before the flights, so that the booking may not be settled in time. */
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

/** Explains that the order is not paid twice, to a caller about to pay it from a trip's budget. */
export async function sayReturn(
  { bookings, orders, wallets }: Pick<Stores, "bookings" | "orders" | "wallets">,
  { tenantId, environment, chain, bookingId }: Pick<EscrowBooking, "tenantId" | "environment" | "chain" | "bookingId">,
  { vendor, itineraryHash }: { vendor: Hex; itineraryHash: Hex | undefined },
): Promise<string[]> {
  if ((await bookings.findCovered(tenantId, environment, bookingId)) !== undefined) return [];
  const order = itineraryHash && (await orders.findByItinerary(tenantId, environment, itineraryHash));
  if (order === undefined) return [];
  if (vendor !== (await wallets.ensure({ environment, chain }, "collection")).address) return [];
  return [
    `The order ${order.orderId} is not paid twice: the wallet has paid it, and what settle_booking pays for it comes back to the wallet, at most what it has paid (walletReturn there, settlement_return in list_movements).`,
  ];
}
