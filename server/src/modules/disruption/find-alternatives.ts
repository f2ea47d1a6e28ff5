import type { z } from "zod";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import { sayFewerBags } from "../../domain/travel/fewer-bags.ts";
import { sharesFlight } from "../../domain/travel/same-way.ts";
import type { Caller, CallInfo } from "../../kernel/contracts/tool.ts";
import type { FlightOffer, SearchPassenger } from "../../ports/supplier/flights.ts";
import { saleRates } from "../bookings/index.ts";
import { bestOffers, otherFares, searchedAge, seeSearch, toOfferAnswer, toSeenSearch } from "../flights/index.ts";
import { findQuickest, proposeWays } from "./choose-ways.ts";
import type { Ports } from "./context.ts";
import { namedTravelers, type OwnOrder } from "./find-own-order.ts";
import { isLost, leavesLateEnough, type Replan } from "./replan.ts";
import { type AlternativesAnswer, unavailable } from "./replan-parts.ts";
import { findArrival } from "./stay-role.ts";

/** The tool that books an offer; previewed, never called. */
const BOOKS = "book_flight";

interface Asker {
  caller: Caller;
  call: CallInfo;
}

type SearchPorts = Pick<Ports, "flights" | "stores" | "clock" | "random" | "fx">;

/** Flights late enough on the requested day, else on the day after; on every day until the end of a night's wait. */
export async function findAlternatives(
  replan: Replan,
  own: OwnOrder | undefined,
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
        origin,
        destination,
        departureDate: date,
        cabinClass,
        privateFares: {},
        airlineCreditIds: [],
        passengers: passengersOn(date, passengers, own),
      },
      { signal: call.signal, owner: caller.tenantId },
    );
    considered += offers.length;
    const usable = offers.filter(
      (offer) =>
        leavesLateEnough(offer, replan.earliestLocal) &&
        !isLost(offer, replan) &&
        // book_flight refuses a second ticket for a flight that the travelers hold.
        !sharesFlight(offer.slices, own?.slice.segments ?? []),
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
  await seeSearch({ seenOffers: stores.seenOffers, clock, random }, caller, toSeenSearch(usable), rates);
  const named = own?.travelers.length === passengers ? namedTravelers(own, caller) : {};
  const best = [];
  for (const offer of chooseOffers(usable, replan)) {
    const next = { tool: BOOKS, args: { offerId: offer.id, ...named } };
    const differenceAmount = differenceTo(own, offer);
    const fewerBags = own === undefined ? null : sayFewerBags([own.slice], offer.slices);
    best.push({
      ...toOfferAnswer(offer, otherFares(offer, usable), rates, cabinClass),
      differenceAmount,
      ...(fewerBags === null ? {} : { fewerBags }),
      next,
      booking: await findRefusal(next.args, call),
    });
  }
  return { available: true, reason: sayRule(morningAfter), offers: best, searchedDates, considered };
}

/** The order's travelers by age, as airlines sell seats by age; adults unless the order has as many travelers. */
function passengersOn(day: string, passengers: number, own: OwnOrder | undefined): SearchPassenger[] {
  const bornOn = own?.bornOn.length === passengers ? own.bornOn : [];
  return Array.from({ length: passengers }, (_, index) => {
    const born = bornOn[index];
    const age = born === undefined ? undefined : searchedAge(born, day);
    return age === undefined ? { loyaltyAccounts: [] } : { age, loyaltyAccounts: [] };
  });
}

/** By the rule that `sayRule` describes; earliest arrival first. */
function chooseOffers(usable: readonly FlightOffer[], { morningAfter, cabinClass }: Replan): readonly FlightOffer[] {
  const ways = bestOffers(usable, cabinClass).toSorted((left, right) =>
    (findArrival(left) ?? "").localeCompare(findArrival(right) ?? ""),
  );
  const afterNight = ways.find(
    ({ slices }) => morningAfter !== undefined && (slices[0]?.segments[0]?.departingAt ?? "") >= morningAfter,
  );
  const [cheapest] = ways.toSorted((left, right) => Number(left.totalAmount) - Number(right.totalAmount));
  const quickest = findQuickest(ways, ({ slices }) => slices);
  return proposeWays([ways[0], afterNight, cheapest, quickest], ways);
}

function sayRule(morningAfter: string | undefined): string {
  const afterNight = morningAfter === undefined ? "" : ` the first to arrive of those that leave on ${morningAfter},`;
  return `Shown are the first to arrive,${afterNight} the cheapest and the fastest; where these are the same flight, the next to arrive.`;
}

const dayAfter = (date: string): string => Temporal.PlainDate.from(date).add({ days: 1 }).toString();

/** The difference to refunding the order. Null also if the order has other flights, which would be lost with it. */
function differenceTo(own: OwnOrder | undefined, { totalAmount, totalCurrency }: FlightOffer): string | null {
  const [total, returned] = [parseDecimal(totalAmount), parseDecimal(own?.returnedAmount ?? "")];
  if (own === undefined || own.details.slices.length > 1 || own.details.totalCurrency !== totalCurrency) return null;
  if (total === undefined || returned === undefined) return null;
  return total < returned ? `-${formatDecimal(returned - total)}` : formatDecimal(total - returned);
}

/** The refusal that the caller's policy, limits and scopes would give a booking now. */
async function findRefusal(args: object, call: CallInfo) {
  const { refusal } = await call.preview(BOOKS, args);
  return refusal === undefined ? null : { code: refusal.code, detail: refusal.detail };
}
