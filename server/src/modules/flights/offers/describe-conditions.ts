import type { Condition, FlightOffer, Slice } from "../../../ports/supplier/flights.ts";
import { hasSeveralCabins, sayCabins } from "./cabins.ts";

/** The offer's conditions as sentences to read out to the traveler. */
export function describeConditions(offer: FlightOffer): string[] {
  const { refundBeforeDeparture, changeBeforeDeparture } = offer.conditions;
  return [
    describe("Refund", "refundable", refundBeforeDeparture) + sayForm(refundBeforeDeparture),
    describe("Change", "changeable", changeBeforeDeparture),
    ...offer.slices.flatMap(describeSlice),
    ...describeCabins(offer),
    describeHold(offer),
    `You can book the offer until ${offer.expiresAt}.`,
  ];
}

function describe(noun: string, adjective: string, condition: Condition | null): string {
  if (condition === null) return `${noun} before departure: the airline does not say.`;
  if (!condition.allowed) return `Not ${adjective} before departure.`;
  if (condition.penaltyAmount === null)
    return `${noun} before departure is allowed; the airline does not state the fee.`;
  if (Number(condition.penaltyAmount) === 0) return `${noun} before departure is free of charge.`;
  return `${noun} before departure costs ${condition.penaltyAmount} ${condition.penaltyCurrency ?? ""}`
    .trimEnd()
    .concat(".");
}

/** Airlines refund money or credit, and offers do not tell which: only the quote of a cancellation does. */
function sayForm(refund: Condition | null): string {
  if (refund?.allowed !== true) return "";
  const { penaltyAmount } = refund;
  const rest = penaltyAmount !== null && Number(penaltyAmount) > 0 ? "The rest of the price" : "What is refunded";
  return ` ${rest} comes back as money or airline credit: cancel_order_quote says which, once it is booked.`;
}

function describeSlice({ origin, destination, changeBeforeDeparture }: Slice): string[] {
  if (changeBeforeDeparture === null) return [];
  return [`${origin} to ${destination} alone: ${describe("Change", "changeable", changeBeforeDeparture)}`];
}

function describeCabins(offer: FlightOffer): string[] {
  const cabins = sayCabins(offer);
  return hasSeveralCabins(offer) ? [`Not all flights are in the same cabin. ${cabins.join("; ")}.`] : [];
}

function describeHold({ paymentRequirements }: FlightOffer): string {
  if (paymentRequirements.requiresInstantPayment) return "It must be paid for at booking; it cannot be held.";
  const { paymentRequiredBy, priceGuaranteeExpiresAt } = paymentRequirements;
  const until = paymentRequiredBy === null ? "" : ` until ${paymentRequiredBy}`;
  const price =
    priceGuaranteeExpiresAt === null
      ? "; its price may change"
      : `; its price is guaranteed until ${priceGuaranteeExpiresAt}`;
  return `The airline would hold it unpaid${until}${price}; book_flight still pays for it at once.`;
}
