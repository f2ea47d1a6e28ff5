import type { Caller } from "../../kernel/tool.ts";
import type { ChangeOffer, OrderChange } from "../../ports/flight-servicing.ts";
import { type SeenFlight, type SeenOffers, seenCarriers, seenLegs } from "../bookings/index.ts";

/** Keeps what an order would be after each of these changes: its new flights, and the price of all of it. */
export async function seeChangeOffers(
  seenOffers: SeenOffers,
  caller: Caller,
  offers: readonly ChangeOffer[],
): Promise<void> {
  const seen = offers.map(({ id, newTotalAmount, newTotalCurrency, slices: { add } }) => {
    const offer: SeenFlight = {
      ...{ kind: "flight", searchId: null, totalAmount: newTotalAmount, totalCurrency: newTotalCurrency },
      ...{ passengers: null, refundable: null, changeable: null, fareBrands: null, emissionsKgPerPassenger: null },
      carriers: seenCarriers(add),
      legs: seenLegs(add),
    };
    return { id, offer };
  });
  await seenOffers.remember(caller, seen);
}

/** The change that was made of an offer is what the offer was, at the price that it has now. */
export async function seeChange(
  seenOffers: SeenOffers,
  caller: Caller,
  changeOfferId: string,
  { id, newTotalAmount: totalAmount, newTotalCurrency: totalCurrency }: OrderChange,
): Promise<void> {
  const offer = await seenOffers.find(caller, changeOfferId);
  if (offer !== undefined) await seenOffers.remember(caller, [{ id, offer: { ...offer, totalAmount, totalCurrency } }]);
}
