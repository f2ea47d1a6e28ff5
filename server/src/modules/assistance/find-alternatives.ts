import type { z } from "zod";
import type { Caller, CallInfo, Ports } from "../../kernel/tool.ts";
import type { ChangeOffer } from "../../ports/flight-servicing.ts";
import type { BookedSlice, FlightOffer, FlightSearch } from "../../ports/flights.ts";
import type { Maps } from "../../ports/maps.ts";
import { saleRates } from "../bookings/index.ts";
import { bestOffers, seeSearch, toOfferAnswer } from "../flights/index.ts";
import { priceOf, seeChangeOffers } from "../servicing/index.ts";
import { type AlternativesAnswer, type ChangeAnswer, partly, unavailable } from "./replan-parts.ts";

const OFFERS_RETURNED = 3;
const NO_CHANGE =
  "the airline offers no change to a flight that leaves late enough: by the fare's conditions, or for want of one. read_order says whether the fare can be changed, request_order_change asks for another day; after a cancellation by the airline, ask the airline, which may owe another flight or the money.";
/** What books an offer; asked what it would say, without booking. */
const BOOKS = "book_flight";

export interface Replan {
  origin: string;
  destination: string;
  departureDate: string;
  passengers: number;
  cabinClass: FlightSearch["cabinClass"];
  /** On the clock of the origin, as the supplier says its times. */
  earliestLocal: Temporal.PlainDateTime;
  /** The day on which a night of waiting ends; undefined: there is none. */
  morningAfter: string | undefined;
  /** The flight that does not fly, on the same clock. */
  cancelled: { departsLocal: Temporal.PlainDateTime; flightNumber: string } | undefined;
}

interface Asker {
  caller: Caller;
  call: CallInfo;
}

type SearchPorts = Pick<Ports, "flights" | "stores" | "clock" | "random" | "fx">;

/** Flights that leave late enough on the day that was asked for, else on the day after it; on every day until a night of waiting ends. */
export async function findAlternatives(
  replan: Replan,
  { flights, stores, clock, random, fx }: SearchPorts,
  { caller, call }: Asker,
): Promise<z.input<typeof AlternativesAnswer>> {
  const { origin, destination, departureDate, cabinClass, passengers, morningAfter } = replan;
  const days: { date: string; usable: readonly FlightOffer[] }[] = [];
  let considered = 0;
  const lastDay = morningAfter ?? departureDate;
  for (let date = departureDate; ; date = dayAfter(date)) {
    const isNeeded = days.length < 2 && !days.some(({ usable }) => usable.length > 0);
    if (date > lastDay && !isNeeded) break;
    const { offers } = await flights.searchOffers(
      {
        ...{ origin, destination, departureDate: date, cabinClass, privateFares: {}, airlineCreditIds: [] },
        passengers: Array.from({ length: passengers }, () => ({ loyaltyAccounts: [] })),
      },
      { signal: call.signal },
    );
    considered += offers.length;
    const usable = offers.filter(
      (offer) => leavesLateEnough(offer, replan.earliestLocal) && !isCancelled(offer, replan),
    );
    days.push({ date, usable });
  }
  const searchedDates = days.map(({ date }) => date);
  const usable = days.flatMap((day) => day.usable);
  if (usable.length === 0) {
    const reason = "The supplier has no flight on these dates that leaves late enough. Try a later departureDate.";
    return { ...unavailable(reason), offers: [], searchedDates, considered };
  }
  const currencies = usable.map(({ totalCurrency }) => totalCurrency);
  const rates = await saleRates({ fx, clock }, caller.environment, currencies);
  await seeSearch({ seenOffers: stores.seenOffers, clock, random }, caller, usable, rates);
  const best = [];
  for (const offer of chooseOffers(usable, morningAfter)) {
    best.push({ ...toOfferAnswer(offer, usable, rates), booking: await refusalOf(offer, call) });
  }
  return { available: true, reason: ruleOf(morningAfter), offers: best, searchedDates, considered };
}

/** By the rule that `ruleOf` says; earliest arrival first. */
function chooseOffers(usable: readonly FlightOffer[], morningAfter: string | undefined): readonly FlightOffer[] {
  const ways = bestOffers(usable, usable.length).toSorted((left, right) =>
    (arrivalOf(left) ?? "").localeCompare(arrivalOf(right) ?? ""),
  );
  const afterNight = ways.find(
    ({ slices }) => morningAfter !== undefined && (slices[0]?.segments[0]?.departingAt ?? "") >= morningAfter,
  );
  const [cheapest] = ways.toSorted((left, right) => Number(left.totalAmount) - Number(right.totalAmount));
  const wanted = new Set([ways[0], afterNight, cheapest, ...ways].filter((offer) => offer !== undefined));
  const chosen = new Set([...wanted].slice(0, OFFERS_RETURNED));
  return ways.filter((offer) => chosen.has(offer));
}

function ruleOf(morningAfter: string | undefined): string {
  const afterNight =
    morningAfter === undefined ? "" : ` the one that arrives first of those that leave on ${morningAfter},`;
  return `Chosen are the flight that arrives first,${afterNight} and the cheapest; where these are the same, the next to arrive.`;
}

/** On the clock of the destination. */
export const arrivalOf = (
  offer: { slices: readonly { segments: readonly { arrivingAt: string }[] }[] } | undefined,
): string | undefined => offer?.slices.at(-1)?.segments.at(-1)?.arrivingAt;

const dayAfter = (date: string): string => Temporal.PlainDate.from(date).add({ days: 1 }).toString();

function leavesLateEnough({ slices }: Pick<FlightOffer, "slices">, earliest: Temporal.PlainDateTime): boolean {
  const departingAt = slices[0]?.segments[0]?.departingAt;
  return departingAt !== undefined && Temporal.PlainDateTime.compare(departingAt, earliest) >= 0;
}

/** By its number where that was given, else by its moment: the supplier may go on selling a flight for a while. */
function isCancelled({ slices }: Pick<FlightOffer, "slices">, { cancelled }: Replan): boolean {
  const first = slices[0]?.segments[0];
  if (cancelled === undefined || first === undefined) return false;
  const { departsLocal, flightNumber } = cancelled;
  const leaves = Temporal.PlainDateTime.from(first.departingAt);
  if (flightNumber === "") return leaves.equals(departsLocal);
  return leaves.toPlainDate().equals(departsLocal.toPlainDate()) && first.flightNumber === flightNumber;
}

/** What the caller's policy, limits and rights say of booking it now. */
async function refusalOf({ id: offerId }: FlightOffer, call: CallInfo) {
  const { refusal } = await call.preview(BOOKS, { offerId });
  return refusal === undefined ? null : { code: refusal.code, detail: refusal.detail };
}

/** What it costs to change the tenant's own order to flights of these days, where the booking reference is of one. */
export async function findChange(
  pnr: string | undefined,
  replan: Replan,
  dates: readonly string[],
  { flightServicing, stores, maps }: Pick<Ports, "flightServicing" | "stores" | "maps">,
  { caller, call }: Asker,
): Promise<z.input<typeof ChangeAnswer>> {
  const none = (reason: string, orderId: string | null = null) => ({ ...unavailable(reason), orderId, offers: [] });
  if (pnr === undefined || pnr === "") return none("Without a pnr no order is looked for.");
  const order = await stores.orders.findByPnr(caller.tenantId, caller.environment, pnr.toUpperCase());
  if (order === undefined)
    return none("You have no order with this pnr: the airline or agent that booked it can change it.");
  const { orderId } = order;
  if (order.status === "cancelled") return none("The order is cancelled.", orderId);
  const { slices } = await flightServicing.getOrderDetails(orderId, { signal: call.signal });
  const slice = slices.find((one) => isFlown(one, replan, maps));
  if (slice === undefined) return none(`The order flies ${waysOf(slices)}, not this leg.`, orderId);
  const { origin, destination, cabinClass } = replan;
  const askOn = async (departureDate: string) => {
    const add = [{ origin, destination, departureDate, cabinClass }];
    const { offers } = await flightServicing.requestChange(orderId, { add, remove: [{ sliceId: slice.id }] });
    return { date: departureDate, offers: offers.filter((offer) => isChangeInTime(offer, replan)), failure: "" };
  };
  const days = await Promise.all(
    dates.map((date) =>
      partly(
        () => askOn(date),
        (failure) => ({ date, offers: [], failure }),
      ),
    ),
  );
  const failures = failuresOf(days);
  const offers = days.flatMap((day) => day.offers);
  await stores.servicingQuotes.rememberChangeOffers(
    order,
    offers.map(({ id }) => id),
  );
  await seeChangeOffers(stores.seenOffers, caller, offers, order);
  if (offers.length === 0) {
    const asked = days.flatMap(({ date, failure }) => (failure === "" ? [date] : []));
    const nothing = asked.length === 0 ? [] : [`For ${asked.join(", ")} ${NO_CHANGE}`];
    return none([...failures, ...nothing].join(" "), orderId);
  }
  return {
    ...{ available: true, reason: failures.join(" ") || null, orderId },
    offers: cheapestChanges(days.map((day) => day.offers)).map((offer) => ({
      ...{ id: offer.id, ...priceOf(offer), expiresAt: offer.expiresAt, slices: offer.slices.add },
    })),
  };
}

/** One for all days that failed alike. */
const failuresOf = (days: readonly { date: string; failure: string }[]): string[] =>
  [
    ...Map.groupBy(
      days.filter(({ failure }) => failure !== ""),
      ({ failure }) => failure,
    ),
  ].map(([failure, of]) => `For ${of.map(({ date }) => date).join(", ")} no change could be asked: ${failure}`);

const isChangeInTime = ({ slices: { add } }: ChangeOffer, replan: Replan): boolean =>
  leavesLateEnough({ slices: add }, replan.earliestLocal) && !isCancelled({ slices: add }, replan);

/** The cheapest of each day, so that a cheaper day hides no earlier one, and of all; cheapest first, and of one price the earlier day. */
function cheapestChanges(days: readonly (readonly ChangeOffer[])[]): readonly ChangeOffer[] {
  const byPrice = (left: ChangeOffer, right: ChangeOffer) =>
    Number(left.changeTotalAmount) - Number(right.changeTotalAmount);
  const ofDays = days.flatMap((offers) => offers.toSorted(byPrice).slice(0, 1));
  const all = days.flat().toSorted(byPrice);
  const chosen = new Set([...new Set([...ofDays, ...all])].slice(0, OFFERS_RETURNED));
  return all.filter((offer) => chosen.has(offer));
}

/** An order may name the cities of a leg, a caller its airports, or the other way round: those of one city are one. */
function isFlown(
  { segments, ...slice }: Pick<BookedSlice, "origin" | "destination" | "segments">,
  { origin, destination }: Replan,
  maps: Pick<Maps, "metroCode">,
): boolean {
  const isOne = (wanted: string, ...codes: readonly (string | undefined)[]) =>
    codes.some((code) => code !== undefined && maps.metroCode(code) === maps.metroCode(wanted));
  return (
    isOne(origin, slice.origin, segments[0]?.origin) &&
    isOne(destination, slice.destination, segments.at(-1)?.destination)
  );
}

const waysOf = (slices: readonly Pick<BookedSlice, "origin" | "destination">[]): string =>
  slices.map(({ origin, destination }) => `${origin} to ${destination}`).join(", ");
