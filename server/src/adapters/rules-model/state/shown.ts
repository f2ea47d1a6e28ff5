import type { Maximum } from "../reading/limits.ts";
import type { FlightOffer, Rate, ShownStay } from "./results.ts";
import type { State } from "./state.ts";

const STAYS_SHOWN = 6;

/** In US dollars, in which flights are sold; without a currency it is taken as such. */
function limitIn(state: State, maximum: Maximum | undefined, nights = 1): number | undefined {
  if (maximum === undefined) return undefined;
  const rate = state.rates.get(maximum.currency ?? "USD") ?? 1;
  return maximum.amount * rate * (maximum.isPerNight ? nights : 1);
}

/** The offers in the order of their numbers in the reply: they follow from what the tools have answered. */
export function shownFlights(state: State): readonly FlightOffer[] {
  const offers = state.flights?.offers ?? [];
  const within = offers.filter((offer) => isWithinLimit(state, [offer]));
  return within.length > 0 ? within : offers;
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

export const hasBoard = ({ boardType }: Rate): boolean => boardType != null && boardType !== "room_only";

/** Each hotel with its cheapest rate that fits. */
export function shownStays(state: State): readonly ShownStay[] {
  const { stay, stays } = state;
  const limit = stayLimit(state);
  const list = (stays?.stays ?? []).flatMap((one): ShownStay[] => {
    const refundable = one.rates.filter(({ refundable }) => refundable === true);
    const rates = stay.isRefundable && refundable.length > 0 ? refundable : one.rates;
    const withBoard = stay.isBoardWanted ? rates.filter(hasBoard) : [];
    const [rate] = (withBoard.length > 0 ? withBoard : rates).toSorted(
      (left, right) => Number(left.totalAmount) - Number(right.totalAmount),
    );
    return rate === undefined ? [] : [{ stay: one, rate }];
  });
  const fitting = list.filter(
    ({ stay: one, rate }) =>
      (limit === undefined || Number(rate.totalUsdc ?? rate.totalAmount) <= limit) &&
      (!stay.isRefundable || rate.refundable === true) &&
      (stay.stars === undefined || (one.starRating ?? 0) >= stay.stars),
  );
  return (fitting.length > 0 ? fitting : list).slice(0, STAYS_SHOWN);
}

export function fitsWishes(state: State, shown: readonly ShownStay[]): boolean {
  const limit = stayLimit(state);
  const { stay } = state;
  return shown.every(
    ({ stay: one, rate }) =>
      (limit === undefined || Number(rate.totalUsdc ?? rate.totalAmount) <= limit) &&
      (!stay.isRefundable || rate.refundable === true) &&
      (stay.stars === undefined || (one.starRating ?? 0) >= stay.stars),
  );
}
