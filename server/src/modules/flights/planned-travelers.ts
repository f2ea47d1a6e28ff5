import type { Caller } from "../../kernel/tool.ts";
import type { SeenOffer } from "../bookings/index.ts";
import { findOwnCustomer, leadOf, type Travelers } from "../travelers/index.ts";

/** Who would travel on an offer, as `book_flight` finds them. Undefined: one is nobody's user, or nobody knows for how many it is. */
export async function plannedTravelers(
  { travelers, caller }: { travelers: Travelers; caller: Caller },
  customerUserIds: readonly string[],
  seen: SeenOffer | undefined,
): Promise<readonly string[] | undefined> {
  const found = await Promise.all(customerUserIds.map((id) => findOwnCustomer(travelers, caller, id)));
  const named = found.filter((userId) => userId !== undefined);
  if (named.length < found.length || seen?.kind !== "flight" || seen.passengers === null) return undefined;
  return named.length === seen.passengers ? named : [leadOf(caller), ...named];
}
