import { z } from "zod";
import { Failure, invalidInput } from "../../domain/errors.ts";
import { parseDecimal } from "../../domain/money.ts";
import { DecimalAmount, wordsOfOthers } from "../../domain/schemas.ts";
import { SupplierResult } from "../../domain/travel/offer-schema.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FlightServicing, OrderChange } from "../../ports/supplier/flight-servicing.ts";
import type { Flights, OrderedSlice } from "../../ports/supplier/flights.ts";
import { BookingRate, inUsdc } from "../bookings/index.ts";
import { type NewServicingAction, type OrderRecord, type ServicingAction, toBookedSlice } from "../orders/index.ts";
import { isAirlineChange, toOrderChange } from "./airline-change.ts";
import { givenBack, isPast, recordedRate, requireOrderCurrency } from "./cancel-order.ts";
import { OrderNow } from "./order-now.ts";
import { type ServicingCommit, type ServicingOutcome, ServicingTransfers } from "./servicing-effect.ts";

/** The cost of a change, shared by offers, pending changes and confirmed ones. */
export const ChangePrice = z.object({
  changeTotalAmount: DecimalAmount.describe("Amount to pay, including penaltyAmount; negative: refunded"),
  changeTotalCurrency: z.string(),
  penaltyAmount: DecimalAmount.nullable(),
  penaltyCurrency: z.string().nullable(),
  refundTo: z.string().nullable(),
});

export const ChangeResult = SupplierResult.extend(ChangePrice.shape).extend({
  changeId: z.string(),
  orderId: z.string(),
  bookingId: z.string(),
  status: z.literal("confirmed"),
  confirmedAt: z.string(),
  newTotalAmount: DecimalAmount.nullable()
    .default(null)
    .describe("The order's current price, as read back; null: the supplier is not answering"),
  newTotalCurrency: z.string().nullable().default(null),
  chargedUsdc: DecimalAmount.describe("Taken from the treasury wallet"),
  refundedUsdc: DecimalAmount.describe("On its way to the treasury wallet"),
  ...ServicingTransfers.shape,
  rate: BookingRate.nullable().default(null).describe("Conversion rate, recorded with the booking"),
  ...OrderNow.shape,
});

const LONGEST_AFFECTED = 2_000;

export const StaysAffected = wordsOfOthers(
  "Stays of the travelers that no longer fit the flights: nights without a bed, or paid and not used",
  LONGEST_AFFECTED,
).optional();

export interface ChangePayment {
  type: "balance" | "arc" | "card";
  amount: string;
  currency: string;
}

/** The amount to pay for a change; "0" if it costs nothing or gives money back. */
export function dueFor({ changeTotalAmount }: Pick<OrderChange, "changeTotalAmount">): string {
  return changeTotalAmount.startsWith("-") || parseDecimal(changeTotalAmount) === 0n ? "0" : changeTotalAmount;
}

export function pickPrice(change: z.output<typeof ChangePrice>): z.output<typeof ChangePrice> {
  const { changeTotalAmount, changeTotalCurrency } = change;
  const { penaltyAmount, penaltyCurrency, refundTo } = change;
  return { changeTotalAmount, changeTotalCurrency, penaltyAmount, penaltyCurrency, refundTo };
}

/** Checks everything that can be refused before anything is stored or sent. */
export function prepareFlightChange(
  change: OrderChange,
  order: OrderRecord,
  payment: ChangePayment,
  clock: Clock,
): Pick<NewServicingAction, "bookingId" | "orderId" | "payment" | "expected"> {
  if (payment.type === "card") {
    throw new Failure("card_not_available", {
      detail: "Cards are not accepted here. Pay with type balance or arc.",
    });
  }
  // Includes a cancellation that took effect after it was given up: there is nothing left to pay for.
  if (order.status === "cancelled") {
    throw new Failure("order_not_changeable", {
      detail: "The order is cancelled. Nothing was charged and nothing happened.",
    });
  }
  // A confirmed one that no action of the tenant knows took effect after it was given up.
  if (change.confirmedAt === null && isPast(change.expiresAt, clock)) {
    throw new Failure("change_expired", {
      detail: "The change can no longer be confirmed. Nothing happened; call request_order_change again.",
    });
  }
  const { changeTotalAmount, changeTotalCurrency } = change;
  const { rate } = order;
  requireOrderCurrency(changeTotalAmount.replace(/^-/, ""), changeTotalCurrency, rate);
  if (payment.currency.toUpperCase() !== changeTotalCurrency) {
    throw invalidInput([{ path: "payment.currency", message: `must be ${changeTotalCurrency}, like the change` }]);
  }
  const due = dueFor(change);
  // Zero is zero in any currency.
  const amount = parseDecimal(due) === 0n ? 0n : inUsdc(due, changeTotalCurrency, rate);
  if (amount === undefined) throw new Error(`the change ${change.id} asks ${due}`);
  if (parseDecimal(payment.amount) !== parseDecimal(due)) {
    throw new Failure("price_changed", {
      detail: `The change costs ${due} ${changeTotalCurrency}. Nothing happened; confirm with that amount.`,
      extra: { amount: due, currency: changeTotalCurrency },
    });
  }
  return {
    bookingId: order.bookingId,
    orderId: order.orderId,
    payment: amount === 0n ? undefined : { kind: payment.type === "arc" ? "wallet" : "balance", amount },
    expected: { ...pickPrice(change), rate },
  };
}

const pickFlights = ({ add, remove }: NonNullable<OrderChange["slices"]>) => ({
  add: add.map(toBookedSlice),
  remove: remove.map(({ id }) => id),
});

const pickTimes = ({ add, remove }: NonNullable<OrderChange["slices"]>) => {
  const times = (slices: readonly OrderedSlice[]) =>
    slices.map(({ segments }) => ({
      segments: segments.map(({ departingAt, arrivingAt }) => ({ departingAt, arrivingAt })),
    }));
  return { removed: times(remove), added: times(add) };
};

/** Stored with the intent, since a worker that takes over has no other source. */
const Expected = z.object({
  changeTotalAmount: z.string(),
  changeTotalCurrency: z.string(),
  refundTo: z.string().nullable().default(null),
});

export function flightChange(
  flights: Pick<Flights, "quietMilliseconds" | "provenance" | "sandbox">,
  flightServicing: Pick<FlightServicing, "getChange" | "confirmChange" | "getAirlineChange" | "acceptAirlineChange">,
): ServicingCommit {
  function toOutcome(action: ServicingAction, change: OrderChange): ServicingOutcome | undefined {
    const { confirmedAt, changeTotalAmount, changeTotalCurrency } = change;
    if (confirmedAt === null) return undefined;
    const refundTo = change.refundTo ?? Expected.parse(action.expected).refundTo;
    const isRefund = changeTotalAmount.startsWith("-");
    const rate = recordedRate(action);
    const back = { refundAmount: changeTotalAmount.slice(1), refundCurrency: changeTotalCurrency, refundTo };
    const refund = isRefund ? givenBack(back, rate) : 0n;
    return {
      result: {
        changeId: change.id,
        orderId: action.orderId,
        bookingId: action.bookingId,
        status: "confirmed",
        ...pickPrice(change),
        rate,
        confirmedAt,
        // For the answer, which names the stays that no longer fit.
        replaced: change.slices === null ? null : pickTimes(change.slices),
        ...flights.provenance(),
        sandbox: flights.sandbox,
      },
      refund,
      // The order has the new price when it is read again.
      order: {},
      flights: change.slices === null ? undefined : pickFlights(change.slices),
      events: [{ kind: "changed", key: change.id, details: { changeId: change.id, ...pickPrice(change) } }],
    };
  }
  return {
    quietMilliseconds: flights.quietMilliseconds,
    async send(action) {
      const { changeTotalAmount: amount, changeTotalCurrency: currency } = Expected.parse(action.expected);
      const payment = action.payment === undefined ? undefined : { amount, currency };
      const change = isAirlineChange(action.subjectId)
        ? toOrderChange(await flightServicing.acceptAirlineChange(action.subjectId), currency)
        : await flightServicing.confirmChange(action.subjectId, payment);
      const outcome = toOutcome(action, change);
      if (outcome === undefined) throw new Failure("outcome_unknown");
      return outcome;
    },
    async lookUp(action) {
      if (!isAirlineChange(action.subjectId))
        return toOutcome(action, await flightServicing.getChange(action.subjectId));
      const { changeTotalCurrency: currency } = Expected.parse(action.expected);
      const change = await flightServicing.getAirlineChange(action.orderId, action.subjectId);
      return change.answer === "accepted" ? toOutcome(action, toOrderChange(change, currency)) : undefined;
    },
  };
}
