import type { z } from "zod";
import { isSameWay } from "../../domain/travel/same-way.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import type { ChangeOffer } from "../../ports/supplier/flight-servicing.ts";
import { pickPrice, seeChangeOffers } from "../servicing/index.ts";
import { findQuickest, proposeWays } from "./choose-ways.ts";
import type { Ports } from "./context.ts";
import type { OwnOrder, OwnOrderSearch } from "./find-own-order.ts";
import { isLost, leavesLateEnough, type Replan } from "./replan.ts";
import { type ChangeAnswer, partly, unavailable } from "./replan-parts.ts";
import { findArrival } from "./stay-role.ts";

const NO_CHANGE = "the airline offers no change to another flight that leaves late enough.";
const FARE_FORBIDS =
  "The fare of this order does not allow changes. If the airline cancelled the flight, ask the airline, which may owe another flight or a refund.";
const NOT_TICKETED =
  "Its tickets are not issued yet, and nothing can be changed until then: call again in a few minutes.";

type Change = z.input<typeof ChangeAnswer>;

/** The cost of changing the tenant's own order to flights on these days. */
export async function findChange(
  { own, orderId, reason }: OwnOrderSearch,
  replan: Replan,
  dates: readonly string[],
  { flightServicing, stores }: Pick<Ports, "flightServicing" | "stores">,
  caller: Caller,
): Promise<Change> {
  if (own === undefined) return { ...unavailable(reason ?? ""), orderId, order: null, offers: [] };
  const { record, slice } = own;
  const order = describeOrder(own);
  const none = (why: string) => ({ ...unavailable(why), orderId, order, offers: [] });
  if (own.hasBegun) return none(BEGUN);
  const askOn = async (departureDate: string) => {
    const add = [{ ...toPlaces(own, replan), departureDate, cabinClass: replan.cabinClass }];
    const { offers } = await flightServicing.requestChange(record.orderId, { add, remove: [{ sliceId: slice.id }] });
    return { date: departureDate, offers: offers.filter((offer) => isInTime(offer, own, replan)), failure: "" };
  };
  const days = await Promise.all(
    dates.map((date) =>
      partly(
        () => askOn(date),
        (failure) => ({ date, offers: [], failure }),
      ),
    ),
  );
  const failures = sayFailures(days);
  const offers = days.flatMap((day) => day.offers);
  await stores.servicingQuotes.rememberChangeOffers(
    record,
    offers.map(({ id }) => id),
  );
  await seeChangeOffers(stores.seenOffers, caller, offers, record);
  if (offers.length === 0) {
    const asked = days.flatMap(({ date, failure }) => (failure === "" ? [date] : []));
    return none([...failures, ...(asked.length === 0 ? [] : [whyNone(own, asked)])].join(" "));
  }
  return {
    available: true,
    reason: failures.join(" ") || null,
    orderId,
    order,
    offers: chooseChanges(days.map((day) => day.offers)).map((offer) => ({
      id: offer.id,
      ...pickPrice(offer),
      expiresAt: offer.expiresAt,
      slices: offer.slices.add,
      next: { tool: "select_order_change_offer", args: { offerId: offer.id } },
    })),
  };
}

const BEGUN =
  "The journey of this leg has begun, and only the airline can change the rest of it: ask it with the pnr. After a missed connection within one booking, it often rebooks the travelers free of charge.";

function describeOrder(own: OwnOrder): Change["order"] {
  const { orderId } = own.record;
  const { totalAmount, totalCurrency, passengers } = own.details;
  return {
    travelers: passengers.length,
    totalAmount,
    totalCurrency,
    returnedAmount: own.returnedAmount ?? null,
    next: { tool: "cancel_order_quote", args: { orderId } },
  };
}

function whyNone({ details: { ticketed, conditions } }: OwnOrder, asked: readonly string[]): string {
  if (!ticketed) return NOT_TICKETED;
  if (conditions.changeBeforeDeparture?.allowed === false) return FARE_FORBIDS;
  return `For ${asked.join(", ")} ${NO_CHANGE} Use request_order_change for another day. If the airline cancelled the flight, ask the airline, which may owe another flight or a refund.`;
}

/** A slice is changed as a whole, even if the leg is only a part of it. */
function toPlaces({ comesFrom }: OwnOrder, { origin, destination }: Replan) {
  return { origin: comesFrom ?? origin, destination };
}

function isInTime({ slices: { add } }: ChangeOffer, { comesFrom, slice }: OwnOrder, replan: Replan): boolean {
  if (isLost({ slices: add }, replan) || isSameWay(add, slice.segments)) return false;
  if (comesFrom === undefined) return leavesLateEnough({ slices: add }, replan.earliestLocal);
  // Only the part of the journey from the leg's origin on must leave late enough.
  const onward = add.flatMap(({ segments }) => segments).filter(({ origin }) => origin === replan.origin);
  return onward.every(({ departingAt }) => Temporal.PlainDateTime.compare(departingAt, replan.earliestLocal) >= 0);
}

/** One line for all days that failed alike. */
const sayFailures = (days: readonly { date: string; failure: string }[]): string[] =>
  [
    ...Map.groupBy(
      days.filter(({ failure }) => failure !== ""),
      ({ failure }) => failure,
    ),
  ].map(([failure, of]) => `No change could be requested for ${of.map(({ date }) => date).join(", ")}: ${failure}`);

/**
 * The cheapest of each day, so that a cheaper day does not hide an earlier one, and overall the first to arrive, the
 * quickest and the cheapest; ordered by price, then by day.
 */
function chooseChanges(days: readonly (readonly ChangeOffer[])[]): readonly ChangeOffer[] {
  const byPrice = (left: ChangeOffer, right: ChangeOffer) =>
    Number(left.changeTotalAmount) - Number(right.changeTotalAmount);
  const ofDays = days.map((offers) => offers.toSorted(byPrice)[0]);
  const all = days.flat().toSorted(byPrice);
  const [first] = all.toSorted((left, right) =>
    (findArrival({ slices: left.slices.add }) ?? "").localeCompare(findArrival({ slices: right.slices.add }) ?? ""),
  );
  return proposeWays([...ofDays, first, findQuickest(all, ({ slices }) => slices.add)], all);
}
