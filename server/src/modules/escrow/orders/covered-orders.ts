import { invalidInput } from "../../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { Booking } from "../../bookings/index.ts";
import type { EscrowBooking } from "../../trips/index.ts";
import type { Aggregates } from "../context.ts";
import { escrowFailure } from "../errors.ts";
import type { BookingStep } from "../steps/step.ts";

type Reservation = Pick<EscrowBooking, "tenantId" | "environment" | "bookingId">;

/** The booking that a reservation pays for in place of the wallet. Undefined if there is none; only runs have them. */
export function findCoveredBooking(
  { bookings }: Pick<Aggregates, "bookings">,
  { tenantId, environment, bookingId }: Reservation,
): Promise<Booking | undefined> {
  return bookings.findCovered(tenantId, environment, bookingId);
}

/**
 * A reservation that pays for an order is the operator's security. While the order is being booked, it cannot change;
 * afterwards it can be cancelled, as the wallet then pays, or committed to this service for the order, for at least the
 * order's cost. Returns that order's booking, if the step has such rules.
 */
export async function requireCovering(
  aggregates: Pick<Aggregates, "bookings" | "wallets">,
  reservation: Reservation & ChainKey,
  { coverRules }: Pick<BookingStep, "coverRules">,
): Promise<Booking | undefined> {
  if (coverRules === undefined) return undefined;
  const booking = await findCoveredBooking(aggregates, reservation);
  if (booking === undefined) return undefined;
  if (booking.state !== "booked") throw escrowFailure("booking_in_progress");
  if (coverRules.require !== undefined && booking.cover !== 0n) {
    const { address } = await aggregates.wallets.ensure(reservation, "collection");
    coverRules.require(booking, address);
  }
  return booking;
}

/** Throws if a commit is not for the order that the reservation pays for. */
export function requireSameOrder(
  { orderId, itineraryHash, cover }: Booking,
  collectionAddress: Hex,
  terms: { vendor: Hex; itineraryHash: Hex; vendorAmount: Micro },
): void {
  const order = `the order ${orderId}, which this reservation pays for`;
  const wrong = [
    ...(terms.vendor === collectionAddress
      ? []
      : [{ path: "vendorAddress", message: `must be ${collectionAddress}, for ${order}` }]),
    ...(terms.itineraryHash === itineraryHash
      ? []
      : [{ path: "itineraryHash", message: `must be ${itineraryHash}, that of ${order}` }]),
    ...(terms.vendorAmount >= cover
      ? []
      : [{ path: "vendorAmountUsdc", message: `must be at least ${formatDecimal(cover)}, for ${order}` }]),
  ];
  if (wrong.length > 0) throw invalidInput(wrong);
}
