import { invalidState, notFound } from "../http/errors.ts";
import type { Fault, Sandbox } from "../sandbox.ts";
import type { FoundOffer, OfferStore } from "./store.ts";

export const PRICE_RISE_PERMILLE = 1070;

/** An offer that can still be ordered, after what the fault does to it. */
export async function openOffer(
  sandbox: Sandbox,
  offers: OfferStore,
  id: string,
  fault: Fault | undefined,
): Promise<FoundOffer> {
  const found = await offers.find(id);
  if (found === undefined) throw notFound();
  const ends = fault?.kind === "offer_expired" || fault?.kind === "sold_out";
  if (ends) await offers.withdraw(sandbox.db, id);
  if (found.gone || ends || found.offer.expiresAtMs <= sandbox.clock.nowMs()) {
    throw invalidState(
      "offer_no_longer_available",
      "Please select another offer, or create a new offer request to get the latest availability.",
    );
  }
  if (fault?.kind !== "price_changed") return found;
  await offers.raisePrice(sandbox.db, id, PRICE_RISE_PERMILLE);
  return (await offers.find(id)) ?? found;
}
