import type { Flights } from "../../ports/supplier/flights.ts";
import type { StayBookings } from "../../ports/supplier/stay-bookings.ts";
import type { Booking } from "../bookings/index.ts";

export interface ProofPorts {
  flights: Pick<Flights, "getOrder" | "findOrdersByBooking">;
  stayBookings: Pick<StayBookings, "findStaysByBooking">;
}

/**
 * Whether a look now, before the quiet time is over, decides an open booking as a later one would. A paid order with our booking
 * id is there to stay. Nothing found proves nothing, as the commit may still be on its way, unless the supplier has said that it
 * failed (`creationFailed`), and nothing is found. An order that the supplier holds unpaid is what was sent, if no payment was sent
 * with it or after it; any other unpaid order proves nothing, as its payment may be on its way.
 *
 * It looks just as the reconciler does afterwards (`modules/flights/ordering/booking-steps.ts`, `modules/stays/stay-booking-steps.ts`).
 */
export async function isDecided(
  { flights, stayBookings }: ProofPorts,
  booking: Booking,
  creationFailed: boolean,
): Promise<boolean> {
  if (booking.kind === "stay") {
    const found = await stayBookings.findStaysByBooking(booking.id, booking.createdAt);
    if (found.length === 0) return creationFailed && booking.state === "ordering";
    return found.some(({ status }) => status === "confirmed");
  }
  if (booking.orderId !== undefined) {
    const { paid, cancelled } = await flights.getOrder(booking.orderId);
    return paid && !cancelled;
  }
  const found = await flights.findOrdersByBooking(booking.offerId, booking.id);
  if (found.length === 0) return creationFailed && booking.state === "ordering";
  return found.some(({ paid, cancelled, paymentRequiredBy }) => {
    const isHold = paymentRequiredBy !== null && booking.state === "ordering" && booking.airlineCreditId === undefined;
    return !cancelled && (paid || isHold);
  });
}
