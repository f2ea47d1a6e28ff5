import { invalidInput } from "../../domain/errors.ts";
import { formatDecimal } from "../../domain/money.ts";
import type { Aggregates } from "../../kernel/stores.ts";
import type { Booking } from "../bookings/index.ts";
import { escrowFailure } from "./errors.ts";
import type { EscrowAction } from "./escrow-action.ts";
import type { EscrowBooking } from "./escrow-bookings.ts";

type Reservation = Pick<EscrowBooking, "tenantId" | "network" | "bookingId">;

/** Steps that change what a reservation pays. */
const CONCERNED: ReadonlySet<EscrowAction["name"]> = new Set(["commit", "cancel", "return", "release_booking"]);

/** What a reservation pays for in place of the wallet. Undefined: nothing, as nothing outside of a run lets it. */
export function findCoveredBooking(
  { bookings }: Pick<Aggregates, "bookings">,
  { tenantId, network, bookingId }: Reservation,
): Promise<Booking | undefined> {
  return bookings.findCovered(tenantId, network, bookingId);
}

/**
 * A reservation that pays for an order is the operator's security. While the order is being booked, nothing becomes of it; afterwards it
 * can be cancelled, as the wallet then pays, and be committed to this service for the order, for at least what that costs.
 */
export async function requireCovering(
  aggregates: Pick<Aggregates, "bookings" | "wallets">,
  reservation: Reservation,
  action: EscrowAction,
): Promise<void> {
  if (!CONCERNED.has(action.name)) return;
  const booking = await findCoveredBooking(aggregates, reservation);
  if (booking === undefined) return;
  if (booking.state !== "booked") throw escrowFailure("booking_in_progress");
  if (action.name !== "commit" || booking.cover === 0n) return;
  const { address } = await aggregates.wallets.ensure(reservation.network, "collection");
  const order = `the order ${booking.orderId}, which this reservation pays for`;
  const wrong = [
    ...(action.vendor === address ? [] : [{ path: "vendorAddress", message: `must be ${address}, for ${order}` }]),
    ...(action.itineraryHash === booking.itineraryHash
      ? []
      : [{ path: "itineraryHash", message: `must be ${booking.itineraryHash}, that of ${order}` }]),
    ...(action.vendorAmount >= booking.cover
      ? []
      : [{ path: "vendorAmountUsdc", message: `must be at least ${formatDecimal(booking.cover)}, for ${order}` }]),
  ];
  if (wrong.length > 0) throw invalidInput(wrong);
}
