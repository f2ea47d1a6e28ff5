import { isRecord, type Json, listLegs, summarize } from "../parts/answer-words.ts";
import { sayDay } from "../parts/time.tsx";

interface SeenOffer {
  says: string;
  travelers: number;
}

const seen = new Map<string, SeenOffer>();

/** The id of a flight offer, or of another fare of its flights. */
export function findOfferId(value: unknown): string | undefined {
  if (!isRecord(value) || typeof value.id !== "string" || !value.id.startsWith("off_")) return undefined;
  return value.id;
}

/** Flight offers in an answer, by their ids, so that a preview can say which flight it is about. */
export function rememberOffers(answer: unknown): void {
  if (Array.isArray(answer)) for (const one of answer) rememberOffers(one);
  if (!isRecord(answer)) return;
  const id = findOfferId(answer);
  if (id === undefined) for (const one of Object.values(answer)) rememberOffers(one);
  else if (listLegs(answer).length > 0) remember(id, answer);
}

function remember(id: string, offer: Json): void {
  const { title, amount } = summarize(offer);
  const legs = listLegs(offer).map(
    ({ origin, destination, departingAt, arrivingAt }) =>
      `${origin} ${departingAt.slice(11, 16)} to ${destination} ${arrivingAt.slice(11, 16)}`,
  );
  const day = listLegs(offer)[0]?.departingAt.slice(0, 10) ?? "";
  const travelers = Array.isArray(offer.passengers) ? offer.passengers.length : 1;
  seen.set(id, { says: [title, sayDay(day), ...legs, amount].filter(Boolean).join(", "), travelers });
  // A fare of the same flights has an id and a price of its own.
  if (!Array.isArray(offer.fares)) return;
  for (const fare of offer.fares.filter(isRecord)) {
    if (typeof fare.id !== "string" || seen.has(fare.id)) continue;
    const { amount: price } = summarize({ ...fare, totalCurrency: offer.totalCurrency });
    const owner = isRecord(offer.owner) && typeof offer.owner.name === "string" ? offer.owner.name : "";
    const parts = [owner, fare.name, sayDay(day), ...legs, price];
    seen.set(fare.id, { says: parts.filter(Boolean).join(", "), travelers });
  }
}

export const findSeenOffer = (id: unknown): SeenOffer | undefined =>
  typeof id === "string" ? seen.get(id) : undefined;
