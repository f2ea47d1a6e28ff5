import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import { describe, findRefusal, type Intent, listResults } from "../intents.ts";
import type { ServicingBooks, SupplierBooks } from "./books.ts";

/** Compares callers' wishes and answers with the supplier's own ledger; our books only tell the owner of a booking. */

/** States of an order that nobody pays for. */
export const DEAD: ReadonlySet<string> = new Set(["cancelled", "lapsed"]);
const PAID_STAYS: ReadonlySet<string> = new Set(["confirmed", "cancelled"]);
const CREDIT = "airline_credit";

type Bookings = readonly Pick<ServicingBooks["bookings"][number], "id" | "tenant_id">[];

export const isConfirmed = ({ confirmed_at }: { confirmed_at: string | null }): boolean => confirmed_at !== null;

/** Orders that were paid for once, whatever became of them. */
export function paidOrders({ orders, payments }: SupplierBooks): SupplierBooks["orders"] {
  const paid = new Set(payments.filter(({ status }) => status === "succeeded").map(({ order_id }) => order_id));
  return orders.filter(({ id }) => paid.has(id));
}

/**
 * Members of an answer that reflect the current state. Tickets, a change or a cancellation of the order, the block with
 * a transaction, and an unreachable supplier come between two answers.
 */
const OF_THE_MOMENT: ReadonlySet<string> = new Set([
  ...["ticketing", "ticketOrderHash", "next", "chargeTxHash", "refundTxHash"],
  ...["conditions", "changeableUntil", "refundableUntil", "voidWindowEndsAt"],
  ...["status", "since", "refundedUsdc", "totalAmount", "totalCurrency", "taxAmount", "slices"],
]);

function lasting(result: unknown): unknown {
  if (typeof result !== "object" || result === null) return result;
  return Object.fromEntries(Object.entries(result).filter(([name]) => !OF_THE_MOMENT.has(name)));
}

/** At any moment. */
export function checkOnce(supplier: SupplierBooks, bookings: Bookings): Finding {
  const { orders, payments, cancellations, changes, stayBookings } = supplier;
  const tenants = new Map(bookings.map(({ id, tenant_id }) => [id, tenant_id]));
  const findTenant = ({ booking_id = "" }: { booking_id?: string | undefined }) => tenants.get(booking_id) ?? "nobody";
  const stays = stayBookings.filter(({ status }) => PAID_STAYS.has(status));
  const ofChanges = new Set(changes.map(({ payment_id }) => payment_id));
  const succeeded = payments.filter(({ status }) => status === "succeeded");
  const first = succeeded.filter(({ id, type }) => type !== CREDIT && !ofChanges.has(id));
  const problems = [
    ...findRepeated(
      orders.filter(({ state }) => !DEAD.has(state)),
      ({ metadata }) => `a living order of booking ${metadata.booking_id}`,
    ),
    ...findRepeated(
      paidOrders(supplier),
      ({ offer_id, metadata }) => `a paid order of offer ${offer_id} for ${findTenant(metadata)}`,
    ),
    // Bags are added to an order once, and paid for then.
    ...findRepeated(first, ({ order_id, pays_for }) =>
      pays_for === "services" ? `a payment of bags of order ${order_id}` : `a payment of order ${order_id}`,
    ),
    ...findRepeated(succeeded, ({ airline_credit_id }) =>
      airline_credit_id === null ? null : `a payment by credit ${airline_credit_id}`,
    ),
    ...findRepeated(changes.filter(isConfirmed), ({ payment_id }) =>
      payment_id === null ? null : `a change of payment ${payment_id}`,
    ),
    ...findRepeated(cancellations.filter(isConfirmed), ({ order_id }) => `a cancellation of order ${order_id}`),
    ...findRepeated(stays, ({ metadata }) => `a stay of booking ${metadata.booking_id}`),
    ...findRepeated(stays, ({ quote_id, metadata }) => `a stay of quote ${quote_id} for ${findTenant(metadata)}`),
  ];
  return {
    invariant: "at most one order, one payment, one cancellation, one change and one stay for what was asked once",
    checked: orders.length + stays.length,
    problems,
  };
}

const Answered = z.object({
  orderId: z.string(),
  pnr: z.string().optional(),
  changeId: z.string().optional(),
  kind: z.string().optional(),
});

/** At any moment: everything answered as done exists at the supplier, and a repetition gets the same answer. */
export function checkAnswered(intents: readonly Intent[], supplier: SupplierBooks): Finding {
  const orders = new Map(supplier.orders.map((order) => [order.id, order]));
  const stays = new Map(supplier.stayBookings.map((stay) => [stay.id, stay]));
  const confirmed = new Set([...supplier.cancellations, ...supplier.changes].filter(isConfirmed).map(({ id }) => id));
  const paid = new Set(paidOrders(supplier).map(({ id }) => id));
  let checked = 0;

  function stands({ request: { tool }, subject }: Intent, answer: z.infer<typeof Answered>): boolean {
    const { orderId, pnr, kind } = answer;
    if (tool === "book_flight") return paid.has(orderId) && orders.get(orderId)?.booking_reference === pnr;
    if (tool === "book_stay") return PAID_STAYS.has(stays.get(orderId)?.status ?? "");
    if (kind === "stay") return stays.get(orderId)?.status === "cancelled";
    return confirmed.has(subject);
  }

  const problems = intents.flatMap((intent) => {
    const results = listResults(intent);
    const [result] = results;
    if (result === undefined) return [];
    checked += 1;
    const read = Answered.safeParse(result);
    if (!read.success) return [`${describe(intent)} was answered without its order`];
    const differing = results.filter((other) => !isDeepStrictEqual(lasting(other), lasting(result))).length;
    return [
      ...(stands(intent, read.data) ? [] : [`${describe(intent)} was answered and does not stand at the supplier`]),
      ...(differing > 0 ? [`${describe(intent)} got ${differing} other answers`] : []),
    ];
  });
  return { invariant: "every answered success stands at the supplier, and was answered the same", checked, problems };
}

/** Refusals that say that it was done, by somebody else or before. */
const DONE_BEFORE: ReadonlySet<string> = new Set(["already_cancelled", "already_confirmed"]);

/** Once everything is settled: nobody was told no for good of what happened. */
export function checkRefused(intents: readonly Intent[], supplier: SupplierBooks, bookings: Bookings): Finding {
  const tenants = new Map(bookings.map(({ id, tenant_id }) => [id, tenant_id]));
  const nameOffer = (offer: string, { booking_id = "" }: { booking_id?: string | undefined }) =>
    `${tenants.get(booking_id)} ${offer}`;
  const bought = new Set([
    ...paidOrders(supplier).map(({ offer_id, metadata }) => nameOffer(offer_id, metadata)),
    ...supplier.stayBookings
      .filter(({ status }) => PAID_STAYS.has(status))
      .map(({ quote_id, metadata }) => nameOffer(quote_id, metadata)),
  ]);
  const confirmed = new Set([...supplier.cancellations, ...supplier.changes].filter(isConfirmed).map(({ id }) => id));
  const refused = intents.flatMap((intent) => {
    const code = findRefusal(intent);
    return code === undefined ? [] : [{ intent, code }];
  });
  const problems = refused.flatMap(({ intent, code }) => {
    const { subject, traveler } = intent;
    const happened = bought.has(`${traveler.tenantId} ${subject}`) || confirmed.has(subject);
    return happened ? [`${describe(intent)} was refused with ${code} and happened`] : [];
  });
  const told = refused.filter(({ code }) => DONE_BEFORE.has(code)).length;
  return {
    invariant: "what was refused for good did not happen",
    checked: refused.length - told,
    problems,
  };
}
