import { z } from "zod";
import { type ReservationEnd, StepFailure, type Steps } from "../kernel/workflow.ts";

const Released = z.object({
  ...{ returnedTo: z.enum(["trip", "wallet"]), returnedUsdc: z.string(), freeUsdc: z.string() },
  ...{ walletBecause: z.string().nullable(), next: z.string() },
});
const Cancelled = z.object({ refundedUsdc: z.string() });
const Trip = z.object({ freeUsdc: z.string() });
/** The chain's clock is ahead of ours, or the tenant's limits let the run cancel a booking and not release it. */
const NOT_RELEASED: ReadonlySet<string> = new Set(["trip_expired", "trip_closed", "spend_limit_exceeded"]);

/** What a run had reserved goes back to its trip, so that the run can be started again; in runs of earlier versions to the wallet. */
export async function endReservation(
  { call }: Steps,
  reservation: { tripId: string; bookingId: string },
  { isReturned }: { isReturned: boolean },
): Promise<ReservationEnd | undefined> {
  const { tripId, bookingId } = reservation;
  const named = { ...reservation, reason: "duffel_failed" };
  if (!isReturned) {
    await call("cancel_booking", named, z.unknown());
    return undefined;
  }
  try {
    const { freeUsdc, ...released } = await call("release_reservation", named, Released);
    return { bookingId, ...released, tripFreeUsdc: freeUsdc };
  } catch (error) {
    if (!(error instanceof StepFailure) || !NOT_RELEASED.has(error.code)) throw error;
    const { refundedUsdc } = await call("cancel_booking", named, Cancelled);
    const { freeUsdc } = await call("read_trip", { tripId }, Trip);
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
