import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import { seenCarriers, seenLegs } from "../../domain/travel/seen-slices.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { ChangeOffer, OrderChange } from "../../ports/supplier/flight-servicing.ts";
import type { BookingRate, SeenFlight, SeenOffers } from "../bookings/index.ts";

/** Stores the order's state after each of these changes: its new flights and its total price. */
export async function seeChangeOffers(
  seenOffers: SeenOffers,
  caller: Caller,
  offers: readonly ChangeOffer[],
  order: Price & { orderId: string; rate: BookingRate },
): Promise<void> {
  const seen = offers.map((change) => {
    const { id, slices } = change;
    const offer: SeenFlight = {
      kind: "flight",
      searchId: null,
      ...totalAfter(order, change),
      passengers: null,
      refundable: null,
      changeable: null,
      fareBrands: null,
      emissionsKgPerPassenger: null,
      rate: order.rate,
      orderId: order.orderId,
      carriers: seenCarriers(slices.add),
      legs: seenLegs(slices.add),
    };
    return { id, offer };
  });
  await seenOffers.remember(caller, seen);
}

/** A change made from an offer has the offer's flights, at its own current price. */
export async function seeChange(
  seenOffers: SeenOffers,
  caller: Caller,
  changeOfferId: string,
  change: OrderChange,
  order: Price,
): Promise<void> {
  const offer = await seenOffers.find(caller, changeOfferId);
  if (offer !== undefined)
    await seenOffers.remember(caller, [{ id: change.id, offer: { ...offer, ...totalAfter(order, change) } }]);
}

type Price = Pick<SeenFlight, "totalAmount" | "totalCurrency">;
type Terms = Pick<OrderChange, "changeTotalAmount" | "changeTotalCurrency">;

/** For limits: the order's current price plus the difference and the airline's fee. */
function totalAfter({ totalAmount, totalCurrency }: Price, { changeTotalAmount, changeTotalCurrency }: Terms): Price {
  if (totalCurrency !== changeTotalCurrency) return { totalAmount, totalCurrency };
  const isLess = changeTotalAmount.startsWith("-");
  const difference = parseDecimal(changeTotalAmount.replace(/^-/, "")) ?? 0n;
  const now = parseDecimal(totalAmount) ?? 0n;
  const sum = isLess ? now - difference : now + difference;
  return { totalAmount: formatDecimal(sum < 0n ? 0n : sum), totalCurrency };
}
