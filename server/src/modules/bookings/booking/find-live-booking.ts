import { PlanReads } from "../../../kernel/call/plan-reads.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Stores } from "../context.ts";
import type { Booking } from "./bookings.ts";

/** A booking stored since its plan was made is found when another one of its offer is stored. */
export const plannedBookings = new PlanReads<Booking | undefined>();

/** Returns the offer's booking that has not failed: the first time the one that the call's plan found. */
export function findLiveBooking(
  { bookings }: Pick<Stores, "bookings">,
  caller: Pick<Caller, "tenantId" | "environment">,
  offerId: string,
): Promise<Booking | undefined> {
  const { tenantId, environment } = caller;
  return plannedBookings.take(caller, offerId, () => bookings.findLive(tenantId, environment, offerId));
}
