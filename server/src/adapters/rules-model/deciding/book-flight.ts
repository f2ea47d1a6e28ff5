import type { Reading } from "../reading/read-message.ts";
import { showConditions } from "../replies/show-flights.ts";
import { showBoard, showOrder, showRefund } from "../replies/show-stays.ts";
import { nameFlights } from "../state/people.ts";
import { BookedFlight, type FlightOffer } from "../state/results.ts";
import { shownFlights, shownStays } from "../state/shown.ts";
import type { State, Wish } from "../state/state.ts";
import { askWhich, chooseFlight, chooseStay } from "./choose.ts";
import { showOtherFares, takeFare } from "./fares.ts";
import { findFlights } from "./flights.ts";
import { ask, call, type Deciding, failureCode, need, type Outcome, sayFailure, tell } from "./outcome.ts";
import { registerTraveler } from "./register-traveler.ts";
import { findStays } from "./stays.ts";

const readPrice = ({ totalAmount }: FlightOffer): number => Number(totalAmount);

/** The loop shows what is bought, and asks before it runs. */
export function bookFlight(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const booked = state.results.findLast(
    ({ result }) => result.name === "book_flight" && result.outcome !== "withdrawn",
  )?.result;
  if (booked?.outcome === "ok") return sayBooked(deciding, booked.result, wish);
  if (booked !== undefined) {
    // An offer that has lapsed is looked for again.
    return failureCode(booked) === "offer_expired" ? findFlights(deciding, wish) : tell(sayFailure(booked, speaker));
  }
  const isOtherParty = state.picked !== undefined && state.seatsSearched !== state.party.adults + state.party.children;
  const renewed = isOtherParty || state.results.some(({ result }) => /^search_/.test(result.name));
  if (renewed) {
    const found = findFlights(deciding, { kind: "findFlights", reading: wish.reading });
    if (found.calls !== undefined || found.question !== undefined) return found;
  }
  const offers = shownFlights(state);
  const offer =
    state.picked === undefined
      ? chooseFlight(offers, findWanted(state, wish), readPrice)
      : offers.find((one) => nameFlights(one) === state.picked);
  if (offer === undefined && isDescribed(wish.reading))
    return findFlights(deciding, { kind: "findFlights", reading: wish.reading });
  if (offer === undefined) return askWhich(deciding, wish, offers.length);
  const fare = takeFare(offer, state.flight, speaker);
  const seats = offer.passengers?.length ?? state.party.adults + state.party.children;
  // Those who fill all seats travel without the caller.
  const named = state.companions.size + state.strangers.size;
  const isCallerOut = state.isCallerLeftOut && named !== seats - 1;
  const others = findCompanions(deciding, isCallerOut ? seats : seats - 1);
  if ("outcome" in others) return others.outcome;
  const additional = others.userIds.length > 0 ? { additionalCustomerUserIds: others.userIds } : {};
  const deed = call({ name: "book_flight", args: { offerId: fare.offerId, ...additional } });
  const text = [...sayBookedBefore(deciding, offer), ...(fare.text === "" ? [] : [fare.text])].join("\n");
  return text === "" ? deed : { ...deed, text };
}

/** By airline or time, which a flight that is not in the list can have, too. */
const isDescribed = ({ airlines, times }: Reading): boolean =>
  airlines.length > 0 || times.departs?.exact !== undefined;

/** Somebody who books a second flight for the same day should know it. */
function sayBookedBefore({ state, speaker }: Deciding, { slices: [out] }: FlightOffer): readonly string[] {
  const day = out?.segments[0]?.departingAt.slice(0, 10);
  const before = state.orders.filter(
    ({ orderId, kind, status, startsOn }) =>
      kind === "flight" && status === "confirmed" && state.booked.has(orderId) && startsOn === day,
  );
  if (before.length === 0) return [];
  return [speaker.say("bookedBefore"), ...before.map((order) => `- ${showOrder(order, speaker)}`)];
}

/** The choice of the text, or the one that was spoken of before, for "book it". */
function findWanted({ spoken }: State, wish: Wish) {
  const choice = "choice" in wish ? wish.choice : undefined;
  const isNamed = choice !== undefined && Object.keys(choice).length > 0;
  const { airlines, times } = wish.reading;
  const isPlain = !isNamed && airlines.length === 0 && times.departs === undefined;
  return isPlain && spoken !== undefined ? spoken : { choice, reading: wish.reading };
}

/** Who travels beside the caller: those who were named, or everybody where that is the number. */
function findCompanions(deciding: Deciding, count: number): { userIds: readonly string[] } | { outcome: Outcome } {
  if (count <= 0) return { userIds: [] };
  const { state, request, speaker } = deciding;
  const { companions } = request.traveler;
  const named = companions.filter(({ userId }) => state.companions.has(userId));
  const outcome = registerTraveler(deciding);
  if (outcome !== undefined) return { outcome };
  const saved = [...state.strangers].flatMap((name) => state.saved.get(name) ?? []);
  const userIds = [...named.map(({ userId }) => userId), ...saved];
  if (userIds.length === count) return { userIds };
  // "My wife" is nobody in particular until she is named.
  const isAnybody = state.relatives === 0 && state.strangers.size === 0;
  if (isAnybody && companions.length === count) return { userIds: companions.map(({ userId }) => userId) };
  const names = companions.filter(({ userId }) => !userIds.includes(userId)).map(({ name }) => name);
  const missing = Math.max(1, count - userIds.length);
  if (isAnybody && names.length >= missing)
    return { outcome: ask("companions", speaker.say("askCompanions", { names: speaker.list(names) }), names) };
  const known = names.length === 0 ? "" : ` ${speaker.say("knownPeople", { names: speaker.list(names) })}`;
  return { outcome: ask("companions", `${speaker.say("askPeople", { count: missing })}${known}`, names) };
}

function sayBooked(deciding: Deciding, result: unknown, wish: Wish): Outcome {
  const { speaker, state } = deciding;
  const booked = BookedFlight.safeParse(result).data;
  if (booked === undefined) return tell(speaker.say("uncertain"));
  const [first] = booked.slices ?? [];
  const text = speaker.say("bookedFlight", {
    route: (booked.slices ?? []).map(({ origin, destination }) => `${origin} → ${destination}`).join(", "),
    date:
      first?.departingAt == null
        ? ""
        : `${speaker.day(first.departingAt.slice(0, 10))} ${speaker.time(first.departingAt)}`,
    price: speaker.money(booked.totalAmount, booked.totalCurrency),
    reference: booked.pnr ?? booked.orderId,
  });
  if (!state.isStayNext) return tell(text);
  const next = findStays(deciding, wish);
  return next.calls === undefined ? { ...next, text: `${text}\n${speaker.say("nowStay")}\n${next.text ?? ""}` } : next;
}

/** Price, refund and change conditions of what was shown. */
export function tellConditions(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const wanted = findWanted(state, wish);
  if (state.lastShown === "stays") {
    const shown = shownStays(state);
    const stay = chooseStay(shown, wanted) ?? (wanted.choice === undefined && shown.length > 0 ? shown[0] : undefined);
    if (stay === undefined) return tell(speaker.say("notShown"));
    const { rate } = stay;
    const price = speaker.money(rate.totalAmount, rate.totalCurrency);
    const facts = [price, showBoard(rate, speaker), showRefund(rate, speaker)].filter((fact) => fact !== "");
    return tell(`${stay.stay.name}: ${facts.join(", ")}`);
  }
  const offer =
    chooseFlight(shownFlights(state), wanted, readPrice) ??
    (wanted.choice === undefined ? shownFlights(state)[0] : undefined);
  if (offer === undefined) return ask("choice", speaker.say("askChoice"));
  const conditions = need(deciding, { name: "display_offer_conditions", args: { offerId: offer.id } });
  if ("outcome" in conditions) return conditions.outcome;
  const numbers = offer.slices.flatMap(({ segments }) => segments.map(({ flightNumber }) => flightNumber)).join(", ");
  const price = speaker.money(offer.totalAmount, offer.totalCurrency);
  const bags = offer.checkedBags == null ? [] : [speaker.say("checkedBags", { count: offer.checkedBags })];
  const listed = `${numbers}: ${[price, showConditions(offer, speaker), ...bags].join(", ")}`;
  return tell([listed, ...showOtherFares(offer, speaker)].join("\n"));
}
