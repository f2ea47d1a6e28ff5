import type { Hex } from "../../../domain/tokens.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { OrderRecord } from "../../orders/index.ts";
import type { Trip } from "../../trips/index.ts";
import type { Stores } from "../context.ts";

/** Warnings about an order for callers that commit or settle the booking that pays for it. */

interface Bought {
  vendor: Hex;
  /** Undefined if what is bought is none of ours. */
  order: OrderRecord | undefined;
}

/** If the wallet has already paid for the order, and this would pay somebody else for it, too. */
export async function warnOfPaidOrder(
  { wallets }: Pick<Stores, "wallets">,
  chain: ChainKey,
  { vendor, order }: Bought,
): Promise<string[]> {
  if (order === undefined) return [];
  const { address } = await wallets.ensure(chain, "collection");
  if (vendor === address) return [];
  return [
    `your wallet has paid the order of this itineraryHash, and settle_booking would pay this vendor besides; whatever it pays to ${address}, the order's vendorAddress, returns to the wallet`,
  ];
}

/** If the trip expires before the flights, so that the booking may not be settled in time. */
export function warnOfExpiry(trip: Pick<Trip, "expiresAt"> | undefined, order: OrderRecord | undefined): string[] {
  const departingAt = order?.slices[0]?.segments[0]?.departingAt;
  if (trip === undefined || !departingAt) return [];
  const expiresOn = trip.expiresAt.toZonedDateTimeISO("UTC").toPlainDate();
  if (Temporal.PlainDate.compare(expiresOn, Temporal.PlainDate.from(departingAt.slice(0, 10))) >= 0) return [];
  return [
    `the trip expires on ${trip.expiresAt.toString()}, before the flight leaves (${departingAt}): settle the booking before that, and reserve for later costs of the journey in a trip with more expiresInDays`,
  ];
}

/** Explains that the order is not paid twice, to a caller about to pay it from a trip's budget and not as a run's cover. */
export async function sayReturn(
  { wallets }: Pick<Stores, "wallets">,
  chain: ChainKey,
  { vendor, order }: Bought,
): Promise<string[]> {
  if (order === undefined) return [];
  if (vendor !== (await wallets.ensure(chain, "collection")).address) return [];
  return [
    `The order ${order.orderId} is not paid twice: the wallet has paid it, and what settle_booking pays for it returns to the wallet, up to what the wallet has paid (walletReturn there, settlement_return in list_movements).`,
  ];
}
