import { listAirports } from "../reading/city-airports.ts";
import { nameInEnglish } from "../reading/lexicon.ts";
import { fold } from "../reading/marks.ts";
import { showChanges } from "../replies/show-flights.ts";
import { showOrder } from "../replies/show-stays.ts";
import { plainName } from "../state/choose-wishes.ts";
import {
  Cancelled,
  CancelQuote,
  ChangeAnswer,
  Changed,
  ChangeOffer,
  Order,
  OrderDetails,
  OrderList,
  readList,
  SelectedChange,
  Trip,
  TripList,
} from "../state/results.ts";
import type { OrderSlots, Wish } from "../state/state.ts";
import { askWhich, chooseFlight } from "./choose.ts";
import { ask, type Call, call, type Deciding, findResult, need, type Outcome, sayFailure, tell } from "./outcome.ts";

const LIST = { name: "list_orders", args: { limit: 20 } } as const;

/** The one order that is meant, or what has to be asked or called first. */
export function findOrder(deciding: Deciding, wish: Wish): { readonly order: Order } | { readonly outcome: Outcome } {
  const { state, speaker } = deciding;
  const { order: slots } = state;
  const known = state.orders.filter(({ status }) => status === "confirmed" || status === "held");
  const fromConversation = narrow(known, slots);
  const byId = known.find(({ orderId }) => orderId === slots.orderId);
  if (byId !== undefined) return { order: byId };
  const isCityNamed = slots.kind === "stay" && slots.place !== undefined;
  if (!isCityNamed && slots.orderId === undefined && fromConversation.length === 1 && fromConversation[0] !== undefined)
    return { order: fromConversation[0] };
  const list = need(deciding, LIST);
  if ("outcome" in list) return list;
  const all = readList(Order, OrderList.safeParse(list.result).data?.orders ?? []).filter(
    ({ status }) => status === "confirmed" || status === "held",
  );
  const named = all.filter(
    ({ orderId, pnr }) => slots.orderId !== undefined && (orderId === slots.orderId || pnr === slots.orderId),
  );
  const narrowed = named.length > 0 ? named : narrow(all, slots);
  const byName = narrowed.filter(({ what }) => what != null && wish.reading.folded.includes(plainName(what)));
  const there = byName.length > 0 ? { orders: byName } : findStaysThere(deciding, narrowed);
  if ("outcome" in there) return there;
  const candidates = there.orders;
  const choice = "choice" in wish ? wish.choice?.ordinal : undefined;
  // As they were listed when the question was asked.
  const shown = candidates.length > 0 ? candidates : all;
  const chosen = choice === undefined ? undefined : choice === -1 ? shown.at(-1) : shown[choice - 1];
  const [only] = candidates;
  if (chosen !== undefined) return { order: chosen };
  if (candidates.length === 1 && only !== undefined) return { order: only };
  const over = readList(Order, OrderList.safeParse(list.result).data?.orders ?? []).filter(
    ({ status }) => status === "cancelled",
  );
  const isNamed = slots.place !== undefined || slots.orderId !== undefined;
  if (candidates.length === 0 && isNamed && narrow(over, slots).length > 0) {
    return { outcome: tell(speaker.say("alreadyCancelled")) };
  }
  const isKindKnown = slots.kind === undefined || all.some(({ kind }) => kind === slots.kind);
  if (all.length === 0 || !isKindKnown) return { outcome: tell(speaker.say("noOrders")) };
  const question =
    candidates.length > 0 ? speaker.say("askOrder") : `${speaker.say("noOrders")} ${speaker.say("askOrder")}`;
  const lines = shown.map((order, index) => `${index + 1}. ${showOrder(order, speaker)}`);
  return {
    outcome: ask(
      "order",
      [question, ...lines].join("\n"),
      shown.map(({ pnr, orderId }) => pnr ?? orderId),
    ),
  };
}

const MOST_READ = 8;

/** A hotel's order names no city: each is read for its address. One without it could be meant. */
function findStaysThere(
  deciding: Deciding,
  orders: readonly Order[],
): { readonly orders: readonly Order[] } | { readonly outcome: Outcome } {
  const { place, kind } = deciding.state.order;
  const stays = orders.filter((order) => order.kind === "stay").slice(0, MOST_READ);
  if (place === undefined || kind !== "stay") return { orders };
  const calls = stays.map(({ orderId }) => ({ name: "read_order", args: { orderId } }));
  const pending = calls.filter((one) => findResult(deciding, one) === undefined);
  if (pending.length > 0) return { outcome: call(...pending) };
  const names = [place.name, ...(place.code === undefined ? [] : [nameInEnglish(place.code)])].map(fold);
  const there = stays.filter((_, index) => {
    const one = calls[index];
    const read = one === undefined ? undefined : OrderDetails.safeParse(findResult(deciding, one)?.result).data;
    const address = read?.stay?.accommodationAddress;
    return address == null || names.some((name) => name !== "" && fold(address).includes(name));
  });
  return { orders: there };
}

/** By what was said of it. A hotel's order does not tell its city; a day that fits none of them says nothing. */
export function narrow(orders: readonly Order[], { kind, place, date }: OrderSlots): readonly Order[] {
  const ofKind = kind === undefined ? orders : orders.filter((order) => order.kind === kind);
  const there =
    place === undefined
      ? ofKind
      : ofKind.filter((order) => (kind === "stay" ? true : namesPlace(order.what ?? "", place)));
  const then = date === undefined ? there : there.filter(({ startsOn }) => startsOn === date.toString());
  return then.length > 0 ? then : there;
}

/** A route has codes of airports, a place may be of their city. */
const namesPlace = (what: string, { code, name }: { code?: string; name: string }): boolean =>
  (code === undefined ? [] : listAirports(code)).some((airport) => what.includes(airport)) ||
  what.toLowerCase().includes(name.toLowerCase());

export function cancelOrder(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const done = lastCall(deciding, "confirm_cancel_order");
  if (done?.outcome === "ok") {
    const cancelled = Cancelled.safeParse(done.result).data;
    const refund = speaker.price(
      cancelled?.refundAmount ?? cancelled?.refundedUsdc ?? "0",
      cancelled?.refundCurrency ?? "USD",
      cancelled?.refundedUsdc,
    );
    return tell(speaker.say("cancelled", { refund }));
  }
  if (done !== undefined) return tell(sayFailure(done, speaker));
  const found = findOrder(deciding, wish);
  if ("outcome" in found) return found.outcome;
  state.order.orderId = found.order.orderId;
  const quote = need(deciding, { name: "cancel_order_quote", args: { orderId: found.order.orderId } });
  if ("outcome" in quote) return quote.outcome;
  const cancellationId = CancelQuote.safeParse(quote.result).data?.cancellationId;
  return cancellationId === undefined
    ? tell(speaker.say("uncertain"))
    : call({ name: "confirm_cancel_order", args: { cancellationId } });
}

const lastCall = ({ state }: Deciding, name: string) =>
  state.results.findLast(({ result }) => result.name === name && result.outcome !== "withdrawn")?.result;

export function changeOrder(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const { order: slots } = state;
  // The day is of the new journey: it does not tell which order is meant.
  const found = findOrder({ ...deciding, state: { ...state, order: withoutDate(slots) } }, wish);
  if ("outcome" in found) return found.outcome;
  slots.orderId = found.order.orderId;
  if (found.order.kind === "stay") return tell(speaker.say("stayChange"));
  const { startsOn, endsOn } = found.order;
  const before = slots.isReturn ? (endsOn ?? startsOn) : startsOn;
  const shifted =
    before == null || slots.shift === undefined
      ? undefined
      : Temporal.PlainDate.from(before).add({ days: slots.shift });
  const date = slots.date ?? shifted;
  if (date === undefined && slots.cabin === undefined)
    return ask(slots.isReturn ? "returnDate" : "departureDate", speaker.say("askNewDate"));
  const read = need(deciding, { name: "read_order", args: { orderId: found.order.orderId } });
  if ("outcome" in read) return read.outcome;
  const slices = OrderDetails.safeParse(read.result).data?.flight?.slices ?? [];
  const slice = slots.isReturn && slices.length > 1 ? slices.at(-1) : slices[0];
  if (slice === undefined) return tell(speaker.say("noChanges"));
  const day = date?.toString() ?? slice.segments[0]?.departingAt.slice(0, 10);
  const request: Call = {
    name: "request_order_change",
    args: {
      orderId: found.order.orderId,
      slices: {
        add: [
          {
            origin: slice.segments[0]?.origin ?? slice.origin,
            destination: slice.segments.at(-1)?.destination ?? slice.destination,
            departure_date: day,
            ...(slots.cabin === undefined ? {} : { cabin_class: slots.cabin }),
          },
        ],
        remove: [{ slice_id: slice.id }],
      },
    },
  };
  const changes = need(deciding, request);
  if ("outcome" in changes) return changes.outcome;
  const offers = readList(ChangeOffer, ChangeAnswer.safeParse(changes.result).data?.offers ?? []);
  if (offers.length === 0) return tell(speaker.say("noChanges"));
  return tell([speaker.say("changes"), showChanges(offers, speaker), speaker.say("chooseChange")].join("\n"));
}

function withoutDate({ date: _, before, ...slots }: OrderSlots): OrderSlots {
  return before === undefined ? slots : { ...slots, date: before };
}

const asFlight = (offer: ChangeOffer) => ({ offer, slices: offer.slices.add });

export function chooseChange(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const done = lastCall(deciding, "confirm_order_change");
  if (done?.outcome === "ok") return sayChanged(deciding, done.result);
  if (done !== undefined) return tell(sayFailure(done, speaker));
  const offers = (state.changes ?? []).map(asFlight);
  if (offers.length === 0) return tell(speaker.say("noChanges"));
  const wanted = { choice: "choice" in wish ? wish.choice : undefined, reading: wish.reading };
  const chosen = chooseFlight(offers, wanted, ({ offer }) => Number(offer.changeTotalAmount));
  if (chosen === undefined) return askWhich(deciding, wish, offers.length);
  const selected = need(deciding, { name: "select_order_change_offer", args: { offerId: chosen.offer.id } });
  if ("outcome" in selected) return selected.outcome;
  const change = SelectedChange.safeParse(selected.result).data;
  if (change === undefined) return tell(speaker.say("uncertain"));
  return call({
    name: "confirm_order_change",
    args: { changeId: change.changeId, payment: { type: "balance", ...change.due } },
  });
}

function sayChanged({ speaker }: Deciding, result: unknown): Outcome {
  const { slices, chargedUsdc } = Changed.safeParse(result).data ?? {};
  const ways = (slices ?? []).map(({ origin, destination, segments: [first] }) => {
    const at =
      first === undefined ? "" : ` ${speaker.day(first.departingAt.slice(0, 10))} ${speaker.time(first.departingAt)}`;
    return `${origin} → ${destination}${at}`;
  });
  const isPaid = Number(chargedUsdc ?? "0") > 0;
  const paid = isPaid ? [speaker.say("changePaid", { amount: speaker.money(chargedUsdc ?? "0", "USDC") })] : [];
  return tell([speaker.say("changed", { ways: ways.join("; ") }), ...paid].join(" "));
}

/** Says how much cancelling would give back. */
export function quoteCancel(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const found = findOrder(deciding, wish);
  if ("outcome" in found) return found.outcome;
  state.order.orderId = found.order.orderId;
  const quote = need(deciding, { name: "cancel_order_quote", args: { orderId: found.order.orderId } });
  if ("outcome" in quote) return quote.outcome;
  const answer = CancelQuote.safeParse(quote.result).data;
  return tell(
    speaker.say("cancelQuote", {
      order: showOrder(found.order, speaker),
      refund: speaker.money(answer?.refundAmount ?? "0", answer?.refundCurrency ?? "USD"),
    }),
  );
}

/** Shows all that is booked, or one order with its tickets. */
export function showOrders(deciding: Deciding, { reading }: Wish): Outcome {
  const { state, speaker } = deciding;
  const { kinds } = reading;
  const tripCall = { name: "list_trips", args: { limit: 10 } };
  const wanted = kinds.has("trip") ? [LIST, tripCall] : [LIST];
  const missing = wanted.filter((one) => findResult(deciding, one) === undefined);
  if (missing.length > 0) return call(...missing);
  const trips = kinds.has("trip") ? sayTrips(deciding, tripCall) : [];
  const list = need(deciding, LIST);
  if ("outcome" in list) return list.outcome;
  const orders = readList(Order, OrderList.safeParse(list.result).data?.orders ?? []);
  const kind = kinds.has("stay") === kinds.has("flight") ? undefined : kinds.has("stay") ? "stay" : "flight";
  const place = reading.places.at(-1);
  const meant = narrow(orders, {
    isReturn: false,
    ...(kind === undefined ? {} : { kind }),
    ...(place === undefined ? {} : { place }),
  });
  if (meant.length === 0) return tell(trips.length > 0 ? trips.join("\n") : speaker.say("noOrders"));
  const [only] = meant;
  if (meant.length > 1 || only === undefined) {
    return tell(
      [
        ...trips,
        speaker.say("orders"),
        ...meant.map((order, index) => `${index + 1}. ${showOrder(order, speaker)}`),
      ].join("\n"),
    );
  }
  const details = need(deciding, { name: "read_order", args: { orderId: only.orderId } });
  if ("outcome" in details) return details.outcome;
  const read = OrderDetails.safeParse(details.result).data;
  const numbers = (read?.tickets ?? []).flatMap(({ number }) => (number == null ? [] : [number]));
  const tickets = numbers.length > 0 ? [speaker.say("tickets", { numbers: numbers.join(", ") })] : [];
  const now = { ...only, status: read?.status ?? only.status, ticketing: read?.ticketing ?? only.ticketing };
  state.order.orderId = only.orderId;
  return tell([...trips, showOrder(now, speaker), ...tickets].join("\n"));
}

/** Prefunded trips with what is left of their budgets. */
function sayTrips(deciding: Deciding, tripCall: Call): string[] {
  const { speaker } = deciding;
  const found = findResult(deciding, tripCall);
  const trips = readList(Trip, TripList.safeParse(found?.result).data?.trips ?? []);
  return trips.map(({ tripSummary, tripId, budgetUsdc, availableUsdc, freeUsdc, state }) =>
    speaker.say("trip", {
      name: tripSummary ?? tripId,
      budget: budgetUsdc == null ? "–" : speaker.money(budgetUsdc, "USDC"),
      left: speaker.money(freeUsdc ?? availableUsdc ?? budgetUsdc ?? "0", "USDC"),
      state: state ?? "",
    }),
  );
}
