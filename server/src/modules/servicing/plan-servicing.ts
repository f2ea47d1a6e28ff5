import { formatDecimal, type Micro, parseDecimal } from "../../domain/money.ts";
import {
  type CallPlan,
  final,
  type PlannedSubject,
  REPEATED_PLAN,
  usdcMovements,
} from "../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import { BOOKING_RATE, inUsdc, type SeenOffer, toPurchase, unknownPurchase } from "../bookings/index.ts";
import { BookedStay, type OrderRecord, type ServicingKind } from "../orders/index.ts";
import { refundInUsdc } from "./cancel-order.ts";
import { stayRefundFields } from "./cancel-stay.ts";
import type { Stores } from "./context.ts";
import type { FlightCancellationQuote } from "./servicing-quotes.ts";
import { type RefundParts, splitRefund } from "./split-refund.ts";

type QuotedRefund = Pick<FlightCancellationQuote, "refundAmount" | "refundCurrency" | "credits">;

interface Asked {
  stores: Pick<Stores, "servicingActions" | "servicingQuotes" | "seenOffers" | "orders" | "bookings">;
  caller: Caller;
}

/** Whether an earlier call has done it or is doing it: nothing is paid or refunded twice. */
async function isTaken({ stores, caller }: Asked, kind: ServicingKind, subjectId: string): Promise<boolean> {
  const { tenantId, environment } = caller;
  return (await stores.servicingActions.findLive(tenantId, environment, kind, subjectId)) !== undefined;
}

interface Price {
  amount: string;
  currency: string;
}

const CHANGED = "the change of the order";
const WHO_KEEPS =
  "its penalty and fare difference go to the airline, whom the operator's account (collection) pays through the supplier";

/** `payment`: what the caller pays. The supplier decides, and refuses a different amount. */
export async function planChange(asked: Asked, changeId: string, payment: Price): Promise<CallPlan> {
  if (await isTaken(asked, "flight_change", changeId)) return REPEATED_PLAN;
  const seen = await asked.stores.seenOffers.find(asked.caller, changeId);
  const travelerIds = seen?.kind === "flight" ? await findTravelers(asked, seen.orderId) : undefined;
  const { amount, currency } = payment;
  const due = parseDecimal(amount) === 0n ? 0n : inUsdc(amount, currency.toUpperCase(), seen?.rate ?? BOOKING_RATE);
  return {
    // An amount without a known rate is found out when the call runs.
    movements: due === 0n ? [] : [{ token: "USDC", amount: due, from: "treasury", to: "collection" }],
    irreversible: [final(due === 0n ? CHANGED : `${CHANGED}; ${WHO_KEEPS}`)],
    travelerIds,
    remarks: await sayLess(asked, seen),
    bought: seen === undefined ? unknownPurchase("flight", travelerIds) : toPurchase(seen, travelerIds),
  };
}

/** A change that gives money back has nothing to pay, and the refund is easily missed. */
async function sayLess({ stores, caller }: Asked, seen: SeenOffer | undefined): Promise<string[]> {
  if (seen?.kind !== "flight" || seen.orderId === undefined) return [];
  const order = await stores.orders.find(caller.tenantId, caller.environment, seen.orderId);
  if (order === undefined || order.totalCurrency !== seen.totalCurrency) return [];
  const less = (parseDecimal(order.totalAmount) ?? 0n) - (parseDecimal(seen.totalAmount) ?? 0n);
  if (less <= 0n) return [];
  return [
    `The supplier gives back ${formatDecimal(less)} ${seen.totalCurrency}: the order then costs ${seen.totalAmount} instead of ${order.totalAmount}. refundTo of the change says whether that is money.`,
  ];
}

/** The users that the tenant's order is for. Undefined: the order or its travelers are unknown. */
async function findTravelers({ stores, caller }: Asked, orderId?: string): Promise<readonly string[] | undefined> {
  if (orderId === undefined) return undefined;
  const order = await stores.orders.find(caller.tenantId, caller.environment, orderId);
  const booking = order && (await stores.bookings.get(order.bookingId));
  const userIds = booking?.travelers.flatMap(({ userId }) => userId ?? []) ?? [];
  return userIds.length === 0 ? undefined : userIds;
}

/** The refund is in the quote; the supplier stores those of flights. */
export async function planCancellation(asked: Asked, cancellationId: string): Promise<CallPlan> {
  const { tenantId, environment } = asked.caller;
  const { servicingQuotes } = asked.stores;
  const stay = await servicingQuotes.findStayCancellation(tenantId, environment, cancellationId);
  if (stay !== undefined) {
    if (await isTaken(asked, "stay_cancellation", stay.stayId)) return REPEATED_PLAN;
    return await planRefund(asked, stay.stayId, stayRefundFields(stay));
  }
  if (await isTaken(asked, "flight_cancellation", cancellationId)) return REPEATED_PLAN;
  const flight = await servicingQuotes.findFlightCancellation(tenantId, environment, cancellationId);
  return flight === undefined ? UNKNOWN_REFUND : await planRefund(asked, flight.orderId, flight);
}

const CANCELLED = [final("the order is cancelled")];
const UNKNOWN_REFUND: CallPlan = {
  movements: [{ token: "USDC", amount: undefined, from: "collection", to: "treasury" }],
  irreversible: CANCELLED,
};

/** Computed as the confirmation does. */
async function planRefund(
  { stores, caller }: Asked,
  orderId: string,
  refund: Pick<FlightCancellationQuote, "refundAmount" | "refundCurrency" | "refundTo" | "credits">,
): Promise<CallPlan> {
  const order = await stores.orders.find(caller.tenantId, caller.environment, orderId);
  if (order === undefined) return UNKNOWN_REFUND;
  const parts = await splitRefund(stores, order, refundInUsdc(refund, order));
  return {
    movements:
      refund.refundAmount === null ? UNKNOWN_REFUND.movements : usdcMovements([parts.back, "collection", "treasury"]),
    irreversible: CANCELLED,
    remarks: sayRefund(refund, order, parts),
    readSubject: () => readSubject(stores, order),
  };
}

async function readSubject(
  { bookings }: Pick<Stores, "bookings">,
  { orderId, pnr, kind, bookingId, slices }: OrderRecord,
): Promise<PlannedSubject> {
  const named = { orderId, reference: pnr };
  if (kind === "stay") {
    const { data: stay } = BookedStay.safeParse((await bookings.get(bookingId))?.result);
    return { ...named, legs: [], stay: stay && readStay(stay) };
  }
  const legs = slices.map(({ origin, destination, departingAt, segments }) => ({
    origin,
    destination,
    departsAt: departingAt === null ? undefined : Temporal.PlainDateTime.from(departingAt),
    flights: segments.map(({ flightNumber }) => flightNumber),
  }));
  return { ...named, legs, stay: undefined };
}

const readStay = ({ accommodationName, checkInDate, checkOutDate }: BookedStay): PlannedSubject["stay"] => ({
  name: accommodationName,
  checkInDate: Temporal.PlainDate.from(checkInDate),
  checkOutDate: Temporal.PlainDate.from(checkOutDate),
});

/** Describes the quoted refund of a cancellation and the lost part of the price. */
function sayRefund(
  refund: QuotedRefund,
  order: Pick<OrderRecord, "totalAmount" | "totalCurrency" | "status">,
  { back, released }: RefundParts,
): string[] {
  if (order.status === "held") return ["Nothing was paid for this hold: ending it is free of charge."];
  if (refund.refundAmount === null) return ["The quote does not say how much money is refunded."];
  return [
    back > 0n
      ? `${formatDecimal(back)} USDC are refunded to the treasury wallet.`
      : "No money is refunded to the wallet.",
    ...[...Map.groupBy(refund.credits, ({ currency }) => currency)].map(sayCredits),
    ...(released > 0n ? [`The trip's reservation owes ${formatDecimal(released)} USDC less.`] : []),
    ...sayLoss(refund, order),
  ];
}

function sayCredits([currency, credits]: [string | null, QuotedRefund["credits"]]): string {
  const amounts = credits.map(({ amount }) => parseDecimal(amount ?? ""));
  if (currency === null || amounts.includes(undefined)) {
    return "The airline gives an airline credit but has not said how much it is worth.";
  }
  return `The airline gives ${formatDecimal(sumKnown(amounts))} ${currency} as airline credit, not as money.`;
}

/** Empty if the refund is in another currency than the order's price. */
function sayLoss(
  refund: QuotedRefund,
  { totalAmount, totalCurrency }: Pick<OrderRecord, "totalAmount" | "totalCurrency">,
): string[] {
  const total = parseDecimal(totalAmount);
  const parts = [{ amount: refund.refundAmount, currency: refund.refundCurrency }, ...refund.credits];
  const amounts = parts.map(({ amount, currency }) =>
    currency === totalCurrency || currency === null ? parseDecimal(amount ?? "") : undefined,
  );
  if (total === undefined || amounts.includes(undefined)) return [];
  const lost = total - sumKnown(amounts);
  if (lost <= 0n) return ["None of its price is lost."];
  return [`Of its price of ${totalAmount} ${totalCurrency}, ${formatDecimal(lost)} ${totalCurrency} are lost.`];
}

function sumKnown(amounts: readonly (Micro | undefined)[]): Micro {
  return amounts.reduce<Micro>((sum, amount) => sum + (amount ?? 0n), 0n);
}
