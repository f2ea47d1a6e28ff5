import type { ToolMap } from "../../../server/src/modules/index.ts";
import type { Asker } from "../intents.ts";
import type { Random } from "../random.ts";
import type { Sequences } from "../sequence-storm.ts";

/** A traveler's behaviour, one call after the other, determined by the random decisions and by the answers. */

type Offer = ToolMap["search_flights"]["output"]["offers"][number];
type Slices = ToolMap["request_order_change"]["input"]["slices"];
type Booked = ToolMap["book_flight"]["output"];

/** Holds and orders that are paid at once; changes within Europe cost little. */
const routes = ["LHR-AMS", "FRA-MUC", "MAD-BCN", "CDG-FCO", "LHR-CDG"] as const;
/** The route whose orders are refunded as airline credit. */
const CREDIT_ROUTE = "LTN-SYD";
const places = ["Lisbon", "London", "Berlin", "Madrid"] as const;
const MOST_TICKET_WAITS = 6;
const TICKETS_AFTER_MILLISECONDS = 700;
const MOST_QUOTES = 3;

/** Calls with an effect, with the argument that is its natural identity. */
const SUBJECT_OF: Readonly<Record<string, string>> = {
  book_flight: "offerId",
  confirm_order_change: "changeId",
  confirm_cancel_order: "cancellationId",
  book_stay: "quoteId",
};
const FIRST_DAY = 30;
const DAYS = 200;

/** Every so many sequences confirm a quote that was replaced: what must be refused for good is in every run. */
const REFUSED_EVERY = 10;

export interface Plan {
  random: Random;
  /** A flight that is cancelled by a quote which another has replaced, and then by that one. */
  isRefused: boolean;
  /** The day of departure or check-in. */
  date: Temporal.PlainDate;
}

/** Sequences that begin on that day. */
export function travels(today: Temporal.PlainDate): Sequences<Plan> {
  return {
    perRound: 40,
    workers: 12,
    findSubject({ tool, args }) {
      const name = SUBJECT_OF[tool];
      return name === undefined ? undefined : String(args[name]);
    },
    plan: (random, number) => ({
      random,
      isRefused: number % REFUSED_EVERY === 1,
      date: today.add({ days: FIRST_DAY + (number % DAYS) }),
    }),
    play: travel,
  };
}

async function travel(asker: Asker, plan: Plan): Promise<void> {
  if (plan.isRefused) return refusedFlight(asker, plan);
  if (plan.random.chance(0.25)) return stay(asker, plan);
  return plan.random.chance(0.25) ? creditFlight(asker, plan) : flight(asker, plan, plan.random.pick(routes));
}

async function flight(asker: Asker, plan: Plan, route: string): Promise<void> {
  const { random } = plan;
  const order = await bookSome(asker, plan, route, false);
  if (order === undefined) return;
  const changes = random.chance(0.55) ? random.between(1, 2) : 0;
  for (let count = 0; count < changes; count += 1) await change(asker, plan, route, order);
  if (random.chance(0.6)) await cancel(asker, random, order.orderId);
}

async function refusedFlight(asker: Asker, plan: Plan): Promise<void> {
  const order = await bookSome(asker, plan, plan.random.pick(routes), false);
  if (order === undefined) return;
  const replaced = await asker.ask("cancel_order_quote", { orderId: order.orderId });
  if ("refused" in replaced) return;
  const valid = await asker.ask("cancel_order_quote", { orderId: order.orderId });
  await asker.ask("confirm_cancel_order", { cancellationId: replaced.result.cancellationId });
  if (!("refused" in valid)) await asker.ask("confirm_cancel_order", { cancellationId: valid.result.cancellationId });
}

/** A booking that ends as an airline credit, which pays for a part of the next one. */
async function creditFlight(asker: Asker, plan: Plan): Promise<void> {
  const order = await bookSome(asker, plan, CREDIT_ROUTE, plan.random.chance(0.5));
  if (order !== undefined) await cancel(asker, plan.random, order.orderId);
  const next = await bookSome(asker, plan, CREDIT_ROUTE, true);
  if (next !== undefined && plan.random.chance(0.5)) await cancel(asker, plan.random, next.orderId);
}

async function search(asker: Asker, { random, date }: Plan, route: string): Promise<readonly Offer[]> {
  const [origin = "", destination = ""] = route.split("-");
  const cabinClass = random.chance(0.75) ? "business" : "economy";
  const found = await asker.ask("search_flights", {
    origin,
    destination,
    departureDate: date.toString(),
    cabinClass,
  });
  if ("refused" in found) return [];
  // Mostly one with which more can be done.
  const flexible = found.result.offers.filter(
    ({ conditions: { refundBeforeDeparture, changeBeforeDeparture } }) =>
      refundBeforeDeparture?.allowed === true && changeBeforeDeparture?.allowed === true,
  );
  return flexible.length > 0 && random.chance(0.85) ? flexible : found.result.offers;
}

async function bookSome(asker: Asker, plan: Plan, route: string, withCredit: boolean) {
  const { random } = plan;
  const offers = await search(asker, plan, route);
  const credits = withCredit ? await usableCredits(asker) : [];
  const paid = offers.find(({ owner }) => credits.some(({ airlineIataCode }) => airlineIataCode === owner.iataCode));
  const offer = paid ?? random.shuffle(offers)[0];
  if (offer === undefined) return undefined;
  const credit = credits.find(({ airlineIataCode }) => airlineIataCode === offer.owner.iataCode);
  const isHeld = credit === undefined && random.chance(0.25) && (await hold(asker, offer.id));
  const services = random.chance(0.4) ? await someServices(asker, random, offer.id, isHeld) : [];
  const booked = await asker.ask("book_flight", {
    offerId: offer.id,
    ...(services.length > 0 ? { services } : {}),
    ...(credit === undefined ? {} : { airlineCreditId: credit.id }),
  });
  return "refused" in booked ? undefined : booked.result;
}

async function usableCredits(asker: Asker) {
  const listed = await asker.ask("list_airline_credits", { limit: 50 });
  return "refused" in listed ? [] : listed.result.credits.filter(({ usable }) => usable);
}

/** Whether the airline holds it: `book_flight` then pays for that order. */
async function hold(asker: Asker, offerId: string): Promise<boolean> {
  return !("refused" in (await asker.ask("hold_flight", { offerId })));
}

/** To an order that is held, bags alone are added. */
async function someServices(asker: Asker, random: Random, offerId: string, isHeld: boolean): Promise<{ id: string }[]> {
  const listed = await asker.ask("list_flight_ancillaries", { offerId });
  if ("refused" in listed) return [];
  const [bag] = listed.result.bags;
  if (isHeld) return bag === undefined ? [] : [{ id: bag.id }];
  const [seat] = random.shuffle(listed.result.seats);
  const both = [bag, seat].flatMap((one) => (one === undefined ? [] : [{ id: one.id }]));
  return random.chance(0.5) ? both : both.slice(0, 1);
}

async function change(asker: Asker, plan: Plan, route: string, order: Booked): Promise<void> {
  const { random } = plan;
  const [origin = "", destination = ""] = route.split("-");
  const date = plan.date.add({ days: random.between(1, 9) });
  const cabin = random.pick(["economy", "business"] as const);
  const add = [{ origin, destination, departure_date: date.toString(), cabin_class: cabin }];
  const offers = await changeOffers(asker, order, add);
  const offer = random.shuffle(offers)[0];
  if (offer === undefined) return;
  const selected = await asker.ask("select_order_change_offer", { offerId: offer.id });
  if ("refused" in selected) return;
  const { changeId, due } = selected.result;
  const type = random.chance(0.35) ? "arc" : "balance";
  await asker.ask("confirm_order_change", { changeId, payment: { type, ...due } });
}

/** None until the order has its tickets; a slice that was changed before is not there any more, and then it is left at that. */
async function changeOffers(asker: Asker, order: Booked, add: Slices["add"]) {
  const slices = { add, remove: order.slices.slice(0, 1).map(({ id }) => ({ slice_id: id })) };
  for (let tries = 1; tries <= MOST_TICKET_WAITS; tries += 1) {
    const asked = await asker.ask("request_order_change", { orderId: order.orderId, slices });
    if ("refused" in asked) return [];
    if (asked.result.offers.length > 0) return asked.result.offers;
    await asker.rest(TICKETS_AFTER_MILLISECONDS);
  }
  return [];
}

async function cancel(asker: Asker, random: Random, orderId: string): Promise<void> {
  for (let tries = 1; tries <= MOST_QUOTES; tries += 1) {
    const quote = await asker.ask("cancel_order_quote", { orderId });
    if ("refused" in quote) return;
    // A quote that is replaced by another may not cancel any more.
    if (random.chance(0.15)) await asker.ask("cancel_order_quote", { orderId });
    const confirmed = await asker.ask("confirm_cancel_order", { cancellationId: quote.result.cancellationId });
    if (!("refused" in confirmed)) return;
  }
}

async function stay(asker: Asker, { random, date }: Plan): Promise<void> {
  const found = await asker.ask("search_hotels", {
    location: random.pick(places),
    checkInDate: date.toString(),
    checkOutDate: date.add({ days: 2 }).toString(),
  });
  if ("refused" in found) return;
  const hotel = random.shuffle(found.result.accommodations)[0];
  if (hotel === undefined) return;
  const quote = await asker.ask("quote_stay", { rateId: hotel.cheapestRate.id });
  if ("refused" in quote) return;
  const booked = await asker.ask("book_stay", {
    quoteId: quote.result.id,
    email: "chaos@example.com",
    phoneNumber: "+442080160508",
    guests: [{ givenName: "Chaos", familyName: "Traveler" }],
  });
  if (!("refused" in booked) && random.chance(0.7)) await cancel(asker, random, booked.result.orderId);
}
