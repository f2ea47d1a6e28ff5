import { isAbout, PRICE_TOLERANCE } from "../reading/attributes.ts";
import type { Choice, Reading } from "../reading/read-message.ts";
import { showsAt } from "../replies/clock-times.ts";
import { plainName } from "../state/choose-wishes.ts";
import type { FlightOffer, ShownStay } from "../state/results.ts";
import { chooseDescribed } from "../state/shown.ts";
import type { Wish } from "../state/state.ts";
import { ask, type Deciding, type Outcome } from "./outcome.ts";

type Timed = Pick<FlightOffer, "slices">;

interface Wanted {
  readonly choice: Choice | undefined;
  readonly reading: Reading;
}

/** The one of the flights that is meant; undefined where that is not clear. */
export function chooseFlight<Offer extends Timed>(
  offers: readonly Offer[],
  { choice, reading }: Wanted,
  readPrice: (offer: Offer) => number,
): Offer | undefined {
  const { airlines, times } = reading;
  let candidates = offers;
  const narrow = (fits: (offer: Offer) => boolean): void => {
    candidates = candidates.filter(fits);
  };
  if (choice?.flightNumber !== undefined) {
    const { flightNumber } = choice;
    narrow(({ slices }) =>
      slices.some(({ segments }) => segments.some((segment) => segment.flightNumber === flightNumber)),
    );
  }
  if (airlines.length > 0) {
    narrow(({ slices }) =>
      slices.some(({ segments }) => segments.some(({ flightNumber }) => airlines.includes(flightNumber.slice(0, 2)))),
    );
  }
  const { price } = reading.attributes;
  if (price !== undefined && candidates.some((one) => isAbout(readPrice(one), price, PRICE_TOLERANCE)))
    narrow((one) => isAbout(readPrice(one), price, PRICE_TOLERANCE));
  const exact = times.departs?.exact;
  if (exact !== undefined) {
    const at = candidates.filter(({ slices }) => showsAt(slices[0]?.segments[0]?.departingAt, exact));
    candidates =
      at.length > 0 ? at : candidates.filter(({ slices }) => showsAt(slices[0]?.segments[0]?.departingAt, exact, 59));
  }
  if (choice?.ordinal !== undefined && candidates.length === offers.length) {
    return choice.ordinal === -1 ? offers.at(-1) : offers[choice.ordinal - 1];
  }
  if (choice?.sort !== undefined) return candidates.toSorted(flightOrder(choice.sort, readPrice))[0];
  return candidates.length === 1 || candidates.length < offers.length
    ? candidates.toSorted(flightOrder("price", readPrice))[0]
    : undefined;
}

function flightOrder<Offer extends Timed>(
  sort: string,
  readPrice: (offer: Offer) => number,
): (one: Offer, other: Offer) => number {
  const departure = ({ slices }: Offer): string => slices[0]?.segments[0]?.departingAt ?? "";
  const minutes = ({ slices }: Offer): number =>
    slices.reduce((sum, { durationMinutes }) => sum + (durationMinutes ?? 0), 0);
  switch (sort) {
    case "duration":
      return (one, other) => minutes(one) - minutes(other) || readPrice(one) - readPrice(other);
    case "earliest":
      return (one, other) => departure(one).localeCompare(departure(other));
    case "latest":
      return (one, other) => departure(other).localeCompare(departure(one));
    case "dearest":
      return (one, other) => readPrice(other) - readPrice(one);
    case "best":
      return () => 0;
    default:
      return (one, other) => readPrice(one) - readPrice(other);
  }
}

export function chooseStay(shown: readonly ShownStay[], { choice, reading }: Wanted): ShownStay | undefined {
  const named = shown.filter(({ stay }) => reading.folded.includes(plainName(stay.name)));
  if (named.length > 0) return named[0];
  const described = chooseDescribed(shown, reading);
  if (described !== undefined) return described;
  const refundable = reading.kinds.has("refundable") ? shown.filter(({ rate }) => rate.refundable === true) : shown;
  if (choice?.ordinal !== undefined) return choice.ordinal === -1 ? shown.at(-1) : shown[choice.ordinal - 1];
  if (choice?.sort !== undefined) return refundable.toSorted(stayOrder(choice.sort))[0];
  return shown.length === 1 || (refundable.length === 1 && shown !== refundable) ? refundable[0] : undefined;
}

/** Where nothing is chosen: says so of a number that the list does not have. */
export function askWhich({ speaker }: Deciding, wish: Wish, count: number): Outcome {
  const choices = Array.from({ length: count }, (_, index) => String(index + 1));
  const number = ("choice" in wish ? wish.choice?.ordinal : undefined) ?? 0;
  if (number <= count || count === 0) return ask("choice", speaker.say("askChoice"), choices);
  const text = count === 1 ? speaker.say("onlyOne", { number }) : speaker.say("noSuchNumber", { number, count });
  return ask("choice", text, choices);
}

const usdc = ({ rate }: ShownStay): number => Number(rate.totalUsdc ?? rate.totalAmount);

function stayOrder(sort: string): (one: ShownStay, other: ShownStay) => number {
  switch (sort) {
    case "distance":
      return (one, other) => (one.stay.distanceMeters ?? 0) - (other.stay.distanceMeters ?? 0);
    case "best":
      return (one, other) => (other.stay.reviewScore ?? 0) - (one.stay.reviewScore ?? 0);
    case "dearest":
      return (one, other) => usdc(other) - usdc(one);
    default:
      return (one, other) => usdc(one) - usdc(other);
  }
}
