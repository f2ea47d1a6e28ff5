import { Failure } from "../../../domain/errors.ts";
import { type Micro, parseDecimal } from "../../../domain/money.ts";
import type { Alternative, Purchase } from "../../../domain/travel/purchase.ts";
import {
  type CallPlan,
  type Cover,
  final,
  type PlannedFinality,
  type PlannedOverlap,
  perhapsFinal,
  REPEATED_PLAN,
} from "../../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import { BOOKING_RATE, inUsdc } from "../booking-rate.ts";
import type { Stores } from "../context.ts";
import { toPurchase, unknownPurchase } from "../offers/bought.ts";
import {
  plannedOffers,
  type SeenComparable,
  type SeenFlight,
  type SeenOffer,
  type SeenStay,
} from "../offers/seen-offers.ts";
import { type AskedBooking, asHeld, whyAnother } from "./asked-booking.ts";
import type { Booking } from "./bookings.ts";
import { requireHex } from "./cover.ts";
import { plannedBookings } from "./find-live-booking.ts";

declare module "../../../kernel/contracts/call-plan.ts" {
  interface CallPlan {
    /** The purchase, or the result of a change, as the tenant saw it last. Undefined if the call buys nothing. */
    bought?: Purchase | undefined;
    /** Users whom the call names as travelers or books for, as far as known: the budget of each must cover it. */
    travelerIds?: readonly string[] | undefined;
    /** The id of the offer in the call's arguments. The same offer found again has another id. */
    offerId?: string;
    /** The other offers that the tenant was shown, cheapest first, for an approver. */
    alternatives?: (() => Promise<readonly Alternative[]>) | undefined;
  }
}

/** An airline tells the window only for an order. */
const VOID = ". Some airlines give all of it back for a short time after the booking: the booking says until when";

type FindTimeZone = (airport: string) => string | undefined;

export interface PlannedBooking {
  asked: AskedBooking;
  /** Undefined if some travelers are not users of the tenant. `seen` is the offer as the tenant was shown it, if it was. */
  travelerIds(seen: SeenOffer | undefined): Promise<readonly string[] | undefined>;
  /** The known users among them, even if some are unknown. */
  namedIds(seen: SeenOffer | undefined): Promise<readonly string[]>;
  /** The time zone of an airport, by its code. */
  findTimeZone?(airport: string): string | undefined;
  /** True: another source pays a part of it. */
  isPaidInPart?: boolean;
  /** True: the purchase includes services beyond the offer. */
  hasMore?: boolean;
  /** The price of those services, in the currency of the seen offer. Undefined if the records do not know. */
  priceOfMore?(seen: SeenOffer): string | undefined;
  /** The call's refusal by the seen offer, if the records imply one. */
  refusalFor?(seen: SeenOffer | undefined): Promise<Failure | undefined>;
  /** Further remarks on the seen offer, in whole sentences. */
  remarksOn?(seen: SeenOffer, travelerIds: readonly string[]): Promise<readonly string[]>;
  /** Warnings to settle before the seen offer is booked, in whole sentences. */
  warningsOn?(seen: SeenOffer): readonly string[];
  /** The profile of a traveler. */
  readProfile?: CallPlan["readProfile"];
  /** The orders that the travelers already have for the same time. */
  overlapsWith?(seen: SeenOffer, travelerIds: readonly string[]): Promise<readonly PlannedOverlap[]>;
}

/** Plans the booking of an offer or a quote. Only the supplier knows the price, and is asked when the call runs. */
export async function planBooking(
  { stores, caller }: { stores: Pick<Stores, "bookings" | "seenOffers">; caller: Caller },
  {
    asked,
    travelerIds,
    namedIds,
    findTimeZone,
    isPaidInPart = false,
    hasMore = false,
    priceOfMore,
    refusalFor,
    remarksOn,
    warningsOn,
    readProfile,
    overlapsWith,
  }: PlannedBooking,
): Promise<CallPlan> {
  const { kind, offerId: id } = asked;
  const stored = await stores.seenOffers.findForPlan(caller, id);
  const live = await plannedBookings.read(caller, id, async () => stored.live);
  const isHeld = live?.kind === "flight_hold";
  if (live?.kind === kind || isHeld) {
    const refusal = await findRefusal(isHeld ? asHeld(asked) : asked, live);
    // An earlier call has booked it or is booking it: nothing is paid twice.
    if (refusal !== undefined) return { ...REPEATED_PLAN, refusal };
    if (!isHeld) return live.orderStatus === "cancelled" ? CANCELLED_PLAN : REPEATED_PLAN;
  }
  const found = await plannedOffers.read(caller, id, async () => stored.offer);
  const seen = found?.kind === kind ? found : undefined;
  // A held order's travelers and price are known even if the offer is forgotten.
  const held = isHeld ? live : undefined;
  const ofHold = held?.travelers.flatMap(({ userId }) => userId ?? []);
  const travelers = ofHold ?? (await travelerIds(seen));
  const comparables = seen === undefined ? undefined : stored.comparables;
  const known = seen === undefined ? unknownPurchase(kind, travelers) : toPurchase(seen, travelers, comparables);
  const bought = held === undefined ? known : { ...known, price: priceOfHold(held) };
  const whole = hasMore ? priceWithMore(bought.price, seen, priceOfMore) : bought.price;
  const price = isPaidInPart ? undefined : whole;
  const named = ofHold ?? (await namedIds(seen));
  return {
    refusal: await refusalFor?.(seen),
    ...planPayment(price, caller.cover),
    travelerIds: named,
    readProfile,
    irreversible: sayUndo(seen, findTimeZone),
    warnings: seen && [...(warningsOn?.(seen) ?? []), ...(seen.rate?.warning === undefined ? [] : [seen.rate.warning])],
    readOverlaps: seen && overlapsWith && (() => overlapsWith(seen, named)),
    readRemarks: seen && remarksOn && (() => remarksOn(seen, named)),
    offerId: id,
    bought: { ...bought, price: whole, ...(whole === undefined ? { priceAtLeast: bought.price } : {}) },
    howToKnow: whole === undefined ? sayHowToKnow(kind, bought.price) : undefined,
    alternatives: () =>
      alternativesTo(stores, caller, chooseOfferId(id, seen), { travelers, comparables: comparables ?? [] }),
  };
}

/** `price` is that of the offer or quote alone. Undefined if the tenant was not shown it. */
function sayHowToKnow(kind: "flight" | "stay", price: Micro | undefined): string {
  if (price !== undefined) {
    return "Look at the services with list_flight_ancillaries, then send the same call again.";
  }
  return kind === "flight"
    ? "Look at the offer with display_offer_conditions, then send the same call again."
    : "Get a new quote with quote_stay.";
}

const CANCELLED_PLAN: CallPlan = {
  ...REPEATED_PLAN,
  remarks: ["Nothing would be booked, because that order is cancelled. To travel, search and book again."],
};

/** From the wallet now; or from a run's reservation in escrow when it is settled. */
function planPayment(price: Micro | undefined, cover: Cover | undefined): Pick<CallPlan, "movements" | "tripId"> {
  const [token, to] = ["USDC", "collection"] as const;
  if (cover === undefined) {
    return { movements: [{ token, amount: undefined, from: "treasury", to, expected: price }] };
  }
  const movement = { token, amount: price, from: "booking_reservation", to, isLater: true } as const;
  return { movements: [movement], tripId: requireHex(cover.tripId) };
}

/** The offer and the additional services. */
function priceWithMore(
  price: Micro | undefined,
  seen: SeenOffer | undefined,
  priceOfMore: PlannedBooking["priceOfMore"],
): Micro | undefined {
  const more = seen === undefined ? undefined : priceOfMore?.(seen);
  if (price === undefined || seen === undefined || more === undefined) return undefined;
  const moreMicro = inUsdc(more, seen.totalCurrency, seen.rate ?? BOOKING_RATE);
  return moreMicro === undefined ? undefined : price + moreMicro;
}

const priceOfHold = ({ totalAmount, totalCurrency, rate }: Booking) => inUsdc(totalAmount, totalCurrency, rate);

/** The refusal if the earlier booking does not answer the call. */
async function findRefusal(asked: AskedBooking, live: Booking): Promise<Failure | undefined> {
  try {
    return await whyAnother(asked, live);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The number of a search's offers considered, cheapest first. */
const MOST_ALTERNATIVES = 40;

/** As its search showed it: a booked stay is the quote of a rate. */
function chooseOfferId(id: string, seen: SeenOffer | undefined): string {
  return (seen?.kind === "stay" ? seen.rateId : undefined) ?? id;
}

/** The other offers of the same search, as the tenant was shown them. */
async function alternativesTo(
  { seenOffers }: Pick<Stores, "seenOffers">,
  caller: Caller,
  offerId: string,
  { travelers, comparables }: { travelers: readonly string[] | undefined; comparables: readonly SeenComparable[] },
): Promise<readonly Alternative[]> {
  const ids = comparables
    .toSorted((one, other) => compareAmounts(one.totalAmount, other.totalAmount))
    .flatMap(({ id }) => id ?? [])
    .filter((id) => id !== offerId)
    .slice(0, MOST_ALTERNATIVES);
  const found = await seenOffers.findAll(caller, ids);
  return ids.flatMap((id) => {
    const seen = found.get(id);
    return seen === undefined ? [] : [{ offerId: id, bought: toPurchase(seen, travelers, comparables) }];
  });
}

function compareAmounts(one: string, other: string): number {
  const difference = (parseDecimal(one) ?? 0n) - (parseDecimal(other) ?? 0n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Until when an order of the seen offer can be cancelled, and at what cost, as far as the offer says. */
function sayUndo(seen: SeenOffer | undefined, findTimeZone: FindTimeZone = () => undefined): PlannedFinality[] {
  if (seen === undefined)
    return [perhapsFinal("the order at the supplier, except for the refund under its conditions")];
  if (seen.refundable === null)
    return [perhapsFinal("the order: the airline did not say whether cancelling it gives anything back")];
  if (!seen.refundable)
    return [final(`the order: cancelling it gives nothing back${seen.kind === "flight" ? VOID : ""}`)];
  return seen.kind === "flight" ? [undoOfFlight(seen, findTimeZone)] : undosOfStay(seen);
}

function undoOfFlight(seen: SeenFlight, findTimeZone: FindTimeZone): PlannedFinality {
  const { legs, refundPenaltyAmount } = seen;
  const [first] = legs;
  const timeZone = first === undefined ? undefined : findTimeZone(first.origin);
  const departingAt = first?.departingAt ?? undefined;
  return {
    undo: "not_known",
    what: `the order, once the first flight has left; until then cancelling gives its price back less undoCostUsdc, as money or airline credit (cancel_order_quote says which, once it is booked)${VOID}`,
    undoableUntil:
      timeZone === undefined || departingAt === undefined
        ? undefined
        : Temporal.PlainDateTime.from(departingAt).toZonedDateTime(timeZone).toInstant(),
    timeZone,
    undoCost: refundPenaltyAmount === undefined ? undefined : convertToUsdc(seen, refundPenaltyAmount),
  };
}

/** One per step of the refund schedule. */
function undosOfStay(seen: SeenStay): PlannedFinality[] {
  const { refunds, totalAmount, totalCurrency, place } = seen;
  const total = convertToUsdc(seen, totalAmount);
  if (refunds === undefined || refunds.length === 0) {
    return [perhapsFinal("the order, except for the refund under its cancellation policy")];
  }
  return refunds.map(({ before, refundAmount }) => {
    const refund = convertToUsdc(seen, refundAmount);
    return {
      what: `the order: cancelled until then, it gives back ${refundAmount} ${totalCurrency}`,
      undoableUntil: Temporal.Instant.from(before),
      timeZone: place?.timeZone ?? undefined,
      undoCost: total === undefined || refund === undefined ? undefined : total - refund,
    };
  });
}

/** In USDC, at the rate at which the offer was shown. */
function convertToUsdc({ totalCurrency, rate }: SeenOffer, amount: string) {
  return inUsdc(amount, totalCurrency, rate ?? BOOKING_RATE);
}
