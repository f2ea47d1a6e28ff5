import { showOrder } from "../replies/show-stays.ts";
import { Order, OrderList, readList } from "../state/results.ts";
import type { State, Wish } from "../state/state.ts";
import { type Deciding, need, type Outcome, tell } from "./outcome.ts";
import { narrow } from "./servicing.ts";

const LIST = { name: "list_orders", args: { limit: 20 } } as const;
type Kind = Order["kind"];
const NOT_BOOKED = { flight: "flightNotBooked", stay: "stayNotBooked" } as const;

/** "Is it really booked?": yes with what is booked, or no. */
export function tellIsBooked(deciding: Deciding, { reading }: Wish): Outcome {
  const { state, speaker } = deciding;
  const list = need(deciding, LIST);
  if ("outcome" in list) return list.outcome;
  const orders = readList(Order, OrderList.safeParse(list.result).data?.orders ?? []).filter(
    ({ status }) => status === "confirmed" || status === "held",
  );
  const kinds = listKinds(state, reading);
  const answers = kinds.map((kind) => {
    const meant = findMeant(state, orders, { kind, reading });
    return meant.length === 0
      ? speaker.say(NOT_BOOKED[kind])
      : [speaker.say("isBooked"), ...meant.map((order) => `- ${showOrder(order, speaker)}`)].join("\n");
  });
  return tell(answers.length === 0 ? speaker.say("nothingBooked") : answers.join("\n"));
}

/** The kinds that are named, or else those that this conversation has booked or is about to book. */
function listKinds({ deed, lastShown, isStayNext, booked, orders }: State, { kinds, ids }: Wish["reading"]): Kind[] {
  if (kinds.has("flight") !== kinds.has("stay")) return [kinds.has("stay") ? "stay" : "flight"];
  const isOpen: Readonly<Record<Kind, boolean>> = {
    flight: deed?.name === "book_flight" || lastShown === "flights",
    stay: deed?.name === "book_stay" || lastShown === "stays" || isStayNext,
  };
  const isBooked = (kind: Kind): boolean => orders.some((order) => order.kind === kind && booked.has(order.orderId));
  const both: readonly Kind[] = ["flight", "stay"];
  return both.filter((kind) => ids.length > 0 || kinds.has(kind) || isOpen[kind] || isBooked(kind));
}

/** Those of this conversation, or those that fit what is named, or the journey that is spoken of. */
function findMeant(
  { booked, flight, stay }: State,
  orders: readonly Order[],
  { kind, reading: { ids, places } }: { kind: Kind; reading: Wish["reading"] },
): readonly Order[] {
  if (ids.length > 0) return orders.filter(({ orderId, pnr }) => ids.includes(orderId) || ids.includes(pnr ?? ""));
  const ofKind = orders.filter((order) => order.kind === kind);
  const own = ofKind.filter(({ orderId }) => booked.has(orderId));
  if (own.length > 0) return own;
  const named = places.findLast(({ isNegated, role }) => !isNegated && role !== "from");
  const place = named ?? flight.destination;
  const day = (kind === "stay" ? stay.checkIn : flight.departure)?.toString();
  const there = kind === "stay" || place === undefined ? ofKind : narrow(ofKind, { kind, place, isReturn: false });
  if (day !== undefined) return there.filter(({ startsOn }) => startsOn === day);
  return named === undefined || kind === "stay" ? [] : there;
}

/** Meals on board: only the airline takes them, by the booking's code. */
export function tellMeals(deciding: Deciding): Outcome {
  const { speaker, today } = deciding;
  const list = need(deciding, LIST);
  if ("outcome" in list) return list.outcome;
  const flights = readList(Order, OrderList.safeParse(list.result).data?.orders ?? []).filter(
    ({ kind, status, startsOn }) => kind === "flight" && status === "confirmed" && (startsOn ?? "") >= today.toString(),
  );
  const own = flights.filter(({ orderId }) => deciding.state.booked.has(orderId));
  const shown = (own.length > 0 ? own : flights).slice(0, 3).map((order) => `- ${showOrder(order, speaker)}`);
  return tell([speaker.say("noMeals"), ...shown].join("\n"));
}
