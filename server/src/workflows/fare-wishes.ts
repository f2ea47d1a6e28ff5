import { z } from "zod";
import { formatDecimal, parseDecimal } from "../domain/money.ts";
import { DecimalAmount } from "../domain/schemas.ts";
import { costInUsdc } from "./budget.ts";
import type { Answer } from "./tools.ts";

/** Wishes that every offer of a run must fulfil; the policy judges what is left. */
export const FareWishes = z
  .strictObject({
    refundable: z
      .literal(true)
      .optional()
      .describe("Only fares that can be refunded before departure, possibly for a fee"),
    fullyRefundable: z
      .literal(true)
      .optional()
      .describe("Only fares that the airline refunds before departure without a fee"),
    changeable: z
      .literal(true)
      .optional()
      .describe("Only fares that can be changed before departure, possibly for a fee"),
    checkedBags: z.int().min(1).max(3).optional().describe("Checked bags in the fare, for each passenger"),
    mostUsdc: DecimalAmount.optional().describe("Highest price of all passengers together"),
  })
  .describe("Default: the cheapest fare that the policy allows");
type FareWishes = z.output<typeof FareWishes>;

type FoundOffer = Answer<"search_flights">["offers"][number];
/** An offer, or another fare of its flights. */
export type Offer = Omit<FoundOffer, "fares" | "conditions"> & {
  conditions?: FoundOffer["conditions"] | undefined;
};
type Fare = FoundOffer["fares"][number];

/** Fares of the same flights and cabin that are refundable or changeable where the offer is not. */
export function betterFares({ fares, ...offer }: FoundOffer): { offer: Offer; terms: object }[] {
  const { refundBeforeDeparture, changeBeforeDeparture } = offer.conditions;
  return fares
    .filter(
      ({ refundable, changeable, cabinClass }) =>
        cabinClass === undefined &&
        ((refundable === true && refundBeforeDeparture?.allowed !== true) ||
          (changeable === true && changeBeforeDeparture?.allowed !== true)),
    )
    .map((fare) => asOffer(offer, fare));
}

/** The offer and the other fares of its flights and cabin that fulfil the wishes, cheapest first. */
export function wishedFares(wishes: FareWishes) {
  return ({ fares, ...offer }: FoundOffer): { offer: Offer; terms?: object }[] => {
    const { refundBeforeDeparture, changeBeforeDeparture } = offer.conditions;
    const own = {
      refundable: refundBeforeDeparture?.allowed ?? null,
      changeable: changeBeforeDeparture?.allowed ?? null,
      refundPenaltyAmount: refundBeforeDeparture?.penaltyAmount ?? null,
      checkedBags: offer.checkedBags,
    };
    const others = fares.filter(({ cabinClass }) => cabinClass === undefined);
    return [
      ...(isAsWished(wishes, own, offer) ? [{ offer }] : []),
      ...others
        .map((fare) => ({ fare, ...asOffer(offer, fare) }))
        .filter((one) => isAsWished(wishes, one.fare, one.offer))
        .map(({ offer: other, terms }) => ({ offer: other, terms })),
    ];
  };
}

/** A term that the airline did not state counts as not fulfilled. */
function isAsWished(
  { refundable, fullyRefundable, changeable, checkedBags = 0, mostUsdc }: FareWishes,
  fare: Pick<Fare, "refundable" | "refundPenaltyAmount" | "changeable" | "checkedBags">,
  offer: Offer,
): boolean {
  const [most, cost] = [mostUsdc ?? "", costInUsdc(offer)].map((text) => parseDecimal(text));
  return (
    (refundable === undefined || fare.refundable === true) &&
    (fullyRefundable === undefined ||
      (fare.refundable === true && parseDecimal(fare.refundPenaltyAmount ?? "") === 0n)) &&
    (changeable === undefined || fare.changeable === true) &&
    checkedBags <= fare.checkedBags &&
    (mostUsdc === undefined || (most !== undefined && cost !== undefined && cost <= most))
  );
}

function asOffer(offer: Omit<FoundOffer, "fares">, fare: Fare): { offer: Offer; terms: object } {
  const { id, name, totalAmount, refundable, refundPenaltyAmount, changeable, changePenaltyAmount } = fare;
  return {
    offer: { ...offer, id, totalAmount, ...inUsdc(offer, totalAmount), fareName: name, conditions: undefined },
    terms: { refundable, refundPenaltyAmount, changeable, changePenaltyAmount },
  };
}

/** At the rate at which the search showed the offer, rounded up. */
function inUsdc(offer: Omit<Offer, "conditions">, amount: string): { totalUsdc?: string } {
  const [shown, total, wanted] = [offer.totalUsdc, offer.totalAmount, amount].map((text) => parseDecimal(text ?? ""));
  if (shown === undefined || !total || wanted === undefined) return {};
  return { totalUsdc: formatDecimal((wanted * shown + total - 1n) / total) };
}

/** If only the price is in the way: what the cheapest fare that meets the other wishes costs. */
export function sayCheapestWished(wishes: FareWishes | undefined, offers: readonly FoundOffer[]): string[] {
  if (wishes?.mostUsdc === undefined) return [];
  const { mostUsdc, ...others } = wishes;
  const costs = offers
    .flatMap(wishedFares(others))
    .flatMap(({ offer }) => parseDecimal(costInUsdc(offer)) ?? [])
    .toSorted((one, other) => (one < other ? -1 : 1));
  const [least] = costs;
  if (least === undefined) return [];
  return [
    `The cheapest fare that meets the other requirements costs ${formatDecimal(least)} USDC; mostUsdc is ${mostUsdc}.`,
  ];
}
