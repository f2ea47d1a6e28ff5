import { z } from "zod";
import { showOrder } from "../replies/show-stays.ts";
import { Order, OrderList, readList } from "../state/results.ts";
import type { OrderSlots, Wish } from "../state/state.ts";
import { call, type Deciding, failureCode, findResult, need, type Outcome, sayFailure, tell } from "./outcome.ts";
import { findOrder, narrow } from "./servicing.ts";

const Issued = z.looseObject({
  invoiceNumber: z.string(),
  pdfUrl: z.string(),
  total: z.string(),
  currency: z.string(),
});

/** Codes that say that nothing is there to make a document of. */
const NOT_INVOICED =
  /^(?:order_not_|booking_not_|not_settled|nothing_paid|order_is_|invoicing_not_set|insufficient_scope|forbidden)/;

/** The receipt of a booking: the loop asks before it is issued. */
export function issueInvoice(deciding: Deciding, wish: Wish): Outcome {
  const { state, speaker } = deciding;
  const done = state.results.findLast(
    ({ result }) => result.name === "generate_booking_invoice" && result.outcome !== "withdrawn",
  )?.result;
  if (done?.outcome === "ok") {
    const issued = Issued.safeParse(done.result).data;
    if (issued === undefined) return tell(speaker.say("uncertain"));
    const { invoiceNumber, pdfUrl, total, currency } = issued;
    return tell(
      speaker.say("invoiceIssued", { number: invoiceNumber, total: speaker.money(total, currency), link: pdfUrl }),
    );
  }
  if (done !== undefined) {
    const code = failureCode(done) ?? "";
    return tell(NOT_INVOICED.test(code) ? speaker.say("noInvoices") : sayFailure(done, speaker));
  }
  const found = findOrder({ ...deciding, state: { ...state, order: readSlots(wish) } }, wish);
  if ("outcome" in found) return found.outcome;
  const { order } = found;
  const text = speaker.say("invoiceFor", { order: showOrder(order, speaker) });
  return { text, calls: [{ name: "generate_booking_invoice", args: { bookingId: order.orderId } }] };
}

function readSlots({ reading: { ids, places, kinds } }: Wish): OrderSlots {
  const [orderId] = ids;
  const place = places.findLast(({ isNegated }) => !isNegated);
  const kind = kinds.has("stay") === kinds.has("flight") ? undefined : kinds.has("stay") ? "stay" : "flight";
  return {
    isReturn: false,
    ...(orderId === undefined ? {} : { orderId }),
    ...(place === undefined ? {} : { place }),
    ...(kind === undefined ? {} : { kind }),
  };
}

const Paid = Order.extend({
  totalUsdc: z.string().nullish(),
  refundedUsdc: z.string().nullish(),
  wasPaid: z.boolean().nullish(),
});
type Paid = z.output<typeof Paid>;
const LIST = { name: "list_orders", args: { limit: 100 } } as const;

/** The sum paid for the bookings that are named: by reference, or all of a journey to a place. */
export function tellPaid(deciding: Deciding, wish: Wish): Outcome {
  const { speaker, state } = deciding;
  if (findResult(deciding, LIST) === undefined) return call(LIST);
  const list = need(deciding, LIST);
  if ("outcome" in list) return list.outcome;
  const all = readList(Paid, OrderList.safeParse(list.result).data?.orders ?? []);
  const slots = readSlots(wish);
  const { orderId } = slots;
  const meant =
    orderId === undefined
      ? withStays(all, narrow(all, { ...slots, kind: slots.kind ?? "flight" }))
      : all.filter((order) => order.orderId === orderId || order.pnr === orderId);
  const paid = meant.filter(({ wasPaid }) => wasPaid !== false);
  if (paid.length === 0) {
    const known = state.orders.length > 0 && orderId === undefined ? state.orders : all.slice(0, 5);
    return tell([speaker.say("noOrders"), ...known.map((order) => `- ${showOrder(order, speaker)}`)].join("\n"));
  }
  const usdc = (pick: (order: Paid) => string): string => {
    const cents = paid.reduce((sum, order) => sum + Math.round(Number(pick(order)) * 100), 0);
    return speaker.money((cents / 100).toFixed(2), "USDC");
  };
  const sum = usdc(({ totalUsdc, totalAmount }) => totalUsdc ?? totalAmount ?? "0");
  const back = usdc(({ refundedUsdc }) => refundedUsdc ?? "0");
  const hasRefund = paid.some(({ refundedUsdc }) => Number(refundedUsdc ?? "0") > 0);
  return tell(
    [
      speaker.say("paidFor", { sum, count: paid.length }),
      ...paid.map((order) => `- ${showOrder(order, speaker)}`),
      ...(hasRefund ? [speaker.say("paidBack", { back })] : []),
    ].join("\n"),
  );
}

/** A hotel's order does not tell its city: those within the days of the flights there, and of no other flight, are of the journey. */
function withStays(all: readonly Paid[], flights: readonly Order[]): readonly Paid[] {
  const ids = new Set(flights.map(({ orderId }) => orderId));
  const others = all.filter(
    ({ kind, status, orderId }) => kind === "flight" && status !== "cancelled" && !ids.has(orderId),
  );
  const isWithin = (stay: Order, flight: Order): boolean =>
    stay.startsOn != null &&
    flight.startsOn != null &&
    stay.startsOn >= flight.startsOn &&
    (stay.endsOn ?? stay.startsOn) <= (flight.endsOn ?? flight.startsOn);
  const isThere = (order: Paid): boolean =>
    order.kind === "stay" &&
    flights.some((flight) => flight.kind === "flight" && isWithin(order, flight)) &&
    !others.some((flight) => isWithin(order, flight));
  return all.filter((order) => ids.has(order.orderId) || isThere(order));
}
