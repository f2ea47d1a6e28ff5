import { showConditions } from "../replies/show-flights.ts";
import type { Speaker } from "../replies/speaker.ts";
import type { FlightOffer } from "../state/results.ts";
import type { FlightSlots } from "../state/state.ts";

type Fare = NonNullable<FlightOffer["fares"]>[number];

interface Taken {
  readonly offerId: string;
  /** Beside the question whether to book it, where the fare is not the one that was listed, or not the wanted one. */
  readonly text: string;
}

/** The cheapest fare of the chosen flights that is as the traveler wants it, or the one that was listed. */
export function takeFare(
  offer: FlightOffer,
  { isRefundable, isChangeable }: Pick<FlightSlots, "isRefundable" | "isChangeable">,
  speaker: Speaker,
): Taken {
  const { conditions, fares } = offer;
  const isListedFine =
    (!isRefundable || conditions?.refundBeforeDeparture?.allowed === true) &&
    (!isChangeable || conditions?.changeBeforeDeparture?.allowed === true);
  if (isListedFine) return { offerId: offer.id, text: "" };
  const [fare] = (fares ?? [])
    .filter(
      ({ refundable, changeable }) => (!isRefundable || refundable === true) && (!isChangeable || changeable === true),
    )
    .toSorted((one, other) => Number(one.totalAmount) - Number(other.totalAmount));
  if (fare !== undefined)
    return {
      offerId: fare.id,
      text: speaker.say("fareTaken", { name: fare.name ?? "–", conditions: showFare(fare, offer, speaker) }),
    };
  const wishes = [
    ...(isRefundable ? [speaker.say("refundable")] : []),
    ...(isChangeable ? [speaker.say("changeable")] : []),
  ];
  const listed = showConditions(offer, speaker);
  return { offerId: offer.id, text: `${speaker.say("noSuchFare", { wishes: speaker.list(wishes) })} ${listed}.` };
}

function showFare(fare: Fare, { totalCurrency }: FlightOffer, speaker: Speaker): string {
  const terms = (allowed: boolean | null | undefined, penaltyAmount: string | null | undefined) => ({
    allowed: allowed ?? null,
    ...(penaltyAmount == null ? {} : { penaltyAmount, penaltyCurrency: totalCurrency }),
  });
  const conditions = {
    refundBeforeDeparture: terms(fare.refundable, fare.refundPenaltyAmount),
    changeBeforeDeparture: terms(fare.changeable, fare.changePenaltyAmount),
  };
  return `${speaker.money(fare.totalAmount, totalCurrency)}, ${showConditions({ conditions }, speaker)}`;
}

/** "- Flex: $319.96, refundable, free changes" for each fare of the same flights. */
export function showOtherFares(offer: FlightOffer, speaker: Speaker): readonly string[] {
  const fares = (offer.fares ?? []).filter(({ id }) => id !== offer.id);
  if (fares.length === 0) return [];
  return [
    speaker.say("otherFares"),
    ...fares.map((fare) => `- ${fare.name ?? "–"}: ${showFare(fare, offer, speaker)}`),
  ];
}
