import { EMPTY_PLAN, type Plan } from "../../kernel/plan.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Caller } from "../../kernel/tool.ts";
import type { Booking } from "./bookings.ts";
import { toPurchase, unknownPurchase } from "./bought.ts";
import { sayUndo } from "./say-undo.ts";
import type { SeenOffer } from "./seen-offers.ts";

export interface PlannedBooking {
  kind: Booking["kind"];
  /** Of the offer or the quote. */
  id: string;
  /** Undefined: not everybody is a user of the tenant's. `seen`: what the tenant was shown, where it was shown anything. */
  travelerIds(seen: SeenOffer | undefined): Promise<readonly string[] | undefined>;
  /** Of an airport, by its code. */
  timeZoneOf?(airport: string): string | undefined;
  /** True: something else pays a part of it. */
  isPaidInPart?: boolean;
  /** True: something is bought with it whose price the records do not say. */
  hasMore?: boolean;
}

/** What it moves to book an offer or a quote. Its price is the supplier's to say, and asked for when the call runs. */
export async function planBooking(
  { stores, caller }: { stores: Pick<Stores, "bookings" | "seenOffers">; caller: Caller },
  { kind, id, travelerIds, timeZoneOf, isPaidInPart = false, hasMore = false }: PlannedBooking,
): Promise<Plan> {
  const live = await stores.bookings.findLive(caller.tenantId, caller.environment, id);
  // An earlier call has booked it, or is booking it: nothing is paid twice.
  if (live?.kind === kind) return EMPTY_PLAN;
  const found = await stores.seenOffers.find(caller, id);
  const seen = found?.kind === kind ? found : undefined;
  const bought =
    seen === undefined
      ? unknownPurchase(kind, await travelerIds(undefined))
      : toPurchase(seen, await travelerIds(seen), await comparablesOf(stores, caller, seen));
  return {
    movements: [
      {
        ...{ token: "USDC", amount: undefined, from: "treasury", to: "collection" },
        expected: hasMore || isPaidInPart ? undefined : bought.price,
      },
    ],
    irreversible: sayUndo(seen, timeZoneOf),
    bought: hasMore ? { ...bought, price: undefined } : bought,
  };
}

async function comparablesOf({ seenOffers }: Pick<Stores, "seenOffers">, caller: Caller, seen: SeenOffer) {
  if (seen.kind !== "flight" || seen.searchId === null) return undefined;
  return await seenOffers.comparables(caller, seen.searchId);
}
