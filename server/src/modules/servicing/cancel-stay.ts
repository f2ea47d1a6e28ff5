import { Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StayBookings, SupplierStay } from "../../ports/supplier/stay-bookings.ts";
import type { CancellationPolicy, Stays } from "../../ports/supplier/stays.ts";
import type { NewServicingAction, OrderRecord, ServicingAction } from "../orders/index.ts";
import {
  cancellationExpired,
  givenBack,
  isPast,
  recordedRate,
  requireOrderCurrency,
  whyNotRefunded,
} from "./cancel-order.ts";
import type { ServicingCommit, ServicingOutcome } from "./servicing-effect.ts";
import type { StayCancellationQuote } from "./servicing-quotes.ts";
import type { ServicingQuotes } from "./store-quotes.ts";

/** Our own prefix, as the supplier of stays has no cancellation quotes. */
export const STAY_QUOTE_PREFIX = "scq_";
/** Stays are paid from the balance and refunded to it. */
const REFUND_TO = "balance";

/** Error codes when a stay is cancelled as an order. */
const CODE_OF_ORDERS: ReadonlyMap<string, string> = new Map([
  ["booking_not_found", "order_not_found"],
  ["not_cancellable", "order_not_cancellable"],
]);

async function inWordsOfOrders<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const code = cause instanceof Failure ? CODE_OF_ORDERS.get(cause.code) : undefined;
    throw code === undefined ? cause : new Failure(code, { cause });
  }
}

export interface StayRefund {
  amount: string;
  currency: string;
  /** Until when this refund applies. */
  until: Temporal.Instant | undefined;
}

/** The refund of a cancellation at this moment: that of the earliest step of the policy that is not over. */
export function refundAt(policy: CancellationPolicy, at: Temporal.Instant, currency: string): StayRefund {
  const steps = policy.timeline
    .map(({ before, ...step }) => ({ ...step, before: Temporal.Instant.from(before) }))
    .toSorted((left, right) => Temporal.Instant.compare(left.before, right.before));
  const step = steps.find(({ before }) => Temporal.Instant.compare(at, before) < 0);
  if (step === undefined) return { amount: "0.00", currency, until: undefined };
  return { amount: step.refundAmount, currency: step.currency, until: step.before };
}

export async function quoteStayCancellation(
  ports: {
    stayBookings: Pick<StayBookings, "getStay">;
    servicingQuotes: ServicingQuotes;
    clock: Clock;
    random: RandomBytes;
  },
  order: OrderRecord,
): Promise<{ quote: StayCancellationQuote; policy: CancellationPolicy }> {
  const { stayBookings, servicingQuotes, clock, random } = ports;
  const stay = await inWordsOfOrders(stayBookings.getStay(order.orderId));
  if (stay.status === "cancelled") throw new Failure("already_cancelled");
  const now = clock.now();
  const { amount, currency, until } = refundAt(stay.cancellationPolicy, now, stay.price?.currency ?? order.rate.from);
  const quote: StayCancellationQuote = {
    id: newId(STAY_QUOTE_PREFIX, now.epochMilliseconds, random),
    tenantId: order.tenantId,
    environment: order.environment,
    stayId: order.orderId,
    refundAmount: amount,
    refundCurrency: currency,
    expiresAt: until,
  };
  await servicingQuotes.insertStayCancellation(quote);
  return { quote, policy: stay.cancellationPolicy };
}

export function stayRefundFields({ refundAmount, refundCurrency }: StayCancellationQuote) {
  return { refundAmount, refundCurrency, refundTo: REFUND_TO, credits: [] };
}

/** Checks everything that can be refused before anything is stored or sent. */
export function prepareStayCancellation(
  quote: StayCancellationQuote,
  order: OrderRecord,
  clock: Clock,
): Pick<NewServicingAction, "bookingId" | "orderId" | "payment" | "expected"> {
  if (isPast(quote.expiresAt, clock)) throw cancellationExpired();
  const { id: cancellationId, refundAmount, refundCurrency } = quote;
  const { rate } = order;
  requireOrderCurrency(refundAmount, refundCurrency, rate);
  const expected = { cancellationId, refundAmount, refundCurrency, rate };
  return { bookingId: order.bookingId, orderId: order.orderId, payment: undefined, expected };
}

export function stayCancellation(
  stays: Pick<Stays, "provenance" | "sandbox">,
  stayBookings: Pick<StayBookings, "quietMilliseconds" | "getStay" | "cancelStay">,
): ServicingCommit {
  function toOutcome(action: ServicingAction, stay: SupplierStay): ServicingOutcome | undefined {
    if (stay.status !== "cancelled") return undefined;
    const { cancellationPolicy, price } = stay;
    // Prefers the supplier's clock, since the refund goes to the supplier's account.
    const confirmedAt = stay.cancelledAt ?? action.createdAt.toString();
    const rate = recordedRate(action);
    const at = Temporal.Instant.from(confirmedAt);
    const { amount, currency } = refundAt(cancellationPolicy, at, price?.currency ?? rate.from);
    const { cancellationId } = action.expected;
    const details = { cancellationId, refundAmount: amount, refundCurrency: currency, refundTo: REFUND_TO };
    const refund = givenBack(details, rate);
    return {
      result: {
        ...details,
        rate,
        notRefundedBecause: whyNotRefunded(details, rate),
        credits: [],
        orderId: action.orderId,
        bookingId: action.bookingId,
        kind: "stay",
        status: "cancelled",
        confirmedAt,
        ...stays.provenance(),
        sandbox: stays.sandbox,
      },
      refund,
      order: { status: "cancelled" },
      events: [{ kind: "cancelled", key: action.subjectId, details }],
    };
  }
  return {
    quietMilliseconds: stayBookings.quietMilliseconds,
    async send(action) {
      const outcome = toOutcome(action, await inWordsOfOrders(stayBookings.cancelStay(action.orderId)));
      if (outcome === undefined) throw new Failure("outcome_unknown");
      return outcome;
    },
    lookUp: async (action) => toOutcome(action, await stayBookings.getStay(action.orderId)),
  };
}
