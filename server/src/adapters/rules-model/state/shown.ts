import { isAbout, PRICE_TOLERANCE } from "../reading/attributes.ts";
import type { Maximum } from "../reading/limits.ts";
import type { Reading } from "../reading/read-message.ts";
import { landsInTime } from "./landing-days.ts";
import type { FlightOffer, Rate, ShownStay, Stay } from "./results.ts";
import type { RoomType, State } from "./state.ts";

export const FLIGHTS_SHOWN = 5;
const STAYS_SHOWN = 6;

/** In US dollars, in which flights are sold; without a currency it is taken as such. */
function limitIn(state: State, maximum: Maximum | undefined, nights = 1): number | undefined {
  if (maximum === undefined) return undefined;
  const rate = state.rates.get(maximum.currency ?? "USD") ?? 1;
  return maximum.amount * rate * (maximum.isPerNight ? nights : 1);
}

/** The offers in the order of their numbers in the reply: they follow from what the tools have answered. */
export function shownFlights(state: State): readonly FlightOffer[] {
  const all = state.flights?.offers ?? [];
  const inTime = landsInTime(all, state.flight.times);
  const offers = inTime.length > 0 ? inTime : all;
  const within = offers.filter((offer) => isWithinLimit(state, [offer]));
  return (within.length > 0 ? within : offers).slice(0, FLIGHTS_SHOWN);
}

export function isWithinLimit(state: State, offers: readonly FlightOffer[]): boolean {
  const limit = limitIn(state, state.flight.maximum);
  return limit === undefined || offers.every(({ totalAmount }) => Number(totalAmount) <= limit);
}

export function stayLimit(state: State): number | undefined {
  const { checkIn, checkOut, maximum } = state.stay;
  const nights = checkIn === undefined || checkOut === undefined ? 1 : checkIn.until(checkOut).days;
  return limitIn(state, maximum, nights);
}

const hasBoard = ({ boardType }: Rate): boolean => boardType != null && boardType !== "room_only";

const ROOM_NAMES: Readonly<Record<RoomType, RegExp>> = {
  double: /double/i,
  twin: /twin|two beds/i,
  single: /single/i,
  suite: /suite/i,
  family: /family/i,
  superior: /superior|deluxe|premium/i,
};

/** The wishes that rates of one hotel can differ in. */
function listRateWishes({ stay: { isRefundable, isBoardWanted, room } }: State): readonly ((rate: Rate) => boolean)[] {
  return [
    ...(isRefundable ? [({ refundable }: Rate) => refundable === true] : []),
    ...(isBoardWanted ? [hasBoard] : []),
    ...(room === undefined ? [] : [({ roomName }: Rate) => ROOM_NAMES[room].test(roomName ?? "")]),
  ];
}

const usdc = ({ totalUsdc, totalAmount }: Rate): number => Number(totalUsdc ?? totalAmount);

/** How many of the wishes the rate fulfils. */
const countFulfilled = (state: State, rate: Rate): number =>
  listRateWishes(state).filter((isAsWished) => isAsWished(rate)).length;

export const fitsRateWishes = (state: State, rate: Rate): boolean =>
  countFulfilled(state, rate) === listRateWishes(state).length;

function withRate(state: State, stay: Stay): ShownStay[] {
  const [rate] = stay.rates.toSorted(
    (left, right) => countFulfilled(state, right) - countFulfilled(state, left) || usdc(left) - usdc(right),
  );
  return rate === undefined ? [] : [{ stay, rate }];
}

/** The hotel that was chosen, with its rate for the wishes of now, which it need not fulfil. */
export function findPickedStay(state: State): ShownStay | undefined {
  const stay = state.stays?.stays.find(({ id }) => id === state.pickedStay);
  return stay === undefined ? undefined : withRate(state, stay)[0];
}

/** Each hotel with its cheapest rate that fits, those first that have one. */
export function shownStays(state: State): readonly ShownStay[] {
  const { stay, stays } = state;
  const isNearFirst =
    stay.sort === "distance" || (stay.sort === undefined && (stay.isCentral || stay.near !== undefined));
  const ordered = (stays?.stays ?? [])
    .flatMap((one) => withRate(state, one))
    .toSorted(
      (left, right) =>
        countFulfilled(state, right.rate) - countFulfilled(state, left.rate) ||
        (isNearFirst ? (left.stay.distanceMeters ?? Infinity) - (right.stay.distanceMeters ?? Infinity) : 0),
    );
  const fitting = ordered.filter((one) => fitsWishes(state, [one]));
  return (fitting.length > 0 ? fitting : ordered).slice(0, STAYS_SHOWN);
}

/** Whether all of them are as wished, but for what their rates include. */
export function fitsWishes(state: State, shown: readonly ShownStay[]): boolean {
  const limit = stayLimit(state);
  const { stars } = state.stay;
  return shown.every(
    ({ stay: one, rate }) =>
      (limit === undefined || usdc(rate) <= limit) &&
      fitsRateWishes(state, rate) &&
      (stars === undefined || (one.starRating ?? 0) >= stars),
  );
}

const METERS_TOLERANCE = 60;

/** "The one 600 metres away", "the one for 253 euros": the only one that fits. */
export function chooseDescribed(
  shown: readonly ShownStay[],
  { attributes: { meters, price } }: Reading,
): ShownStay | undefined {
  if (meters === undefined && price === undefined) return undefined;
  const fitting = shown.filter(
    ({ stay: { distanceMeters }, rate }) =>
      (meters === undefined || isAbout(distanceMeters ?? Infinity, meters, METERS_TOLERANCE)) &&
      (price === undefined || isAbout(Number(rate.totalAmount), price, PRICE_TOLERANCE)),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
