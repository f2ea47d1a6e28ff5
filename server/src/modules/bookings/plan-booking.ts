import { EMPTY_PLAN, final, type Plan } from "../../kernel/plan.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Caller } from "../../kernel/tool.ts";
import type { Booking } from "./bookings.ts";

/** What it moves to book an offer or a quote. Its price is the supplier's to say, and asked for when the call runs. */
export async function planBooking(
  { stores, caller }: { stores: Pick<Stores, "bookings">; caller: Caller },
  kind: Booking["kind"],
  offerId: string,
): Promise<Plan> {
  const live = await stores.bookings.findLive(caller.tenantId, caller.environment, offerId);
  // An earlier call has booked it, or is booking it: nothing is paid twice.
  if (live?.kind === kind) return EMPTY_PLAN;
  return {
    movements: [{ token: "USDC", amount: undefined, from: "treasury", to: "collection" }],
    irreversible: [final("the order at the supplier, but for what its conditions give back")],
  };
}
