import type { ChangeOffer, FlightOffer } from "../state/results.ts";
import type { Speaker } from "./speaker.ts";

type Slice = FlightOffer["slices"][number];

export function showFlights(offers: readonly FlightOffer[], speaker: Speaker): string {
  return offers
    .map((offer, index) => {
      const airline = offer.owner?.name ?? offer.owner?.iataCode ?? "";
      const ways = offer.slices.map((slice) => showSlice(slice, speaker)).join("\n   ");
      const price = speaker.money(offer.totalAmount, offer.totalCurrency);
      return `${index + 1}. ${airline} · ${price} · ${showConditions(offer, speaker)}\n   ${ways}`;
    })
    .join("\n");
}

/** Without numbers, beside another list that has them. */
export const showFlightLines = (offers: readonly FlightOffer[], speaker: Speaker): readonly string[] =>
  offers.map(({ owner, slices, totalAmount, totalCurrency }) => {
    const ways = slices.map((slice) => showSlice(slice, speaker)).join(" / ");
    return `- ${owner?.name ?? owner?.iataCode ?? ""} · ${speaker.money(totalAmount, totalCurrency)} · ${ways}`;
  });

export function showChanges(offers: readonly ChangeOffer[], speaker: Speaker): string {
  return offers
    .map((offer, index) => {
      const ways = offer.slices.add.map((slice) => showSlice(slice, speaker)).join("\n   ");
      return `${index + 1}. ${speaker.money(offer.changeTotalAmount, offer.changeTotalCurrency)}\n   ${ways}`;
    })
    .join("\n");
}

/** "Mon, 6 Jan 2027, 06:15 LHR → 09:05 JFK, BA277, non-stop" */
function showSlice({ segments, origin, destination }: Slice, speaker: Speaker): string {
  const first = segments[0];
  const last = segments.at(-1);
  if (first === undefined || last === undefined) return `${origin} → ${destination}`;
  const stops = segments.slice(0, -1).map((segment) => segment.destination);
  const way = stops.length === 0 ? speaker.say("direct") : speaker.say("via", { places: speaker.list(stops) });
  const isLater = first.departingAt.slice(0, 10) !== last.arrivingAt.slice(0, 10);
  const arrival = `${speaker.time(last.arrivingAt)}${isLater ? ` (${speaker.day(last.arrivingAt.slice(0, 10))})` : ""}`;
  const numbers = segments.map(({ flightNumber }) => flightNumber).join(", ");
  return `${speaker.day(first.departingAt.slice(0, 10))}, ${speaker.time(first.departingAt)} ${first.origin} → ${arrival} ${last.destination}, ${numbers}, ${way}`;
}

export function showConditions({ conditions }: Pick<FlightOffer, "conditions">, speaker: Speaker): string {
  const refund = conditions?.refundBeforeDeparture;
  const change = conditions?.changeBeforeDeparture;
  return [
    refund?.allowed === true
      ? isFree(refund)
        ? speaker.say("refundFree")
        : refund.penaltyAmount && refund.penaltyCurrency
          ? speaker.say("refundFee", { fee: speaker.money(refund.penaltyAmount, refund.penaltyCurrency) })
          : speaker.say("refundable")
      : speaker.say("noRefund"),
    change?.allowed === true
      ? change.penaltyAmount && change.penaltyCurrency && !isFree(change)
        ? speaker.say("changeFee", { fee: speaker.money(change.penaltyAmount, change.penaltyCurrency) })
        : speaker.say("changeFree")
      : speaker.say("noChange"),
  ].join(", ");
}

const isFree = ({ penaltyAmount }: { penaltyAmount?: string | null | undefined }): boolean =>
  penaltyAmount != null && Number(penaltyAmount) === 0;
