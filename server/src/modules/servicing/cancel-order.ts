import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { formatDecimal, type Micro, parseDecimal } from "../../domain/money.ts";
import { DecimalAmount } from "../../domain/schemas.ts";
import { SupplierResult } from "../../domain/travel/offer-schema.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CancellationQuote, FlightServicing } from "../../ports/supplier/flight-servicing.ts";
import type { Flights } from "../../ports/supplier/flights.ts";
import { BookingRate, inUsdc, partsInUsdc, toRate } from "../bookings/index.ts";
import {
  atMost,
  creditEvents,
  type NewServicingAction,
  type OrderRecord,
  type ServicingAction,
} from "../orders/index.ts";
import { OrderNow } from "./order-now.ts";
import { type ServicingCommit, type ServicingOutcome, ServicingTransfers } from "./servicing-effect.ts";
import { requireNotCancelled } from "./servicing-errors.ts";

const Credits = z
  .array(
    z.object({
      id: z.string().nullable().describe("For airlineCreditId of book_flight; null: not issued yet"),
      airlineIataCode: z.string().nullable(),
      amount: DecimalAmount.nullable(),
      currency: z.string().nullable(),
      code: z.string().nullable(),
      passengerId: z.string().nullable(),
    }),
  )
  .readonly();

/** Fields that quotes and confirmations share. */
export const Refund = SupplierResult.extend({
  cancellationId: z.string(),
  orderId: z.string(),
  kind: z.enum(["flight", "stay"]),
  refundAmount: DecimalAmount.nullable().describe("null: the supplier did not say"),
  refundCurrency: z.string().nullable(),
  rate: BookingRate.nullable().default(null).describe("Conversion rate, recorded with the booking"),
  refundTo: z.string().nullable().describe("balance and original_form_of_payment go to the treasury wallet"),
  credits: Credits.describe("Airline credits instead of money"),
});

export const CancellationResult = Refund.extend({
  bookingId: z.string(),
  status: z.literal("cancelled"),
  confirmedAt: z.string(),
  chargedUsdc: DecimalAmount,
  refundedUsdc: DecimalAmount.describe("On its way to the treasury wallet"),
  ...ServicingTransfers.shape,
  notRefundedBecause: z.string().nullable().default(null).describe("null: all money is refunded at the rate"),
  ...OrderNow.shape,
});

/** Refunds of these kinds return to the payer; all others are not money, or not the tenant's. */
const GIVEN_BACK: ReadonlySet<string> = new Set(["balance", "original_form_of_payment"]);

const NOTHING_QUOTED = "The quote gave no refund: its notRefundedBecause says why, unless nothing had been paid.";

/** The supplier's refund in USDC for the tenant. */
export function givenBack({ refundAmount, refundCurrency, refundTo }: RefundWords, rate: BookingRate): Micro {
  if (refundAmount === null || refundCurrency === null || !GIVEN_BACK.has(refundTo ?? "")) return 0n;
  return inUsdc(refundAmount, refundCurrency, rate) ?? 0n;
}

/** The refund of a cancellation: never more than was charged, and all of it if the whole price is refunded. */
export function refundInUsdc(refund: RefundWords, order: RefundedOrder): Micro {
  const back = givenBack(refund, order.rate);
  const charged = partsInUsdc(order, order.priceParts, order.rate);
  if (back === 0n || charged === undefined) return back;
  return parseDecimal(refund.refundAmount ?? "") === parseDecimal(order.totalAmount) ? charged : atMost(back, charged);
}

type RefundedOrder = Pick<OrderRecord, "totalAmount" | "totalCurrency" | "priceParts" | "rate">;

interface RefundWords {
  refundAmount: string | null;
  refundCurrency: string | null;
  refundTo: string | null;
}

/** Null: all money is refunded at the recorded rate. */
export function whyNotRefunded(refund: RefundWords, rate: BookingRate): string | null {
  const { refundAmount, refundCurrency, refundTo } = refund;
  if (refundAmount === null || refundCurrency === null) return null;
  if (parseDecimal(refundAmount) === 0n) return NOTHING_QUOTED;
  if (!GIVEN_BACK.has(refundTo ?? ""))
    return `The supplier refunds it as ${refundTo ?? "something it does not name"}, which does not go to the wallet.`;
  if (refundCurrency === rate.from) return null;
  return `The supplier refunded it in ${refundCurrency}. The order was paid in ${rate.from}, and only that rate was recorded: the operator decides about the refund.`;
}

/** The order's rate, as recorded with the booking. */
export function recordedRate({ expected }: Pick<ServicingAction, "expected">): BookingRate {
  return toRate(expected.rate);
}

/** Throws `currency_not_supported` if the amount cannot be converted at the order's rate. */
export function requireOrderCurrency(amount: string | null, currency: string | null, { from }: BookingRate): void {
  if (amount === null || currency === null || currency === from || parseDecimal(amount) === 0n) return;
  throw new Failure("currency_not_supported", {
    detail: `The supplier calculates this in ${currency}, but the order was paid in ${from}, and only that exchange rate was recorded with it. Nothing happened; the operator can settle it with the supplier.`,
    extra: { currency, orderCurrency: from },
  });
}

export function isPast(instant: string | Temporal.Instant | null | undefined, clock: Clock): boolean {
  if (instant === null || instant === undefined) return false;
  return Temporal.Instant.compare(Temporal.Instant.from(instant), clock.now()) <= 0;
}

/** Gives unknown records and those of other tenants the same declared error. */
export async function withNotFoundCode<T>(work: Promise<T>, notFound: string): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw cause instanceof Failure && cause.code === notFound ? new Failure(notFound, { cause }) : cause;
  }
}

export function cancellationExpired(): Failure {
  return new Failure("cancellation_expired", {
    detail: "The quote has expired. Nothing happened; call cancel_order_quote again.",
  });
}

/** Checks everything that can be refused before anything is stored or sent. */
export function prepareFlightCancellation(
  quote: CancellationQuote,
  order: OrderRecord,
  clock: Clock,
): Pick<NewServicingAction, "bookingId" | "orderId" | "payment" | "expected"> {
  const { refundAmount, refundCurrency, refundTo } = quote;
  // A confirmed one that no action of the tenant knows took effect after it was given up.
  if (quote.confirmedAt === null) {
    requireNotCancelled(order);
    if (isPast(quote.expiresAt, clock)) throw cancellationExpired();
  }
  const { rate } = order;
  requireOrderCurrency(refundAmount, refundCurrency, rate);
  const refundUsdc = formatDecimal(refundInUsdc(quote, order));
  const expected = { refundAmount, refundCurrency, refundTo, refundUsdc, rate };
  return { bookingId: order.bookingId, orderId: order.orderId, payment: undefined, expected };
}

/** From the quote: where the refund goes, for confirmations that omit it, and the amount in USDC. */
const Expected = z.object({
  refundAmount: z.string().nullable().default(null),
  refundTo: z.string().nullable().default(null),
  refundUsdc: z.string().optional(),
});

export function flightCancellation(
  flights: Pick<Flights, "quietMilliseconds" | "provenance" | "sandbox">,
  flightServicing: Pick<FlightServicing, "getCancellation" | "confirmCancellation">,
): ServicingCommit {
  function toOutcome(action: ServicingAction, quote: CancellationQuote): ServicingOutcome | undefined {
    const { confirmedAt, refundAmount, refundCurrency, credits } = quote;
    if (confirmedAt === null) return undefined;
    const expected = Expected.parse(action.expected);
    const refundTo = quote.refundTo ?? expected.refundTo;
    const details = { cancellationId: quote.id, refundAmount, refundCurrency, refundTo };
    const rate = recordedRate(action);
    const quoted = refundAmount === expected.refundAmount ? parseDecimal(expected.refundUsdc ?? "") : undefined;
    const refund = quoted ?? givenBack(details, rate);
    return {
      result: {
        cancellationId: quote.id,
        orderId: action.orderId,
        bookingId: action.bookingId,
        kind: "flight",
        status: "cancelled",
        refundAmount,
        refundCurrency,
        refundTo,
        credits,
        confirmedAt,
        rate,
        notRefundedBecause: whyNotRefunded(details, rate),
        ...flights.provenance(),
        sandbox: flights.sandbox,
      },
      refund,
      order: { status: "cancelled" },
      events: [{ kind: "cancelled", key: quote.id, details }, ...creditEvents(quote)],
    };
  }
  return {
    quietMilliseconds: flights.quietMilliseconds,
    async send(action) {
      const outcome = toOutcome(action, await flightServicing.confirmCancellation(action.subjectId));
      if (outcome === undefined) throw new Failure("outcome_unknown");
      return outcome;
    },
    lookUp: async (action) => toOutcome(action, await flightServicing.getCancellation(action.subjectId)),
  };
}
