import { type ReservationEnd, StepFailure } from "../kernel/contracts/workflow.ts";
import type { Steps } from "./tools.ts";

/** The chain's clock is ahead of ours, or the tenant's limits let the run cancel a booking and not release it. */
const NOT_RELEASED: ReadonlySet<string> = new Set(["trip_expired", "trip_closed", "spend_limit_exceeded"]);

/** What a run had reserved goes back to its trip, so that the run can be started again; in runs of earlier versions to the wallet. */
export async function endReservation(
  { call }: Steps,
  reservation: { tripId: string; bookingId: string },
  { isReturned }: { isReturned: boolean },
): Promise<ReservationEnd | undefined> {
  const { tripId, bookingId } = reservation;
  const named = { ...reservation, reason: "duffel_failed" as const };
  if (!isReturned) {
    await call("cancel_booking", named);
    return undefined;
  }
  try {
    const { returnedTo, returnedUsdc, freeUsdc, walletBecause, next } = await call("release_reservation", named);
    return { bookingId, returnedTo, returnedUsdc, tripFreeUsdc: freeUsdc, walletBecause, next };
  } catch (error) {
    if (!(error instanceof StepFailure) || !NOT_RELEASED.has(error.code)) throw error;
    const { refundedUsdc } = await call("cancel_booking", named);
    const { freeUsdc } = await call("read_trip", { tripId });
    return {
      bookingId,
      returnedTo: "wallet",
      returnedUsdc: refundedUsdc,
      tripFreeUsdc: freeUsdc,
      walletBecause: error.code,
      next: `The money went to your wallet. ${error.message}`,
    };
  }
}
