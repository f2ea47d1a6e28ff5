import { showOrder } from "../replies/show-stays.ts";
import { Order, OrderDetails, OrderList, readList } from "../state/results.ts";
import type { BookingFact, Wish } from "../state/state.ts";
import { call, type Deciding, findResult, need, type Outcome, tell } from "./outcome.ts";
import { findOrder } from "./servicing.ts";

const LIST = { name: "list_orders", args: { limit: 20 } } as const;
const MOST_ORDERS = 5;
const read = (orderId: string) => ({ name: "read_order", args: { orderId } });

/** Bags, breakfast, terminal and times of what is booked, or that the booking does not tell. */
export function tellBookingFacts(deciding: Deciding, wish: Wish): Outcome {
  if (wish.kind !== "bookingFacts") return {};
  if (wish.isOfAll) return tellOfAll(deciding, wish.facts);
  const found = findOrder(deciding, wish);
  if ("outcome" in found) return found.outcome;
  deciding.state.order.orderId = found.order.orderId;
  const details = need(deciding, read(found.order.orderId));
  if ("outcome" in details) return details.outcome;
  return tell(sayFacts(deciding, found.order, { result: details.result, facts: wish.facts }));
}

function tellOfAll(deciding: Deciding, facts: readonly BookingFact[]): Outcome {
  const { speaker, state } = deciding;
  const list = need(deciding, LIST);
  if ("outcome" in list) return list.outcome;
  const orders = readList(Order, OrderList.safeParse(list.result).data?.orders ?? [])
    .filter(({ kind, status }) => (state.order.kind ?? kind) === kind && (status === "confirmed" || status === "held"))
    .slice(0, MOST_ORDERS);
  if (orders.length === 0) return tell(speaker.say("noOrders"));
  const calls = orders.map(({ orderId }) => read(orderId)).filter((one) => findResult(deciding, one) === undefined);
  if (calls.length > 0) return call(...calls);
  const texts = orders.map((order) =>
    sayFacts(deciding, order, { result: findResult(deciding, read(order.orderId))?.result, facts }),
  );
  return tell(texts.join("\n"));
}

interface Told {
  readonly result: unknown;
  readonly facts: readonly BookingFact[];
}

function sayFacts({ speaker }: Deciding, order: Order, { result, facts }: Told): string {
  const details = OrderDetails.safeParse(result).data;
  const said = facts.map((fact) => {
    if (fact === "bags") return sayBags(details, speaker);
    if (fact === "times") return sayTimes(details, speaker);
    if (fact === "terminal") return speaker.say("terminalUnknown");
    return order.kind === "stay" ? sayBoard(details, speaker) : speaker.say("mealsOnBoard");
  });
  return [showOrder(order, speaker), ...said].join("\n");
}

type Details = OrderDetails | undefined;
type Speaker = Deciding["speaker"];

/** The fewest of the journey's flights and passengers. */
function countBags(details: Details, type: string): number | undefined {
  const passengers = (details?.flight?.slices ?? []).flatMap(({ segments }) =>
    segments.flatMap((segment) => segment.passengers ?? []),
  );
  const counts = passengers.flatMap(({ baggage }) =>
    baggage == null ? [] : [baggage.reduce((sum, bag) => sum + (bag.type === type ? (bag.quantity ?? 0) : 0), 0)],
  );
  return counts.length === 0 ? undefined : Math.min(...counts);
}

function sayBags(details: Details, speaker: Speaker): string {
  const [checked, cabin] = [countBags(details, "checked"), countBags(details, "carry_on")];
  if (checked === undefined) return speaker.say("bagsUnknown");
  return speaker.say("bagsBooked", { checked, cabin: cabin ?? 0 });
}

function sayTimes(details: Details, speaker: Speaker): string {
  const at = (iso: string) => `${speaker.day(iso.slice(0, 10))}, ${speaker.time(iso)}`;
  const flights = (details?.flight?.slices ?? []).flatMap(({ segments }) =>
    segments.map(
      ({ flightNumber, origin, destination, departingAt, arrivingAt }) =>
        `${flightNumber}: ${origin} ${at(departingAt)} → ${destination} ${at(arrivingAt)}`,
    ),
  );
  if (flights.length > 0) return flights.join("\n");
  return speaker.say("hoursUnknown", { place: sayContact(details) });
}

const sayBoard = (details: Details, speaker: Speaker): string =>
  speaker.say("boardUnknown", { place: sayContact(details) });

const sayContact = (details: Details): string =>
  [details?.stay?.accommodationName, details?.stay?.accommodationPhone ?? details?.stay?.accommodationAddress]
    .flatMap((part) => (part == null || part === "" ? [] : [part]))
    .join(", ");
